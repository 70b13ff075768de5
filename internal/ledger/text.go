package ledger

import (
	"bytes"
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
	ids   map[string]ID
	lines []line // by ID
	names map[string]int32
}

// line is what is known of a line, whatever its white space is.
type line struct {
	text   string  // as it was seen first
	weight int8    // -1: not known yet
	words  []int32 // nil: not split yet
}

func newLexicon() *lexicon {
	return &lexicon{ids: map[string]ID{"": 0}, lines: make([]line, 1), names: map[string]int32{}}
}

// id is that of a line.
func (x *lexicon) id(text []byte) ID {
	var room [256]byte
	norm := appendNorm(room[:0], text)
	if id, known := x.ids[string(norm)]; known {
		return id
	}
	id := ID(len(x.lines))
	x.ids[string(norm)] = id
	x.lines = append(x.lines, line{text: string(text), weight: -1})
	return id
}

// appendNorm appends a line without its white space.
func appendNorm(to, text []byte) []byte {
	for i := 0; i < len(text); {
		c := text[i]
		if c < utf8.RuneSelf {
			if c > ' ' {
				to = append(to, c)
			}
			i++
			continue
		}
		r, size := utf8.DecodeRune(text[i:])
		if !unicode.IsSpace(r) && r != '\uFEFF' {
			to = append(to, text[i:i+size]...)
		}
		i += size
	}
	return to
}

// text splits a version into lines. Those at its beginning and at its end that it has in common
// with another version, like, are looked up there: most versions differ little.
func (x *lexicon) text(data []byte, like []byte, of Text) Text {
	if len(data) == 0 {
		return Text{}
	}
	first, lines := sameStart(data, like) // bytes and lines in common
	end, last := sameEnd(data[first:], like[first:])
	text := append(make(Text, 0, len(of)), of[:lines]...)
	for rest := data[first : len(data)-end]; len(rest) > 0; {
		line, after, _ := bytes.Cut(rest, []byte("\n"))
		text, rest = append(text, x.id(line)), after
	}
	return append(text, of[len(of)-last:]...)
}

// sameStart counts the bytes and the whole lines that two texts begin with.
func sameStart(a, b []byte) (size, lines int) {
	n := min(len(a), len(b))
	at := 0
	for at < n && a[at] == b[at] {
		if a[at] == '\n' {
			size, lines = at+1, lines+1
		}
		at++
	}
	return size, lines
}

// sameEnd counts the bytes and the whole lines that two texts end with.
func sameEnd(a, b []byte) (size, lines int) {
	n := min(len(a), len(b))
	at := 0
	for at < n && a[len(a)-1-at] == b[len(b)-1-at] {
		if at++; at < n && a[len(a)-1-at] == '\n' && b[len(b)-1-at] == '\n' {
			size, lines = at, lines+1
		}
	}
	return size, lines
}

// words are those of a line: see splitWords.
func (x *lexicon) words(id ID) []int32 {
	l := &x.lines[id]
	if l.words == nil {
		l.words = []int32{}
		for _, word := range splitWords(l.text) {
			l.words = append(l.words, x.name(word))
		}
	}
	return l.words
}

// nextWord cuts the first word from a text; ok is false where it is none.
func nextWord(text string) (word, rest string, ok bool) {
	r, size := utf8.DecodeRuneInString(text)
	if !isWord(r) {
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
		l.weight = int8(Weight(l.text))
	}
	return int(l.weight)
}
