// Package index is a cache for readers: values by sorted keys, in a few files that never change
// once they are written.
package index

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"entire-plumb/internal/lock"
	"entire-plumb/internal/safefile"
)

// Index is an index, as it was opened, with what was put into it since. A file that is damaged or
// missing is an error of Err, after which the answers are worth nothing.
type Index struct {
	State []byte // what the values were made from, as the caller says it; nil: nothing is in the index

	dir      string
	form     string
	segments []*segment // oldest first
	new      map[string][]byte
	size     int // bytes of new
	whole    bool
	stored   manifest
	err      error
}

// manifest is the file that names the segments.
type manifest struct {
	Form     string   `json:"form"`
	State    []byte   `json:"state"`
	Segments []string `json:"segments"` // oldest first
}

const (
	manifestFile  = "manifest"
	segmentSuffix = ".segment"
	mostManifest  = 16 << 20
	mostSegments  = 64
)

// Open opens the index of a directory. One that is missing, damaged, or of another form is empty.
// Nothing is written before Save.
func Open(dir, form string) *Index {
	x := &Index{dir: dir, form: form, new: map[string][]byte{}}
	// A segment may be replaced by another process between the manifest and it.
	for range 3 {
		m := readManifest(dir)
		x.stored = m // Save replaces it, whatever it has
		// Another version's, or damaged: there are a few segments where each is much larger than
		// all newer ones.
		if m.Form != form || m.State == nil || len(m.Segments) > mostSegments {
			return x
		}
		if segments, err := openAll(dir, m.Segments); err == nil {
			x.State, x.segments = m.State, segments
			return x
		}
	}
	return x
}

// Dirs are the directories of the indexes of a repository: in its own directory of ours, and, where
// recording is not enabled, beside it.
func Dirs(common, ours string) [2]string {
	return [2]string{filepath.Join(ours, "index"), filepath.Join(common, "entire-plumb-index")}
}

// Home is the directory of a repository's indexes. Where recording is not enabled it is not in
// ours, which alone says that it is; once it is, the indexes move there.
func Home(common, ours string) string {
	dirs := Dirs(common, ours)
	if _, err := os.Stat(ours); err != nil {
		return dirs[1]
	}
	_ = os.Rename(dirs[1], dirs[0]) // mostly there is nothing; what cannot be moved is made again
	return dirs[0]
}

// LockFile is the file that those lock who write an index of a home. It is beside that, which may
// be renamed or removed.
func LockFile(home string) string { return home + "-lock" }

// Fingerprints is the directory of the index of fingerprints. It is by itself: hooks write it, and
// don't wait for who makes another one.
func Fingerprints(ours string) string { return filepath.Join(ours, "fingerprints") }

// Remove removes the indexes of a repository. It waits for those who write one.
func Remove(ctx context.Context, common, ours string) error {
	var faults []error
	homes := Dirs(common, ours)
	for _, dir := range append(homes[:], Fingerprints(ours)) {
		// Nothing to remove: no lock file is made where there was none.
		if _, err := os.Lstat(dir); err != nil {
			continue
		}
		unlock, err := lock.Take(ctx, LockFile(dir))
		if err == nil {
			err = os.RemoveAll(dir)
			unlock()
		}
		faults = append(faults, err)
	}
	return errors.Join(faults...)
}

func readManifest(dir string) (m manifest) {
	m, _ = safefile.ReadPrivate[manifest](filepath.Join(dir, manifestFile), mostManifest)
	return m
}

func openAll(dir string, names []string) (all []*segment, err error) {
	for _, name := range names {
		// Base: a manifest must not name a file elsewhere.
		s, err := openSegment(filepath.Join(dir, filepath.Base(name)+segmentSuffix))
		if err != nil {
			closeAll(all)
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

func closeAll(segments []*segment) {
	for _, s := range segments {
		s.file.Close()
	}
}

// Close closes its files.
func (x *Index) Close() { closeAll(x.segments) }

// Err is the first error of reading.
func (x *Index) Err() error { return x.err }

// Clear forgets all values.
func (x *Index) Clear() {
	x.Close()
	x.segments, x.new, x.size, x.State, x.err = nil, map[string][]byte{}, 0, nil, nil
}

// Put sets a value.
func (x *Index) Put(key string, value []byte) {
	if value == nil {
		// nil is what Delete puts there.
		value = []byte{}
	}
	x.put(key, value)
}

// Rewrite has the next Save write all values anew, so that no file has those that were deleted.
func (x *Index) Rewrite() { x.whole = true }

// Delete removes a value.
func (x *Index) Delete(key string) { x.put(key, nil) }

func (x *Index) put(key string, value []byte) {
	x.size += len(key) + len(value)
	x.new[key] = value
}

// Get is the value of a key; nil: there is none. It is valid until the next call.
func (x *Index) Get(key string) []byte {
	if value, known := x.new[key]; known {
		return value
	}
	for _, s := range slices.Backward(x.segments) {
		value, known, err := s.get(key)
		if err != nil {
			x.fail(err)
			return nil
		}
		if known {
			return value
		}
	}
	return nil
}

func (x *Index) fail(err error) { x.err = cmp.Or(x.err, err) }

// Scan passes on the keys with a prefix, sorted, and their values, which are valid until the next
// one.
func (x *Index) Scan(prefix string) iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		scan(x, prefix, func(key, value []byte) bool { return yield(string(key), value) })
	}
}

// Keys is Scan for the keys alone, which are valid until the next one, too: there may be very many.
func (x *Index) Keys(prefix string) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		scan(x, prefix, func(key, _ []byte) bool { return yield(key) })
	}
}

// Any reports whether there is a key with a prefix.
func (x *Index) Any(prefix string) bool {
	for range x.Keys(prefix) {
		return true
	}
	return false
}

func scan(x *Index, prefix string, each func(key, value []byte) bool) {
	var sources []source
	for _, s := range x.segments {
		sources = append(sources, s.from(prefix))
	}
	// The newest last: of equal keys merge passes on that of the last source.
	sources = append(sources, newMemory(x.new, prefix))
	err := merge(sources, func(key, value []byte) bool {
		// The sources begin at the prefix: the first key without it ends the scan. A deleted one is
		// passed over.
		return len(key) >= len(prefix) && string(key[:len(prefix)]) == prefix && (value == nil || each(key, value))
	})
	x.fail(err)
}

// mostInMemory is how many bytes of new values are kept before they are written to a segment.
const mostInMemory = 16 << 20

// Spill writes what was put into the index to a file, if that is much. The file is part of the
// index once Save names it.
func (x *Index) Spill() error {
	if x.size < mostInMemory {
		return nil
	}
	return x.flush()
}

// flush writes the new values to a segment, merged with the last ones where these are small.
func (x *Index) flush() error {
	if len(x.new) == 0 {
		return nil
	}
	sources, size := []source{newMemory(x.new, "")}, int64(x.size)
	first := len(x.segments)
	// From the newest one on, as long as one is not much larger than all that come after it.
	for ; first > 0 && (x.whole || x.segments[first-1].size < ratio*size); first-- {
		size += x.segments[first-1].size
	}
	for _, s := range slices.Backward(x.segments[first:]) {
		sources = append(sources, s.from(""))
	}
	// They were collected from the newest on; merge wants the oldest first.
	slices.Reverse(sources)
	if err := safefile.MkdirAll(x.dir, 0o700); err != nil {
		return err
	}
	// A name that was never there: readers may have others open, and a killed process may have left
	// some.
	file := filepath.Join(x.dir, strconv.FormatUint(rand.Uint64(), 36)+segmentSuffix)
	err := safefile.WriteFrom(file, 0o600, func(f *os.File) error { return writeSegment(f, sources, first == 0) })
	if err != nil {
		return err
	}
	s, err := openSegment(file)
	if err != nil {
		return err
	}
	closeAll(x.segments[first:])
	x.segments, x.new, x.size, x.whole = append(x.segments[:first:first], s), map[string][]byte{}, 0, false
	return nil
}

// ratio is how much larger than all newer segments a segment is, at least: so that there are few,
// and what is written for a few new values is a few times as much.
const ratio = 8

// ErrChanged says that another process has saved the index meanwhile.
var ErrChanged = errors.New("the index was changed by another process")

// Save writes what was put into the index, made from the state. The caller holds a lock that all
// who save hold. Its errors are ErrChanged, and those of writing.
func (x *Index) Save(state []byte) error {
	// An index of another form is replaced, whatever became of it.
	if now := readManifest(x.dir); now.Form == x.form && !slices.Equal(now.Segments, x.stored.Segments) {
		return ErrChanged
	}
	if err := cmp.Or(safefile.MkdirAll(x.dir, 0o700), x.flush()); err != nil { // also of no values
		return err
	}
	m := manifest{Form: x.form, State: state, Segments: []string{}}
	for _, s := range x.segments {
		m.Segments = append(m.Segments, strings.TrimSuffix(filepath.Base(s.name), segmentSuffix))
	}
	// Last: until it is there the index is as it was before.
	if err := safefile.WritePrivate(filepath.Join(x.dir, manifestFile), m); err != nil {
		return err
	}
	x.stored, x.State = m, state
	x.removeOthers()
	return nil
}

// removeOthers removes segments that the manifest no longer names, and what killed processes left.
func (x *Index) removeOthers() {
	for _, file := range safefile.Glob(x.dir, "*"+segmentSuffix) {
		if !slices.Contains(x.stored.Segments, strings.TrimSuffix(filepath.Base(file), segmentSuffix)) {
			os.Remove(file)
		}
	}
	// A younger one may be of a process that is still at work.
	safefile.RemoveUnfinished(filepath.Join(x.dir, manifestFile), time.Now().Add(-time.Hour))
}

// memory are the new values, as a source.
type memory struct {
	values map[string][]byte
	keys   []string
	key    []byte // the last one
}

func newMemory(values map[string][]byte, prefix string) *memory {
	m := &memory{values: values}
	for key := range values {
		if strings.HasPrefix(key, prefix) {
			m.keys = append(m.keys, key)
		}
	}
	slices.Sort(m.keys)
	return m
}

func (m *memory) next() (key, value []byte, ok bool, err error) {
	if len(m.keys) == 0 {
		return nil, nil, false, nil
	}
	m.key = append(m.key[:0], m.keys[0]...)
	m.keys = m.keys[1:]
	return m.key, m.values[string(m.key)], true, nil
}
