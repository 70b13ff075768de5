package fulltext

import (
	"encoding/binary"

	"entire-plumb/internal/index"
)

// span is what is known of a block without reading it: its unit, and the times of its first and
// its last text, in milliseconds. unit 0: there is no such block any more.
type span struct {
	unit     uint32
	from, to int64
}

// groupSize is how many blocks have their spans in one value.
const groupSize = 256

const spanSize = 4 + 8 + 8

// group are the spans of blocks with successive numbers.
type group []span

func (g group) pack() []byte {
	b := make([]byte, 0, len(g)*spanSize)
	for _, s := range g {
		b = binary.BigEndian.AppendUint32(b, s.unit)
		b = binary.BigEndian.AppendUint64(b, uint64(s.from))
		b = binary.BigEndian.AppendUint64(b, uint64(s.to))
	}
	return b
}

func groupIn(value []byte) (g group, err error) {
	if len(value)%spanSize != 0 || len(value) > groupSize*spanSize {
		return nil, index.ErrDamaged
	}
	for ; len(value) > 0; value = value[spanSize:] {
		g = append(g, span{binary.BigEndian.Uint32(value), int64(binary.BigEndian.Uint64(value[4:])), int64(binary.BigEndian.Uint64(value[12:]))})
	}
	return g, nil
}

// setSpan sets what is known of a block. It is written at the end.
func (t *Texts) setSpan(block uint32, s span) {
	n := block / groupSize
	g, read := t.times[n]
	if !read {
		var err error
		if g, err = groupIn(t.x.Get(key(keyTimes, n))); err != nil {
			t.fault = err
		}
	}
	for uint32(len(g)) <= block%groupSize {
		g = append(g, span{})
	}
	g[block%groupSize] = s
	t.times[n] = g
}

// spans are those of all blocks, by their numbers.
func (t *Texts) spans() ([]span, error) {
	all := make([]span, t.block)
	for name, value := range t.x.Scan(keyTimes) {
		if len(name) != len(keyTimes)+4 {
			return nil, index.ErrDamaged
		}
		g, err := groupIn(value)
		first := int(binary.BigEndian.Uint32([]byte(name[len(keyTimes):]))) * groupSize
		// The blocks that the index says it has: a group beyond these is not as it was written.
		if err != nil || first+len(g) > len(all) {
			return nil, index.ErrDamaged
		}
		copy(all[first:], g)
	}
	return all, t.Err()
}
