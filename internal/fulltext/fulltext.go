// Package fulltext finds texts by words in them: it keeps them, and which words they have, in an
// index of values by keys.
package fulltext

// Texts belong to units, which are added and removed as a whole. They are kept in compressed
// blocks of some kilobytes. Of each word a dictionary says which blocks have it; a search reads
// those blocks alone, the latest first, and looks into the texts. The index has these keys:
//
//	next            the numbers of the next block, unit and dictionary
//	u/NAME          a unit: its number, first block, number of blocks, and what the caller says of it
//	n/UNIT          the name of a unit
//	m/GROUP         of each block in a group of them: its unit, and the times of its texts
//	t/BLOCK         a block of texts
//	v/DICTIONARY    the number of pages of a dictionary, and of words in it
//	w/DICTIONARY PAGE   some of its words, sorted, each with a newline before and after it
//	p/DICTIONARY PAGE   the blocks that have each of them
//
// Numbers in keys have four bytes, the most significant one first.

import (
	"encoding/binary"
	"time"

	"entire-plumb/internal/index"
)

const (
	keyNext   = "next"
	keyUnit   = "u/"
	keyName   = "n/"
	keyTimes  = "m/"
	keyBlock  = "t/"
	keyVolume = "v/"
	keyWords  = "w/"
	keyPlaces = "p/"
)

// Form changes with the keys and values.
const Form = "1"

// Doc is one text. Its time is kept to the millisecond.
type Doc struct {
	Kind  byte
	Aside bool // the caller's
	Turn  int
	When  time.Time
	Text  string
}

// Texts are the texts in an index.
type Texts struct {
	x       *index.Index
	block   uint32 // the next one; the first is 1, as for units and volumes
	unit    uint32
	volume  uint32
	build   *builder
	dead    []uint32 // blocks that were removed
	times   map[uint32]group
	written []byte // scratch
	fault   error
}

// Of are the texts in an index, of which the caller sees to what it has it made from.
func Of(x *index.Index) *Texts {
	t := &Texts{x: x, block: 1, unit: 1, volume: 1, build: newBuilder(), times: map[uint32]group{}}
	if value := x.Get(keyNext); len(value) == 12 {
		t.block, t.unit, t.volume = binary.BigEndian.Uint32(value), binary.BigEndian.Uint32(value[4:]), binary.BigEndian.Uint32(value[8:])
	} else if value != nil {
		t.fault = index.ErrDamaged
	}
	return t
}

func key(prefix string, n uint32) string {
	return string(binary.BigEndian.AppendUint32([]byte(prefix), n))
}

func pageKey(prefix string, volume, page uint32) string {
	return string(binary.BigEndian.AppendUint32([]byte(key(prefix, volume)), page))
}

// unitOf is the value of a unit.
type unitOf struct {
	number, first, blocks uint32
	about                 []byte
}

func (u unitOf) pack() []byte {
	b := binary.AppendUvarint(nil, uint64(u.number))
	b = binary.AppendUvarint(b, uint64(u.first))
	b = binary.AppendUvarint(b, uint64(u.blocks))
	return append(b, u.about...)
}

func unitIn(value []byte) (u unitOf, ok bool) {
	for _, to := range []*uint32{&u.number, &u.first, &u.blocks} {
		n, size := binary.Uvarint(value)
		if size <= 0 || n > 1<<32-1 {
			return u, false
		}
		*to, value = uint32(n), value[size:]
	}
	u.about = value
	return u, true
}

// Has reports whether there is a unit, and what was said of it when it was put there; that is valid
// until the next call.
func (t *Texts) Has(name string) (about []byte, ok bool) {
	u, ok := t.get(name)
	return u.about, ok
}

func (t *Texts) get(name string) (u unitOf, ok bool) {
	value := t.x.Get(keyUnit + name)
	if value == nil {
		return u, false
	}
	if u, ok = unitIn(value); !ok {
		t.fault = index.ErrDamaged
	}
	return u, ok
}

// Put adds a unit with its texts, in their order. One of that name must not be there.
func (t *Texts) Put(name string, about []byte, docs []Doc) {
	u := unitOf{number: t.unit, first: t.block, about: about}
	t.unit++
	for len(docs) > 0 {
		n, size := 0, 0
		// At least one: a text is never divided.
		for n < len(docs) && (n == 0 || size+len(docs[n].Text) <= blockSize) {
			size += len(docs[n].Text)
			n++
		}
		t.putBlock(u.number, docs[:n])
		docs = docs[n:]
		u.blocks++
	}
	t.x.Put(keyUnit+name, u.pack())
	t.x.Put(key(keyName, u.number), []byte(name))
}

func (t *Texts) putBlock(unit uint32, docs []Doc) {
	n := t.block
	t.block++
	t.written = packBlock(t.written[:0], docs)
	t.x.Put(key(keyBlock, n), compressed(t.written))
	span := span{unit: unit, from: docs[0].When.UnixMilli(), to: docs[0].When.UnixMilli()}
	for _, d := range docs {
		span.from, span.to = min(span.from, d.When.UnixMilli()), max(span.to, d.When.UnixMilli())
		t.build.add(d.Text, n)
	}
	t.setSpan(n, span)
	if t.build.full() {
		t.putVolume()
	}
}

// Remove removes a unit.
func (t *Texts) Remove(name string) {
	u, ok := t.get(name)
	if !ok {
		return
	}
	for i := range u.blocks {
		t.x.Delete(key(keyBlock, u.first+i))
		// Numbers of blocks are not given again: dictionaries may still name this one, and find
		// that it is gone.
		t.setSpan(u.first+i, span{})
		t.dead = append(t.dead, u.first+i)
	}
	t.x.Delete(keyUnit + name)
	t.x.Delete(key(keyName, u.number))
}

// Finish writes what belongs to the texts that were put and removed. forget: no word of those that
// were removed is left in a file once the index is saved.
func (t *Texts) Finish(forget bool) error {
	t.putVolume()
	// Else the words of removed texts stay in the dictionaries until these are put together: to
	// write all of them anew takes long.
	if forget && len(t.dead) > 0 {
		t.forget()
		t.x.Rewrite()
	}
	t.fold()
	for n, g := range t.times {
		t.x.Put(key(keyTimes, n), g.pack())
	}
	b := binary.BigEndian.AppendUint32(nil, t.block)
	b = binary.BigEndian.AppendUint32(b, t.unit)
	t.x.Put(keyNext, binary.BigEndian.AppendUint32(b, t.volume))
	t.times, t.dead = map[uint32]group{}, nil
	return t.Err()
}

// Err is the first error of reading.
func (t *Texts) Err() error {
	if t.fault != nil {
		return t.fault
	}
	return t.x.Err()
}
