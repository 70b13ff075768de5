package fulltext

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestEachWord(t *testing.T) {
	long := strings.Repeat("0123456789abcdef", 3)
	for text, want := range map[string][]string{
		"":                     nil,
		"a b_c, d-e.":          {"a", "b_c", "d", "e"},
		"日本 x":                 {"日本", "x"},
		long[:32]:              {long[:32]},
		"<" + long[:40] + ">":  {long[:32], long[16:40]},
		long + long[:1] + " y": {long[:32], long[16:48], long[32:] + "0", "y"},
	} {
		var got []string
		eachWord([]byte(text), func(word []byte) { got = append(got, string(word)) })
		if !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// Each part of a text is in one of the words of each text that contains it.
func TestPartsAreInWords(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	for range 5000 {
		text := Fold(randomText(r))
		if len(text) == 0 {
			continue
		}
		from := r.IntN(len(text))
		some := text[from:min(len(text), from+1+r.IntN(60))]
		var words []string
		eachWord([]byte(text), func(word []byte) { words = append(words, string(word)) })
		for _, part := range partsOf(some) {
			if !slices.ContainsFunc(words, func(word string) bool { return strings.Contains(word, part) }) {
				t.Fatalf("%q is in no word of %q", part, text)
			}
		}
	}
}

func TestWordsWith(t *testing.T) {
	page := []byte("\nab\nabab\nb\ncab\n")
	for part, want := range map[string]string{"ab": "[0 1 3]", "b": "[0 1 2 3]", "c": "[3]", "abab": "[1]", "x": "[]"} {
		if got := fmt.Sprint(wordsWith(page, []byte(part))); got != want {
			t.Errorf("%s: %s, want %s", part, got, want)
		}
	}
}

func TestFind(t *testing.T) {
	for _, c := range []struct{ text, folded, want string }{
		{"Ab ab AB", "ab", "[[0 2] [3 5] [6 8]]"},
		{"aaa", "aa", "[[0 2]]"},
		{"aaaa", "a", "[[0 1] [1 2] [2 3]]"},
		{"\u212aelvin", "k", "[[0 3]]"},
		{"xäÄ", "ä", ""},
		{"", "a", "[]"},
		{"a", "", "[]"},
	} {
		if got := fmt.Sprint(Find(c.text, Fold(c.folded), 3)); got != c.want && c.want != "" {
			t.Errorf("%q in %q: %s, want %s", c.folded, c.text, got, c.want)
		}
	}
	if got := fmt.Sprint(Find("xäÄ", Fold("Ä"), 3)); got != "[[1 3] [3 5]]" {
		t.Errorf("two umlauts: %s", got)
	}
}

// A place costs no copy of what follows it: others may push a text that has a letter in all its
// places.
func TestFindCopiesNothing(t *testing.T) {
	text := strings.Repeat("a", 1<<15)
	if n := testing.AllocsPerRun(1, func() { Find(text, "a", len(text)) }); n > 1000 {
		t.Errorf("%v allocations for %d places", n, len(text))
	}
}
