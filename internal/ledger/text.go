package ledger

import (
	"bytes"
	"hash/maphash"
	"math/bits"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text is the lines of a version: an ID each. Lines with the same ID differ in white space only.
type Text []ID

// ID names a line without its white space. A blank line has the ID 0.
type ID int32

// lexicon gives lines their IDs.
type lexicon struct {
	seed    maphash.Seed
	ids     []hashed  // by the last bits of a line's hash, or the next place that is free
	lines   []line    // by ID
	inWords [][]int32 // by ID, as far as lines are split: see words
	room    []byte    // of the latest lines' texts
	names   map[string]int32
	unused  []table
}

// line is what is known of a line, whatever its white space is.
type line struct {
	text   []byte // as it was seen first
	weight int8   // -1: not known yet
}

// hashed is a line's ID, and the hash of it without its white space. 0: no line's.
type hashed struct {
	hash uint32
	id   ID
}

func newLexicon() *lexicon {
	return &lexicon{seed: maphash.MakeSeed(), ids: make([]hashed, 16), lines: make([]line, 1), names: map[string]int32{}}
}

// id is that of a line.
func (x *lexicon) id(text []byte) ID {
	var room, room2 [256]byte
	// Most lines fit into the arrays, so that nothing is allocated for a line that is known.
	norm := appendNorm(room[:0], text)
	if len(norm) == 0 {
		return 0
	}
	hash := uint32(maphash.Bytes(x.seed, norm))
	at, id := x.find(hash, int(hash))
	for ; id != 0; at, id = x.find(hash, at+1) {
		// Two lines may have the same hash of 32 bits: the texts decide. The search goes on at the
		// next place.
		if was := x.lines[id].text; bytes.Equal(was, text) || bytes.Equal(appendNorm(room2[:0], was), norm) {
			return id
		}
	}
	return x.enter(hash, line{text: x.keep(text), weight: -1})
}

// find is a line with a hash, at a place or after it; 0: none.
func (x *lexicon) find(hash uint32, from int) (at int, id ID) {
	for at = from; ; at++ {
		// There is always a free place: enter keeps the table at most half full. Its length is a
		// power of two.
		if l := x.ids[at&(len(x.ids)-1)]; l.id == 0 || l.hash == hash {
			return at, l.id
		}
	}
}

// enter gives a line that is not known an ID.
func (x *lexicon) enter(hash uint32, l line) ID {
	if 2*len(x.lines) >= len(x.ids) {
		x.makeRoom(2 * len(x.lines))
	}
	id := ID(len(x.lines))
	x.lines = append(x.lines, l)
	x.place(hashed{hash, id})
	return id
}

// makeRoom makes room for so many lines.
func (x *lexicon) makeRoom(n int) {
	x.lines = slices.Grow(x.lines, n-len(x.lines))
	was := x.ids
	x.ids = make([]hashed, 1<<bits.Len(uint(2*n)))
	for _, l := range was {
		if l.id != 0 {
			x.place(l)
		}
	}
}

func (x *lexicon) place(l hashed) {
	at := int(l.hash)
	for x.ids[at&(len(x.ids)-1)].id != 0 {
		at++
	}
	x.ids[at&(len(x.ids)-1)] = l
}

// keep copies a text: the version that has it may be large.
func (x *lexicon) keep(text []byte) []byte {
	// Texts are copied into shared blocks that double up to a limit: an allocation for each line is
	// slow.
	const least, most = 1 << 10, 64 << 10
	if cap(x.room)-len(x.room) < len(text) {
		x.room = make([]byte, 0, max(least, min(2*cap(x.room), most), len(text)))
	}
	begin := len(x.room)
	x.room = append(x.room, text...)
	// With its capacity cut, so that an append never writes into the next text.
	return x.room[begin:len(x.room):len(x.room)]
}

// appendNorm appends a line without its white space.
func appendNorm(to, text []byte) []byte {
	for i := 0; i < len(text); {
		c := text[i]
		// Control characters go as well, such as the CR of a line that ends with CRLF.
		if c < utf8.RuneSelf {
			if c > ' ' {
				to = append(to, c)
			}
			i++
			continue
		}
		r, size := utf8.DecodeRune(text[i:])
		// U+FEFF is the byte order mark that some editors put at the head of a file.
		if !unicode.IsSpace(r) && r != '\uFEFF' {
			to = append(to, text[i:i+size]...)
		}
		i += size
	}
	return to
}

// mostExpected is for how many lines there is room before they are read: a file of 200,000 lines is
// read without making more on the way. All may be the same, and then the room, of 16 MB, is in
// vain: so there is no more.
const mostExpected = 1 << 18

// text splits a version into lines, some of which stand in another one, like, that has the text of.
// Most versions differ little: only what differs is looked up.
func (x *lexicon) text(data []byte, like []byte, of Text) Text {
	// Only the first of similar versions brings many new lines: room is made when there is no
	// version beside it.
	n := bytes.Count(data, []byte("\n")) + 1
	if room := len(x.lines) + min(n, mostExpected); len(like) == 0 && room > cap(x.lines) {
		x.makeRoom(max(room, 2*len(x.lines)))
	}
	// The common beginning needs no search of its own: the loop goes along both texts, line by
	// line.
	end, last := sameEnd(data, like) // bytes and lines in common
	text := make(Text, 0, n)
	beside := along{like[:len(like)-end], of[:len(of)-last], 0}
	for rest := data[:len(data)-end]; len(rest) > 0; {
		line, after, _ := bytes.Cut(rest, []byte("\n"))
		id, same := beside.is(line)
		if !same {
			id = x.id(line)
			beside.seek(id)
		}
		text, rest = append(text, id), after
	}
	return append(text, of[len(of)-last:]...)
}

// along is what is left of a version beside which another one is read.
type along struct {
	data   []byte
	text   Text
	missed int // lines in a row that it hasn't
}

// Limits of the search for a line that the other version has: among how many of its next lines, and
// how often in vain. They change the time alone, since a line that isn't found so is found by its
// hash: the stop after an edit in a file of 200,000 lines went from 650 ms to 210 when lines were
// read beside the version before.
const mostAhead, mostMissed = 64, 1000

// is reports whether the next line is this one, and goes on after it.
func (a *along) is(line []byte) (id ID, same bool) {
	if len(a.text) == 0 || len(a.data) < len(line) || !bytes.Equal(a.data[:len(line)], line) || len(a.data) > len(line) && a.data[len(line)] != '\n' {
		return 0, false
	}
	id, a.text, a.missed = a.text[0], a.text[1:], 0
	a.data = a.data[min(len(line)+1, len(a.data)):]
	return id, true
}

// seek goes on after one of the next lines that has an ID, if there is one.
func (a *along) seek(id ID) {
	// The two have little in common: to seek each line among 64 others would take longer than its
	// hash.
	if a.missed++; a.missed > mostMissed {
		return
	}
	at := slices.Index(a.text[:min(len(a.text), mostAhead)], id)
	// All lines up to the one that was found are passed: at is -1 where there is none.
	for ; at >= 0; at-- {
		_, a.data, _ = bytes.Cut(a.data, []byte("\n"))
		a.text, a.missed = a.text[1:], 0
	}
}

// sameEnd counts the bytes and the whole lines that two texts end with.
func sameEnd(a, b []byte) (size, lines int) {
	n := min(len(a), len(b))
	at := 0
	for at < n && a[len(a)-1-at] == b[len(b)-1-at] {
		// A line counts once the break before it is the same in both: the first line of the shorter
		// text doesn't.
		if at++; at < n && a[len(a)-1-at] == '\n' && b[len(b)-1-at] == '\n' {
			size, lines = at, lines+1
		}
	}
	return size, lines
}

// words are those of a line: see splitWords.
func (x *lexicon) words(id ID) []int32 {
	// Lines are split on demand only: most are never compared by words. nil is not split, empty is
	// without words.
	if missing := len(x.lines) - len(x.inWords); missing > 0 {
		x.inWords = append(x.inWords, make([][]int32, missing)...)
	}
	if x.inWords[id] == nil {
		words := []int32{}
		for _, word := range splitWords(string(x.lines[id].text)) {
			words = append(words, x.name(word))
		}
		x.inWords[id] = words
	}
	return x.inWords[id]
}

// nextWord cuts the first word from a text; ok is false where it is none.
func nextWord(text string) (word, rest string, ok bool) {
	r, size := utf8.DecodeRuneInString(text)
	if !isWord(r) {
		// Formatters add and take away commas, semicolons, brackets and quotes. Operators stay:
		// `a + b` is not `a - b`.
		return text[:size], text[size:], !unicode.IsSpace(r) && !strings.ContainsRune(",;(){}[]\"'`", r)
	}
	end := strings.IndexFunc(text, func(r rune) bool { return !isWord(r) })
	if end < 0 {
		end = len(text)
	}
	return text[:end], text[end:], true
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' }

func (x *lexicon) name(word string) int32 {
	id, known := x.names[word]
	if !known {
		id = int32(len(x.names))
		x.names[strings.Clone(word)] = id
	}
	return id
}

// weightless reports whether it is no evidence at all, as a brace, or `return nil, err`.
func (x *lexicon) weightless(id ID) bool { return x.weight(id) == 0 }

func (x *lexicon) weight(id ID) int {
	l := &x.lines[id]
	if l.weight < 0 {
		l.weight = int8(Weight(string(l.text)))
	}
	return int(l.weight)
}
