package ledger

import (
	"hash/fnv"
	"slices"
	"strings"
	"testing"
)

// TestRecognise finds the lines of a text among the marks of others. Lines are separated by "|".
func TestRecognise(t *testing.T) {
	hash := func(line string) uint32 {
		h := fnv.New32a()
		h.Write([]byte(strings.Join(strings.Fields(line), "")))
		return h.Sum32()
	}
	for _, c := range []struct {
		name, then, now string
		want            []int
	}{
		{"the same", "alpha one|beta two", "alpha one|beta two", []int{0, 1}},
		{"indented", "alpha one|beta two", "  alpha one|\tbeta two", []int{0, 1}},
		{"beside others", "alpha one|beta two", "human|alpha one|human|beta two", []int{-1, 0, -1, 1}},
		{"wrapped", "call(first, second, third);", "call(|  first,|  second,|  third,|);", []int{0, 0, 0, 0, 0}},
		{"unwrapped", "call(first,|second, third of them);|other line", "call(first, second, third of them);|other line", []int{-1, 2}},
		{"too few words to tell", "call(first)", "call(|first|)", []int{-1, -1, -1}},
		{"a word is another", "call(first, second, third);", "call(|  first,|  fourth,|  third,|);", []int{-1, -1, -1, -1, -1}},
		{"moved", "alpha one line|beta two line|gamma three line", "gamma three line|alpha one line|beta two line", []int{2, 0, 1}},
		{"moved beside a new one", "alpha one line|beta two line|gamma three line", "gamma three line|quite another|alpha one line|beta two line", []int{2, -1, 0, 1}},
		{"gone", "alpha one", "omega nine", []int{-1}},
		{"nothing", "alpha one", "", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			var known []Mark
			for line := range strings.SplitSeq(c.then, "|") {
				known = append(known, Mark{hash(line), Weight(line) == 0, MarkWords(line)})
			}
			var lines []string
			if c.now != "" {
				lines = strings.Split(c.now, "|")
			}
			if got := Recognise(known, lines, hash); !slices.Equal(got, c.want) {
				t.Errorf("%v, want %v", got, c.want)
			}
		})
	}
}

// TestMarkWords: a line has marks if it has neither too few words nor too many.
func TestMarkWords(t *testing.T) {
	for n, want := range map[int]int{2: 0, 3: 3, 250: 250, 251: 0} {
		if got := MarkWords(strings.Repeat("word ", n)); len(got) != want {
			t.Errorf("%d words have %d marks, want %d", n, len(got), want)
		}
	}
}

// TestRecogniseChosen: marks with hashes that are chosen to be in each other's way, as by multiples
// of the size of a table, take no longer than others.
func TestRecogniseChosen(t *testing.T) {
	const n = 100_000
	for name, chosen := range map[string]func(i uint32) uint32{
		"in rows":     func(i uint32) uint32 { return i },
		"first bits":  func(i uint32) uint32 { return i<<16 | i>>16 },
		"middle bits": func(i uint32) uint32 { return i<<8 | i>>24 },
		"multiples":   func(i uint32) uint32 { return i*2654435761<<15 | i*2654435761>>17 },
	} {
		key, x := newMarkKey(), newLexicon()
		for i := range uint32(n) {
			x.enter(key.of(chosen(i)), line{})
		}
		steps, seen := 0, map[ID]bool{}
		for i := range uint32(n) {
			hash := key.of(chosen(i))
			at, id := x.find(hash, int(hash))
			steps += at - int(hash)
			seen[id] = true
		}
		if steps > 10*n || len(seen) != n {
			t.Errorf("%s: %d steps to %d of %d lines", name, steps, len(seen), n)
		}
	}
}

// TestTrace: lines in order, moved, formatted and new ones.
func TestTrace(t *testing.T) {
	then := "first of them\nsecond of them\nresult := combine(first, second)\nthird of them\n"
	now := "quite another\nthird of them\nfirst of them\n\tsecond of them\nresult := combine(\n\tfirst,\n\tsecond,\n)\n"
	if got, want := Trace([]byte(then), []byte(now)), []int{-1, 3, 0, 1, 2, 2, 2, 2}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got := Trace([]byte(then), []byte(then)); !slices.Equal(got, []int{0, 1, 2, 3}) {
		t.Errorf("%v of the same text", got)
	}
}
