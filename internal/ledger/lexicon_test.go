package ledger

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"hash/maphash"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestTextBesideAnother: a text that is read beside another one has the IDs that its lines have by
// themselves, whatever the two have in common.
func TestTextBesideAnother(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	endings := []string{"\n", "\n", "\n", "\r\n", "\n\n", "  \n"}
	text := func(lines []int) []byte {
		var b bytes.Buffer
		for _, n := range lines {
			fmt.Fprintf(&b, "line %d%s", n, endings[n%len(endings)])
		}
		if random.IntN(3) == 0 {
			b.WriteString("the last one has no end")
		}
		return b.Bytes()
	}
	for range 300 {
		var a []int
		for range random.IntN(200) {
			a = append(a, random.IntN(1+random.IntN(300)))
		}
		b := slices.Clone(a)
		for range random.IntN(6) { // lines are replaced, go, come, and move
			at, n := random.IntN(len(b)+1), random.IntN(120)
			end := min(len(b), at+n)
			switch random.IntN(3) {
			case 0:
				b = slices.Delete(b, at, end)
			case 1:
				b = slices.Insert(b, at, slices.Repeat([]int{1000 + n}, n)...)
			default:
				b = append(slices.Delete(slices.Clone(b), at, end), b[at:end]...)
			}
		}
		x, was, now := newLexicon(), text(a), text(b)
		got := x.text(now, was, x.text(was, nil, nil))
		if want := x.text(now, nil, nil); !slices.Equal(got, want) {
			t.Fatalf("%q beside %q: %v, want %v", now, was, got, want)
		}
	}
}

// TestSeek: where nothing is alike, no line is sought in vain for ever.
func TestSeek(t *testing.T) {
	x := newLexicon()
	data := []byte("old\nend\n")
	text := x.text(data, nil, nil)
	for missed, left := range map[int]int{0: 0, mostMissed - 1: 0, mostMissed: 2} {
		a := along{data, text, missed}
		if a.seek(text[1]); len(a.text) != left {
			t.Errorf("after %d lines in vain: %v", missed, a.text)
		}
	}
}

// TestTextBesideAnOlderVersion: of a version that a later one follows the book keeps no text.
func TestTextBesideAnOlderVersion(t *testing.T) {
	b := New()
	first := b.Add("f", "1", []byte("one\ntwo\n"))
	b.Add("f", "2", []byte("three\n"))
	data := []byte("\ntwo\n\nfour\n")
	got := b.Assign("f", "3", data, Step{Nearest: first, Charge: func(int, bool) Owner { return Human }}).Text
	if want := b.lexicon.text(data, nil, nil); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestRoom: lines that are all the same take little room.
func TestRoom(t *testing.T) {
	x := newLexicon()
	if x.text(bytes.Repeat([]byte("\n"), 4*mostExpected), nil, nil); cap(x.lines) > 2*mostExpected {
		t.Errorf("room for %d lines", cap(x.lines))
	}
}

// TestSameHash: two lines with the same hash have two IDs.
func TestSameHash(t *testing.T) {
	x := newLexicon()
	other := x.enter(uint32(maphash.Bytes(x.seed, []byte("line"))), line{text: []byte("other"), weight: -1})
	id := x.id([]byte("line"))
	for n := range 100 { // they keep their IDs when more room is made
		x.id([]byte("line" + strconv.Itoa(n)))
	}
	if id == other || x.id([]byte(" li ne ")) != id {
		t.Errorf("%d beside %d, then %d", id, other, x.id([]byte("line")))
	}
}

// TestKeptLines: the text of a line stays when that of its version changes, however long it is.
func TestKeptLines(t *testing.T) {
	b := New()
	var lines []string
	for _, n := range []int{1, 10, 1_000, 100_000, 3} {
		line := strings.Repeat("x", n)
		data := []byte(line)
		id := b.Text(data)[0]
		data[0] = 'y'
		if lines = append(lines, line); b.Line(id) != line {
			t.Errorf("a line of %d bytes has changed", n)
		}
	}
	for i, line := range lines {
		if b.Line(b.Text([]byte(line))[0]) != line {
			t.Errorf("line %d has changed since", i)
		}
	}
}

// TestTable: a table is zero, and has room for every line.
func TestTable(t *testing.T) {
	b := New()
	for i, text := range []string{"a\nb\na\n", "c\nd\ne\nf\n", "a\n"} {
		ids := b.Text([]byte(text))
		table := b.lexicon.table()
		if len(table) < len(b.lexicon.lines) || slices.ContainsFunc(table, func(n int32) bool { return n != 0 }) {
			t.Errorf("text %d: %v", i, table)
		}
		table.placesOfOnce(ids)
		if i == 0 && (table[ids[0]] != -1 || table[ids[1]] != 2) {
			t.Errorf("%v", table)
		}
		b.lexicon.free(table, ids)
	}
	if len(b.lexicon.unused) != 1 {
		t.Errorf("%d tables", len(b.lexicon.unused))
	}
}

// TestMarkWord: the byte of a word stays, since checkpoints have it.
func TestMarkWord(t *testing.T) {
	for _, word := range []string{"", "a", "compute", "größe", "\xff"} {
		h := fnv.New32a()
		h.Write([]byte("entire-plumb word 1\x00" + word))
		sum := h.Sum32()
		if want := byte(sum ^ sum>>8 ^ sum>>16 ^ sum>>24); markWord(word) != want {
			t.Errorf("%q: %d, want %d", word, markWord(word), want)
		}
	}
}
