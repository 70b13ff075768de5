package ledger

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// content is a text of lines that are separated by "|" here.
func content(lines string) []byte { return []byte(strings.ReplaceAll(lines, "|", "\n")) }

// TestAdd: owners are given to the lines in order, the last one to all others.
func TestAdd(t *testing.T) {
	const one, two = FirstTurn, FirstTurn + 1
	for name, c := range map[string]struct {
		text   string
		owners []Owner
		want   []Owner
	}{
		"none":             {"a|b", nil, []Owner{Base, Base}},
		"one for all":      {"a|b|c", []Owner{one}, []Owner{one, one, one}},
		"one for each":     {"a|b", []Owner{one, two}, []Owner{one, two}},
		"the last for all": {"a|b|c", []Owner{one, two}, []Owner{one, two, two}},
		"more than lines":  {"a", []Owner{one, two}, []Owner{one}},
		"no line":          {"", []Owner{one}, nil},
	} {
		b := New()
		v := b.Add("f", "1", content(c.text), c.owners...)
		if !slices.Equal(v.Owners, c.want) {
			t.Errorf("%s: %v, want %v", name, v.Owners, c.want)
		}
		if again := b.Add("f", "1", content("x|y"), two); again != v || b.Known("f", "1") != v || b.Last("f") != v {
			t.Errorf("%s: a known version is another one: %v", name, again)
		}
		if b.Known("g", "1") != nil || b.Known("f", "2") != nil || b.Last("g") != nil {
			t.Errorf("%s: a version that was not added is known", name)
		}
	}
}

// TestPaths: files are in the order in which they were first seen, their versions oldest first.
func TestPaths(t *testing.T) {
	b := New()
	for i, path := range strings.Fields("f g f h g f") {
		b.Add(path, fmt.Sprint(i), content(fmt.Sprintf("line %d", i)))
	}
	if got := strings.Join(b.Paths(), " "); got != "f g h" {
		t.Errorf("the files are %s", got)
	}
	for path, want := range map[string]string{"f": "0 2 5", "g": "1 4", "h": "3", "i": ""} {
		var blobs []string
		for _, v := range b.Versions(path) {
			blobs = append(blobs, v.Blob)
		}
		if got := strings.Join(blobs, " "); got != want {
			t.Errorf("%s has the versions %q, want %q", path, got, want)
		}
	}
	b.Paths()[0] = "x"
	if b.Paths()[0] != "f" {
		t.Error("the list that the book has is given out")
	}
}

// TestOldName: which of the files that are gone has become a new one.
func TestOldName(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		gone []string
		want int // the index of the file that it was; -1: none
	}{
		"none is gone":                    {"abcdef", nil, -1},
		"all of it":                       {"abcdef|ghijkl", []string{"abcdef|ghijkl"}, 0},
		"half of the old one":             {"abcdef|x", []string{"abcdef|ghijkl"}, 0},
		"less than half of the old one":   {"abcdef|x", []string{"abcdef|ghijkl|z"}, -1},
		"all of the old one, a small one": {"abcdef|ghijkl|mnopqr", []string{"abcdef"}, 0},
		"the one with more":               {"abcdef|ghijkl", []string{"abcdef", "abcdef|ghijkl|z"}, 1},
		"the first of equals":             {"abcdef|ghijkl", []string{"abcdef", "ghijkl"}, 0},
		"a line as often as it is there":  {"abcdef|x", []string{"abcdef|abcdef|abcdef"}, -1},
		"as often as it was":              {"abcdef|abcdef|x", []string{"abcdef|abcdef"}, 0},
		"braces alone":                    {"{|}", []string{"{|}"}, -1},
		"braces count for nothing":        {"abcdef", []string{"abcdef|{|}|)|;"}, 0},
		"another file":                    {"abcdef", []string{"mnopqr"}, -1},
		"an empty file":                   {"", []string{"abcdef"}, -1},
	} {
		b := New()
		var gone []*Version
		for i, text := range c.gone {
			gone = append(gone, b.Add(fmt.Sprint("old", i), fmt.Sprint(i), content(text)))
		}
		now := b.version("new", "new", content(c.text), nil)
		if got := slices.Index(gone, b.oldName(now, gone)); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
		if c.want >= 0 && b.oldName(&Version{Blob: fmt.Sprint(len(gone) - 1)}, gone) != gone[len(gone)-1] {
			t.Errorf("%s: the very version is not the last one", name)
		}
	}
}

// TestClaim: which lines a turn proves to have brought.
func TestClaim(t *testing.T) {
	const turn = FirstTurn + 7
	block := "first of one|second of one|third of one"
	for name, c := range map[string]struct {
		before, now string
		by          []Owner // of the lines that are new; pending where it is the human's, and not where it is the base's
		want        []Owner
	}{
		"a new line":             {"old", "old|abcdef", []Owner{Human}, []Owner{Base, turn}},
		"in place of another":    {"old|older", "old|abcdef", []Owner{Modified}, []Owner{Base, turn}},
		"another turn's":         {"old", "old|abcdef", []Owner{FirstTurn}, []Owner{Base, FirstTurn}},
		"one of two is a turn's": {"old", "old|abcdef|ghijkl", []Owner{Human, FirstTurn}, []Owner{Base, turn, FirstTurn}},
		"nothing is new":         {"old", "old", nil, []Owner{Base}},
		"one that is settled":    {"old", "old|abcdef|ghijkl", []Owner{Human, Base}, []Owner{Base, turn, Human}},
		"a brace":                {"old", "old|}", []Owner{Human}, []Owner{Base, turn}},
		"a block that is moved":  {"old", "old|" + block, nil, []Owner{Base, Human, Human, Human}},
	} {
		b := New()
		before, beside := b.Add("f", "0", content(c.before)), b.Add("g", "0", content(block), b.Pending(Human))
		next := 0
		v := b.Assign("f", "1", content(c.now), Step{Nearest: before,
			Beside: func(string) (*Version, Text, bool) { return beside, nil, true },
			Charge: func(int, bool) Owner {
				next++
				switch o := c.by[next-1]; {
				case o == Base:
					return Human
				case o.IsHuman():
					return b.Pending(o)
				default:
					return o
				}
			}})
		b.Claim(v, Step{Nearest: before}, turn)
		for line, want := range c.want {
			if got := b.Resolve(v.Owners[line]); got != want {
				t.Errorf("%s: line %d is %d's, want %d's", name, line, got, want)
			}
		}
	}
}

// TestFresh: what no parent has is new, whichever of them is the first.
func TestFresh(t *testing.T) {
	b := New()
	var parents []*Version
	for i, text := range []string{"abcdef", "ghijkl|abcdef"} {
		parents = append(parents, b.Add("f", fmt.Sprint(i), content(text)))
	}
	merged := b.Add("f", "merged", content("abcdef|mnopqr|ghijkl|abcdef"))
	for _, c := range [][]*Version{{parents[0], nil, parents[1]}, {nil, parents[1], parents[0]}} {
		if got := b.Fresh(merged, c...); !slices.Equal(got, []bool{false, true, false, false}) {
			t.Errorf("%v", got)
		}
	}
}

// TestMovedFrom: what a file gives that is gone, or that had no version before the step, and one of
// which nothing is known.
func TestMovedFrom(t *testing.T) {
	const one = FirstTurn
	block := "first of one|second of one|third of one"
	for _, known := range []bool{true, false} {
		b := New()
		b.Add("g", "0", content(block), one)
		v := b.Assign("f", "1", content(block), Step{
			Beside: func(string) (*Version, Text, bool) { return nil, nil, known },
			Charge: func(int, bool) Owner { return Human }})
		if moved := !slices.Contains(v.Owners, Human); moved != known {
			t.Errorf("known %t: %v", known, v.Owners)
		}
	}
}

// TestRecordFrom: where lines come from that have no recorded owner.
func TestRecordFrom(t *testing.T) {
	const one, two = FirstTurn, FirstTurn + 1
	for name, c := range map[string]struct {
		text   string
		owners []Owner
		step   func(b *Book) Step
		want   []Owner
	}{
		"the likest version of the file": {"abcdef|ghijkl", nil, nil, []Owner{one, one}},
		"a brace of it":                  {"}", nil, nil, []Owner{one}},
		"what is recorded":               {"abcdef|ghijkl", []Owner{two}, nil, []Owner{two, one}},
		"more than there are lines":      {"abcdef", []Owner{two, two}, nil, []Owner{two}},
		"a new line":                     {"abcdef|new of it", nil, nil, []Owner{one, Base}},
		"a new line, and who is asked": {"abcdef|new of it", nil, func(*Book) Step {
			return Step{Charge: func(int, bool) Owner { return Human }}
		}, []Owner{one, Human}},
		"a file that is gone": {"mnopqr|stuvwx|yzabcd", nil, func(b *Book) Step {
			return Step{Gone: []*Version{b.Last("g")}}
		}, []Owner{two, two, two}},
		"a file that is not": {"mnopqr|stuvwx|yzabcd", nil, nil, []Owner{Base, Base, Base}},
	} {
		b := New()
		b.Add("f", "1", content("abcdef|ghijkl|}"), one)
		b.Add("g", "1", content("mnopqr|stuvwx|yzabcd"), two)
		step := Step{}
		if c.step != nil {
			step = c.step(b)
		}
		if v := b.Record("f", "2", content(c.text), c.owners, step); !slices.Equal(v.Owners, c.want) {
			t.Errorf("%s: %v, want %v", name, v.Owners, c.want)
		}
	}
}

// TestLikestByWords: words decide where no version has half of the lines, of equals the last one.
func TestLikestByWords(t *testing.T) {
	for name, c := range map[string]struct {
		text     string
		versions []string
		want     int
	}{
		"more words":               {"f(alpha, beta)|x", []string{"f(alpha,|beta)", "gamma"}, 0},
		"as many words":            {"f(alpha, beta)|x", []string{"alpha,", "beta,"}, 1},
		"half of the lines":        {"alpha|f(beta, gamma, delta)", []string{"f(|beta,|gamma,|delta)", "alpha"}, 1},
		"less than half of them":   {"alpha|f(beta, gamma, delta)|x", []string{"f(|beta,|gamma,|delta)", "alpha"}, 0},
		"words as often as there":  {"f(alpha, alpha)|x", []string{"g(alpha,|alpha)", "g(|alpha)"}, 0},
		"no more often than there": {"f(alpha, beta)|x", []string{"f(|beta)", "alpha|, alpha|, alpha|, alpha"}, 0},
	} {
		b := New()
		var versions []*Version
		for i, text := range c.versions {
			versions = append(versions, b.Add("f", fmt.Sprint(i), content(text)))
		}
		if got := slices.Index(versions, b.Likest(content(c.text), versions, nil)); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}

// TestLikestTwice: the lines of one text do not count for the next one.
func TestLikestTwice(t *testing.T) {
	b := New()
	versions := []*Version{b.Add("f", "1", content("one|two|three")), b.Add("f", "2", content("x|three"))}
	for i, text := range []string{"one|two", "x|three", "two|one", "three|x"} {
		if got := slices.Index(versions, b.Likest(content(text), versions, nil)); got != i%2 {
			t.Errorf("%s: %d, want %d", text, got, i%2)
		}
	}
}
