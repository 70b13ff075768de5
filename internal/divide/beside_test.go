package divide

import (
	"strings"
	"testing"

	"entire-plumb/internal/ledger"
)

// TestAround weighs the lines that stand together in a text as they do here: a letter is two.
func TestAround(t *testing.T) {
	for _, c := range []struct {
		name, here string
		line       int
		texts      []string
		want       int
	}{
		{"no text has it", "a } b", 1, []string{"a b"}, 0},
		{"alone", "a } b", 1, []string{"}", "c } d"}, 1},
		{"with the line before", "a } b", 1, []string{"a }"}, 3},
		{"with both", "a } b", 1, []string{"x a } b y"}, 5},
		{"the best place of a text", "a } b", 1, []string{"c } d } b"}, 3},
		{"the best text", "a } b", 1, []string{"}", "a } b", "c }"}, 5},
		{"in another form", "a } b", 1, []string{"\ta } "}, 3},
		{"the first line", "} b", 0, []string{"} b"}, 3},
		{"far", strings.Repeat("} ", 500) + "}", 250, []string{strings.Repeat("} ", 500) + "}"}, 2*mostAround + 1},
	} {
		book := ledger.New()
		var texts []ledger.Text
		for _, one := range c.texts {
			texts = append(texts, book.Text([]byte(text(one))))
		}
		if got := neighboursIn(book, texts).around(book.Text([]byte(text(c.here))), c.line); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

// TestFunctionsOfTwo: of functions that two turns wrote one after the other, each turn goes on from
// those of the other, whole.
func TestFunctionsOfTwo(t *testing.T) {
	function := func(name string) string { return "func_" + name + " if_nil return_0 } return_" + name + " } " }
	var now strings.Builder
	wrote := [2][]string{}
	for i, turn := range []int{0, 1, 1, 0, 1, 0} {
		lines := function(strings.Repeat("x", i+6))
		now.WriteString(lines)
		wrote[turn] = append(wrote[turn], text(strings.TrimSpace(lines)))
	}
	for turn := range 2 {
		f := File{Was: nil, Now: []byte(text(strings.TrimSpace(now.String())))}
		f.Own.Parts, f.Others.Parts = wrote[turn], wrote[1-turn]
		before, _, ok := f.Before()
		if want := strings.Join(wrote[1-turn], ""); string(before) != want || !ok {
			t.Errorf("turn %d: %q, want %q", turn, before, want)
		}
	}
}
