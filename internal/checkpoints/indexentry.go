package checkpoints

import (
	"encoding/binary"
	"slices"

	"entire-plumb/gitexec"
	"entire-plumb/internal/index"
	"entire-plumb/internal/lineage"
)

// indexEntry is a checkpoint in the cache of fingerprints.
type indexEntry struct {
	dir         gitexec.OID // its directory
	over        bool        // its fingerprint is not read, or not kept, since it is over a limit
	fingerprint *lineage.Checkpoint
}

// The second value of an entry, after its directory.
const (
	entryWithout = iota // a fingerprint
	entryOver
	entryWith // one, which follows
)

// pack writes an entry: numbers as varints; texts, and lists, after their lengths; a hash of a line
// in four bytes.
func (e indexEntry) pack() []byte {
	data := packText(nil, e.dir)
	f := e.fingerprint
	switch {
	case e.over:
		return append(data, entryOver)
	case f == nil:
		return append(data, entryWithout)
	}
	data = append(data, entryWith)
	for _, n := range []int64{f.Made, f.Began, int64(f.Changed)} {
		data = binary.AppendVarint(data, n)
	}
	data = packTexts(data, f.Before)
	data = packTexts(data, f.Commits)
	data = packTexts(data, f.After)
	data = binary.AppendUvarint(data, uint64(len(f.Files)))
	for _, file := range f.Files {
		data = packText(packText(data, file.Path), file.Blob)
		data = binary.AppendVarint(data, int64(file.All))
		data = binary.AppendUvarint(data, uint64(len(file.Lines)))
		for _, line := range file.Lines {
			data = binary.LittleEndian.AppendUint32(data, uint32(line))
		}
	}
	return data
}

func packText[T ~string](data []byte, text T) []byte {
	return append(binary.AppendUvarint(data, uint64(len(text))), text...)
}

func packTexts[T ~string](data []byte, all []T) []byte {
	data = binary.AppendUvarint(data, uint64(len(all)))
	for _, text := range all {
		data = packText(data, text)
	}
	return data
}

// headOf reads an entry without its fingerprint.
func headOf(value []byte) (e indexEntry, err error) {
	r := entryReader{rest: value}
	e.dir = text[gitexec.OID](&r)
	e.over = r.take(1)[0] == entryOver
	return e, r.err
}

// entryIn reads the entry of a checkpoint. Its error is that of an index that is damaged.
func entryIn(id string, value []byte) (e indexEntry, err error) {
	r := entryReader{rest: value}
	e.dir = text[gitexec.OID](&r)
	switch r.take(1)[0] {
	case entryOver:
		e.over = true
	case entryWith:
		f := lineage.Checkpoint{ID: id, Made: r.number(), Began: r.number(), Changed: int(r.number()),
			Before: texts[string](&r), Commits: texts[gitexec.OID](&r), After: texts[gitexec.OID](&r)}
		f.Files = list[lineage.File](&r, leastFile)
		for i := range f.Files {
			f.Files[i] = lineage.File{Path: text[gitexec.Path](&r), Blob: text[gitexec.OID](&r), All: int(r.number()), Lines: r.lines()}
		}
		e.fingerprint = &f
	}
	if len(r.rest) > 0 {
		r.damaged()
	}
	return e, r.err
}

// leastFile is how many bytes a file has in an entry, at least: one for each of its four values. A
// count of files that needs more than is left is damage, before memory is taken for it.
const leastFile = 4

// entryReader reads what pack wrote, or zeros after an error.
type entryReader struct {
	rest []byte
	err  error
}

func (r *entryReader) damaged() { r.rest, r.err = nil, index.ErrDamaged }

// take is the next bytes.
func (r *entryReader) take(n int) []byte {
	if n > len(r.rest) {
		r.damaged()
		// Zeros, so that no caller has to ask for an error each time.
		return make([]byte, n)
	}
	taken := r.rest[:n]
	r.rest = r.rest[n:]
	return taken
}

func (r *entryReader) number() int64 {
	n, size := binary.Varint(r.rest)
	if size <= 0 {
		r.damaged()
		return 0
	}
	r.rest = r.rest[size:]
	return n
}

// count is how many values follow, each of so many bytes at least.
func (r *entryReader) count(least int) int {
	n, size := binary.Uvarint(r.rest)
	// A damaged number must not make a list of gigabytes.
	if size <= 0 || n > uint64((len(r.rest)-size)/least) {
		r.damaged()
		return 0
	}
	r.rest = r.rest[size:]
	return int(n)
}

// list is one for the values that follow, each of so many bytes at least; nil where there are none.
func list[T any](r *entryReader, least int) []T {
	n := r.count(least)
	return slices.Grow([]T(nil), n)[:n]
}

func (r *entryReader) lines() []lineage.Line {
	lines := list[lineage.Line](r, 4)
	for i := range lines {
		lines[i] = lineage.Line(binary.LittleEndian.Uint32(r.take(4)))
	}
	return lines
}

func text[T ~string](r *entryReader) T { return T(r.take(r.count(1))) }

func texts[T ~string](r *entryReader) []T {
	all := list[T](r, 1)
	for i := range all {
		all[i] = text[T](r)
	}
	return all
}
