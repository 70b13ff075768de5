package fulltext

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"maps"
	"slices"

	"entire-plumb/internal/index"
)

// A dictionary, or volume, has the words of some blocks. One is written for what is put into the
// index together, and put together with the last ones where these are small.
const (
	mostWords  = 1 << 20  // of one that is still in memory
	mostPlaces = 48 << 20 // bytes
	ratio      = 6        // how much larger than all later ones one is, at least
	pageSize   = 32 << 10 // of words
)

// builder is a dictionary that is being made: of each word the blocks that have it, as differences,
// in ascending order.
type builder struct {
	number map[string]int32 // of words
	places []places
	size   int // of all differences
	first  uint32
	text   []byte
}

type places struct {
	last  uint32
	bytes []byte
}

func newBuilder() *builder { return &builder{number: map[string]int32{}} }

func (b *builder) full() bool { return len(b.places) >= mostWords || b.size >= mostPlaces }

// add adds the words of a text in a block, which is the last one so far.
func (b *builder) add(text string, block uint32) {
	b.text = AppendFolded(b.text[:0], text)
	eachWord(b.text, func(word []byte) { b.put(word, block) })
}

func (b *builder) put(word []byte, block uint32) {
	if len(b.places) == 0 {
		b.first = block
	}
	// rebuild adds words by the alphabet, and so blocks in any order.
	b.first = min(b.first, block)
	n, known := b.number[string(word)]
	if !known {
		n = int32(len(b.places))
		b.number[string(word)] = n
		b.places = append(b.places, places{})
	}
	p := &b.places[n]
	// A word is often there many times: the last block is the one that is being added.
	if p.last == block {
		return
	}
	before := len(p.bytes)
	p.bytes = binary.AppendUvarint(p.bytes, uint64(block-p.last))
	b.size += len(p.bytes) - before
	p.last = block
}

// putVolume writes the dictionary that is being made, and begins another one.
func (t *Texts) putVolume() {
	b := t.build
	if len(b.places) == 0 {
		return
	}
	t.build = newBuilder()
	pages := uint32(0)
	words, places := []byte{'\n'}, []byte(nil)
	end := func() {
		t.x.Put(pageKey(keyWords, t.volume, pages), words)
		t.x.Put(pageKey(keyPlaces, t.volume, pages), places)
		words, places = []byte{'\n'}, nil
		pages++
	}
	for _, word := range slices.Sorted(maps.Keys(b.number)) {
		words = append(append(words, word...), '\n')
		of := b.places[b.number[word]].bytes
		places = append(binary.AppendUvarint(places, uint64(len(of))), of...)
		if len(words) >= pageSize {
			end()
		}
	}
	if len(words) > 1 {
		end()
	}
	t.x.Put(key(keyVolume, t.volume), volume{pages: pages, size: uint32(b.size), first: b.first}.pack())
	t.volume++
}

// volume is a dictionary in the index.
type volume struct {
	number, pages, size uint32
	first               uint32 // of its blocks
}

func (v volume) pack() (b []byte) {
	for _, n := range []uint32{v.pages, v.size, v.first} {
		b = binary.BigEndian.AppendUint32(b, n)
	}
	return b
}

// volumes are the dictionaries, in the order of their blocks: those of one come before all of the
// next one.
func (t *Texts) volumes() (all []volume) {
	for name, value := range t.x.Scan(keyVolume) {
		if len(name) != len(keyVolume)+4 || len(value) != 12 {
			t.fault = index.ErrDamaged
			return nil
		}
		all = append(all, volume{number: binary.BigEndian.Uint32([]byte(name[len(keyVolume):])), pages: binary.BigEndian.Uint32(value),
			size: binary.BigEndian.Uint32(value[4:]), first: binary.BigEndian.Uint32(value[8:])})
	}
	slices.SortFunc(all, func(a, b volume) int { return cmp.Compare(a.first, b.first) })
	return all
}

// fold puts the last dictionaries together where they are small beside later ones.
func (t *Texts) fold() {
	all := t.volumes()
	size, first := uint32(0), len(all)
	// As segments of an index: so there are few dictionaries to search, and a small update rewrites
	// small ones.
	for first > 0 && (first == len(all) || all[first-1].size < ratio*size) && size+all[first-1].size < mostPlaces/2 {
		first--
		size += all[first].size
	}
	if len(all)-first > 1 {
		t.rebuild(all[first:], nil)
	}
}

// forget writes the dictionaries of blocks that were removed without these.
func (t *Texts) forget() {
	dead := bitset{}
	for _, n := range t.dead {
		dead.set(n)
	}
	for _, v := range t.volumes() {
		// The others have no word of what was removed.
		if t.mentions(v, dead) {
			t.rebuild([]volume{v}, dead)
		}
	}
}

// mentions reports whether a dictionary has one of some blocks.
func (t *Texts) mentions(v volume, some bitset) bool {
	found := false
	t.eachWordOf(v, func(_ []byte, of []byte) {
		found = found || slices.ContainsFunc(t.places(of), some.has)
	})
	return found
}

// rebuild replaces dictionaries by one, without some blocks. They come to one that fits into
// memory.
func (t *Texts) rebuild(some []volume, without bitset) {
	for _, v := range some {
		t.eachWordOf(v, func(word []byte, of []byte) {
			for _, n := range t.places(of) {
				if !without.has(n) {
					t.build.put(word, n)
				}
			}
		})
	}
	for _, v := range some {
		for page := range v.pages {
			t.x.Delete(pageKey(keyWords, v.number, page))
			t.x.Delete(pageKey(keyPlaces, v.number, page))
		}
		t.x.Delete(key(keyVolume, v.number))
	}
	t.putVolume()
}

// eachWordOf passes on the words of a dictionary, with the blocks of each.
func (t *Texts) eachWordOf(v volume, each func(word, places []byte)) {
	for page := range v.pages {
		words := bytes.Clone(t.x.Get(pageKey(keyWords, v.number, page)))
		lists, err := splitPlaces(t.x.Get(pageKey(keyPlaces, v.number, page)))
		if err != nil || len(words) == 0 || bytes.Count(words, newline) != len(lists)+1 {
			t.fault = index.ErrDamaged
			return
		}
		words = words[1:]
		for _, list := range lists {
			n := bytes.IndexByte(words, '\n')
			each(words[:n], list)
			words = words[n+1:]
		}
	}
}

// splitPlaces are the lists of blocks of a page, one for each of its words.
func splitPlaces(page []byte) (lists [][]byte, err error) {
	for len(page) > 0 {
		n, size := binary.Uvarint(page)
		if size <= 0 || n > uint64(len(page)-size) {
			return nil, index.ErrDamaged
		}
		lists, page = append(lists, page[size:size+int(n)]), page[size+int(n):]
	}
	return lists, nil
}

// places are the blocks in a list.
func (t *Texts) places(list []byte) (all []uint32) {
	last := uint64(0)
	for len(list) > 0 {
		n, size := binary.Uvarint(list)
		if last += n; size <= 0 || last >= uint64(t.block) || n == 0 {
			t.fault = index.ErrDamaged
			return nil
		}
		all, list = append(all, uint32(last)), list[size:]
	}
	return all
}

// bitset are numbers.
type bitset []uint64

func (s *bitset) set(n uint32) {
	for int(n/64) >= len(*s) {
		*s = append(*s, 0)
	}
	(*s)[n/64] |= 1 << (n % 64)
}

func (s bitset) has(n uint32) bool { return int(n/64) < len(s) && s[n/64]&(1<<(n%64)) != 0 }

// and leaves the numbers that another one has, too.
func (s bitset) and(o bitset) bitset {
	s = s[:min(len(s), len(o))]
	for i := range s {
		s[i] &= o[i]
	}
	return s
}

// or adds those that another one has.
func (s bitset) or(o bitset) bitset {
	if len(s) < len(o) {
		s, o = o, s
	}
	for i := range o {
		s[i] |= o[i]
	}
	return s
}
