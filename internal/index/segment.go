package index

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"slices"
	"sort"

	"entire-plumb/internal/safefile"
)

// A segment is a file of blocks: each has the sorted entries of some keys, and the checksum of
// them. The blocks are followed by their table (the first key, place and length of each), and that
// by a footer of fixed size.
//
//	entry   shared, rest, value+1: uvarints; the rest of the key; the value
//	        shared: bytes that the key has in common with the one before it in the block;
//	        value+1: the length of the value, plus 1; 0: the key is deleted
//	table   length of the key: uvarint; key; place, length: uvarints
//	footer  place, length and checksum of the table, magic: 8, 8, 4 and 8 bytes
type segment struct {
	name   string
	file   *os.File
	size   int64
	blocks []block
}

type block struct {
	first         string
	place, length uint64 // with its checksum
}

const (
	blockSize  = 16 << 10
	footerSize = 8 + 8 + 4 + 8
	checkSize  = 4
	mostTable  = 1 << 30
	magic      = "EPINDEX1"
)

// ErrDamaged is the error of a file that is not as it was written.
var ErrDamaged = errors.New("the index is damaged")

// checksum is that of a block or a table. Its own table is made when it is first needed: a hook
// needs none.
func checksum(data []byte) uint32 { return crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli)) }

func openSegment(name string) (s *segment, err error) {
	f, err := safefile.OpenOwn(name)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			f.Close()
		}
	}()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	s = &segment{name: name, file: f, size: info.Size()}
	footer := make([]byte, footerSize)
	if s.size < footerSize {
		return nil, ErrDamaged
	}
	if _, err := f.ReadAt(footer, s.size-footerSize); err != nil {
		return nil, err
	}
	place, length := binary.LittleEndian.Uint64(footer), binary.LittleEndian.Uint64(footer[8:])
	end := uint64(s.size) - footerSize
	// The table ends where the footer begins. The order of the conditions keeps the sum from
	// overflowing.
	if string(footer[20:]) != magic || length > mostTable || place > end || place+length != end {
		return nil, ErrDamaged
	}
	table := make([]byte, length)
	if _, err := f.ReadAt(table, int64(place)); err != nil {
		return nil, err
	}
	if checksum(table) != binary.LittleEndian.Uint32(footer[16:]) {
		return nil, ErrDamaged
	}
	s.blocks, err = parseTable(string(table), place)
	return s, err
}

// parseTable reads the table of blocks, which lie one after the other before end.
func parseTable(table string, end uint64) (blocks []block, err error) {
	at := uint64(0)
	rest := []byte(table)
	for len(rest) > 0 {
		n, size := binary.Uvarint(rest)
		if size <= 0 || n > uint64(len(rest)-size) {
			return nil, ErrDamaged
		}
		b := block{first: table[len(table)-len(rest)+size:][:n]}
		rest = rest[size+int(n):]
		for _, to := range []*uint64{&b.place, &b.length} {
			if *to, size = binary.Uvarint(rest); size <= 0 {
				return nil, ErrDamaged
			}
			rest = rest[size:]
		}
		// Blocks lie one after the other, without gaps: what the table says otherwise is damage.
		if b.place != at || b.length < checkSize || b.length > end-at {
			return nil, ErrDamaged
		}
		at += b.length
		blocks = append(blocks, b)
	}
	if at != end {
		return nil, ErrDamaged
	}
	return blocks, nil
}

// read reads a block into the buffer, which grows.
func (s *segment) read(b block, buffer []byte) ([]byte, error) {
	if uint64(cap(buffer)) < b.length {
		buffer = make([]byte, b.length)
	}
	buffer = buffer[:b.length]
	if _, err := s.file.ReadAt(buffer, int64(b.place)); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	data := buffer[:len(buffer)-checkSize]
	if checksum(data) != binary.LittleEndian.Uint32(buffer[len(data):]) {
		return nil, ErrDamaged
	}
	return data, nil
}

// get finds a key; value is nil where it is deleted.
func (s *segment) get(key string) (value []byte, known bool, err error) {
	c := s.from(key)
	found, value, ok, err := c.next()
	return value, ok && string(found) == key, err
}

// from is a source of the entries from a key on.
func (s *segment) from(key string) *cursor {
	// The block before the first one that begins after the key is the only one that may have it.
	n := sort.Search(len(s.blocks), func(i int) bool { return s.blocks[i].first > key })
	return &cursor{s: s, at: max(0, n-1), least: key}
}

// cursor reads the entries of a segment in their order.
type cursor struct {
	s     *segment
	at    int // block
	least string
	block []byte // of the buffer, what is not read yet
	data  []byte
	key   []byte
}

func (c *cursor) next() (key, value []byte, ok bool, err error) {
	for {
		for len(c.block) == 0 {
			if c.at == len(c.s.blocks) {
				return nil, nil, false, nil
			}
			if c.data, err = c.s.read(c.s.blocks[c.at], c.data[:0]); err != nil {
				return nil, nil, false, err
			}
			// Each block begins with a whole key: it can be read without the one before.
			c.block, c.key, c.at = c.data, c.key[:0], c.at+1
		}
		if value, err = c.entry(); err != nil {
			return nil, nil, false, err
		}
		// The block may begin before what is looked for.
		if c.least == "" || string(c.key) >= c.least {
			c.least = ""
			return c.key, value, true, nil
		}
	}
}

// entry reads the next entry of the block: its key becomes the cursor's.
func (c *cursor) entry() (value []byte, err error) {
	var lengths [3]uint64
	for i := range lengths {
		n, size := binary.Uvarint(c.block)
		if size <= 0 {
			return nil, ErrDamaged
		}
		lengths[i], c.block = n, c.block[size:]
	}
	shared, rest, length := lengths[0], lengths[1], lengths[2]
	// A checksum that fits is no proof: whatever the file says, nothing is read beyond the block.
	if shared > uint64(len(c.key)) || rest > uint64(len(c.block)) {
		return nil, ErrDamaged
	}
	c.key = append(c.key[:shared], c.block[:rest]...)
	c.block = c.block[rest:]
	// A deleted key, and not one with an empty value, whose length is stored as 1.
	if length == 0 {
		return nil, nil
	}
	if length--; length > uint64(len(c.block)) {
		return nil, ErrDamaged
	}
	// Without room behind it: who appends to a value must not write into the block.
	value, c.block = c.block[:length:length], c.block[length:]
	return value, nil
}

// source passes on entries in the order of their keys; value is nil where a key is deleted. Both
// are valid until the next one.
type source interface {
	next() (key, value []byte, ok bool, err error)
}

// head is the next entry of a source.
type head struct {
	key, value []byte
	from       source
}

// rest passes on what a source has from its head on, as merge does.
func (h head) rest(each func(key, value []byte) bool) (err error) {
	for ok := true; ok && err == nil && each(h.key, h.value); {
		h.key, h.value, ok, err = h.from.next()
	}
	return err
}

// before passes on what a source has before a key. there: it has more; goesOn: each wants more.
func (h *head) before(key []byte, each func(key, value []byte) bool) (there, goesOn bool, err error) {
	for there = true; there && err == nil && bytes.Compare(h.key, key) < 0; {
		if !each(h.key, h.value) {
			return there, false, nil
		}
		h.key, h.value, there, err = h.from.next()
	}
	return there, true, err
}

// leastBut is the first key of the other heads.
func leastBut(heads []head, but int) (key []byte) {
	for i, h := range heads {
		if i != but && (key == nil || bytes.Compare(h.key, key) < 0) {
			key = h.key
		}
	}
	return key
}

// merge passes on the entries of the sources, oldest first, in the order of their keys, of each key
// the newest one, until each returns false.
func merge(sources []source, each func(key, value []byte) bool) error {
	var heads []head // in the order of the sources
	for _, s := range sources {
		key, value, ok, err := s.next()
		if err != nil {
			return err
		}
		if ok {
			heads = append(heads, head{key, value, s})
		}
	}
	var key []byte // a copy: that of a head changes when its source goes on
	for len(heads) > 0 {
		if len(heads) == 1 { // mostly, and much faster
			return heads[0].rest(each)
		}
		newest := 0
		for i := range heads {
			// Of equal keys the later source wins, which is the newer one.
			if bytes.Compare(heads[i].key, heads[newest].key) <= 0 {
				newest = i
			}
		}
		if next := leastBut(heads, newest); bytes.Compare(heads[newest].key, next) < 0 { // mostly: a new segment has few
			there, goesOn, err := heads[newest].before(next, each)
			if err != nil || !goesOn {
				return err
			}
			if !there {
				heads = slices.Delete(heads, newest, newest+1)
			}
			continue
		}
		key = append(key[:0], heads[newest].key...)
		if !each(key, heads[newest].value) {
			return nil
		}
		kept := heads[:0]
		// All sources go on that have the key: what the older ones have of it is hidden.
		for _, h := range heads {
			if bytes.Equal(h.key, key) {
				var ok bool
				var err error
				if h.key, h.value, ok, err = h.from.next(); err != nil {
					return err
				} else if !ok {
					continue
				}
			}
			kept = append(kept, h)
		}
		heads = kept
	}
	return nil
}

// writeSegment writes the entries of the sources; last: there is no older segment, so that deleted
// keys are not kept.
func writeSegment(f io.Writer, sources []source, last bool) error {
	w := &writer{out: bufio.NewWriterSize(f, 1<<20)}
	err := merge(sources, func(key, value []byte) bool {
		// A deletion hides what older segments have: only in the oldest one it may go.
		if value != nil || !last {
			w.add(key, value)
		}
		return w.err == nil
	})
	if err == nil {
		err = w.finish()
	}
	return err
}

// writer writes a segment.
type writer struct {
	out   *bufio.Writer
	place uint64
	first []byte
	block []byte
	key   []byte // the last one
	table []byte
	err   error
}

func (w *writer) add(key, value []byte) {
	shared := 0
	if len(w.block) == 0 {
		w.first = append(w.first[:0], key...)
	} else {
		for shared < min(len(key), len(w.key)) && key[shared] == w.key[shared] {
			shared++
		}
	}
	w.key = append(w.key[:shared], key[shared:]...)
	length := uint64(0)
	if value != nil {
		length = uint64(len(value)) + 1
	}
	w.block = binary.AppendUvarint(w.block, uint64(shared))
	w.block = binary.AppendUvarint(w.block, uint64(len(key)-shared))
	w.block = binary.AppendUvarint(w.block, length)
	w.block = append(append(w.block, key[shared:]...), value...)
	// After the entry: a long value makes its block longer, and is never divided.
	if len(w.block) >= blockSize {
		w.end()
	}
}

// end ends the block.
func (w *writer) end() {
	w.block = binary.LittleEndian.AppendUint32(w.block, checksum(w.block))
	w.table = binary.AppendUvarint(w.table, uint64(len(w.first)))
	w.table = append(w.table, w.first...)
	w.table = binary.AppendUvarint(w.table, w.place)
	w.table = binary.AppendUvarint(w.table, uint64(len(w.block)))
	w.place += uint64(len(w.block))
	_, err := w.out.Write(w.block)
	w.err = errors.Join(w.err, err)
	w.block = w.block[:0]
}

func (w *writer) finish() error {
	if len(w.block) > 0 {
		w.end()
	}
	footer := binary.LittleEndian.AppendUint64(nil, w.place)
	footer = binary.LittleEndian.AppendUint64(footer, uint64(len(w.table)))
	footer = binary.LittleEndian.AppendUint32(footer, checksum(w.table))
	w.out.Write(w.table)
	w.out.Write(append(footer, magic...))
	return errors.Join(w.err, w.out.Flush())
}
