package ledger

import (
	"math/rand/v2"
	"strings"
)

// Mark is what a fingerprint keeps of a line: a hash of it without white space, and one byte for
// each word, in their order.
type Mark struct {
	Line  uint32
	Light bool   // it weighs nothing
	Words []byte // nil: not known, or too few to be recognised by
}

// Limits of the words of a line that a mark has. Each has one byte: two words are the same as two
// others once in 65,536 times, which happens in a large file, and three once in 16 million. Their
// number must fit into a byte, too (checkpoints.OwnedFile).
const fewestMarked, mostMarked = 3, 250

// MarkWords are the bytes of a line's words; nil: it has too few, or too many. They tell less of a
// line than its hash does.
func MarkWords(line string) (marks []byte) {
	words := splitWords(line)
	if len(words) < fewestMarked || len(words) > mostMarked {
		return nil
	}
	for _, word := range words {
		marks = append(marks, markWord(word))
	}
	return marks
}

var wordSeed = fnv1a(2166136261, "entire-plumb word 1\x00")

// fnv1a goes on with the 32-bit FNV-1a hash of a text: hash/fnv allocates for each word.
func fnv1a(hash uint32, text string) uint32 {
	for i := range len(text) {
		hash = (hash ^ uint32(text[i])) * 16777619
	}
	return hash
}

func markWord(word string) byte {
	sum := fnv1a(wordSeed, word)
	return byte(sum ^ sum>>8 ^ sum>>16 ^ sum>>24)
}

// markKey makes of a mark's hash another one, of each a different one. Others wrote the marks, and
// could choose hashes that have the same place in a table.
type markKey [3]uint32

func newMarkKey() markKey { return markKey{rand.Uint32(), rand.Uint32() | 1, rand.Uint32() | 1} }

func (k markKey) of(hash uint32) uint32 {
	hash = (hash ^ k[0]) * k[1]
	hash = (hash ^ hash>>16) * k[2]
	return hash ^ hash>>15
}

// Recognise finds the lines of a text among those of another version of which marks alone are
// known: by line, where it is there, or -1. hash is that of a line.
func Recognise(known []Mark, lines []string, hash func(line string) uint32) []int {
	// The rules run on a book whose lexicon knows no texts: a line's ID is found by its hash alone,
	// and its words are the bytes of the mark. Lines with the same hash count as the same line.
	b := New()
	x := b.lexicon
	x.inWords = make([][]int32, len(x.lines))
	key := newMarkKey()
	id := func(m Mark, words []int32) ID {
		seeded := key.of(m.Line)
		// The mark that came first says what the line weighs.
		if _, id := x.find(seeded, int(seeded)); id != 0 {
			return id
		}
		// A mark doesn't say how much a line weighs, only whether it does: each one that does is
		// full evidence.
		one := line{weight: Evidence}
		if m.Light {
			one.weight = 0
		}
		// inWords and lines grow together. So words() finds an entry for each ID, and never splits
		// a text.
		x.inWords = append(x.inWords, words)
		return x.enter(seeded, one)
	}
	was := &Version{Blob: "then"}
	for i, m := range known {
		words := []int32{}
		for _, w := range m.Words {
			words = append(words, int32(w))
		}
		was.Text, was.Owners, was.Rules = append(was.Text, id(m, words)), append(was.Owners, FirstTurn+Owner(i)), append(was.Rules, Open)
	}
	now := &Version{Blob: "now"}
	for _, text := range lines {
		words := []int32{}
		for _, w := range splitWords(text) {
			words = append(words, int32(markWord(w)))
		}
		m := Mark{Line: hash(text), Light: Weight(text) == 0}
		now.Text, now.Owners, now.Rules = append(now.Text, id(m, words)), append(now.Owners, Base), append(now.Rules, Open)
	}
	b.enter(was, nil)
	// Only what trace gives counts. A line that is left open keeps Base, which is below FirstTurn:
	// nowhere.
	(&assignment{book: b, to: now, step: Step{Nearest: was}}).trace()
	return sources(now.Owners)
}

// sources are the lines that owners from FirstTurn on stand for; -1: none.
func sources(owners []Owner) []int {
	at := make([]int, len(owners))
	for i, o := range owners {
		at[i] = max(-1, int(o-FirstTurn))
	}
	return at
}

// Trace finds the lines of a text in another version of it, in any form. It returns for each line
// where that has it; -1: nowhere.
func Trace(then, now []byte) []int {
	b := New()
	was := b.Add("", "then", then)
	for i := range was.Owners {
		was.Owners[i] = FirstTurn + Owner(i)
	}
	return sources(b.Assign("", "now", now, Step{Nearest: was, Charge: func(int, bool) Owner { return Base }}).Owners)
}

// splitWords are the words of a line: runs of letters and digits, and single other characters,
// without the ones that formatters add and take away, and without the marks that begin a comment.
func splitWords(line string) (words []string) {
	text := strings.TrimLeft(strings.TrimSpace(line), "/#*>")
	for len(text) > 0 {
		word, rest, ok := nextWord(text)
		if ok {
			words = append(words, word)
		}
		text = rest
	}
	return words
}
