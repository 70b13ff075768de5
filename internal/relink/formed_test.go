package relink

import (
	"strings"
	"testing"

	"entire-plumb/internal/ledger"
	"entire-plumb/internal/lineage"
	"entire-plumb/internal/sets"
	"entire-plumb/internal/testrepo"
	"entire-plumb/shadow"
)

func hashed(lines ...string) (all []lineage.Line) {
	for _, line := range lines {
		all = append(all, lineage.HashLine(line))
	}
	return all
}

// TestHasHalf: lines that weigh nothing don't count, nor does white space.
func TestHasHalf(t *testing.T) {
	const one, two, three = "the agent wrote one", "the agent wrote two", "the agent wrote three"
	for name, c := range map[string]struct {
		among, lines []lineage.Line
		want         bool
	}{
		"all":                      {hashed(one, two), hashed(two, one), true},
		"half":                     {hashed(one, "the human"), hashed(one, two), true},
		"less":                     {hashed(one, "the human"), hashed(one, two, three), false},
		"none":                     {hashed("the human"), hashed(one), false},
		"of a file without lines":  {nil, hashed(one), false},
		"light ones alone":         {hashed("the human"), hashed("}", "", "})"), true},
		"light ones beside others": {hashed("}", "})", "]"), hashed("}", "})", "]", one), false},
		"indented":                 {hashed("\t" + one), hashed(one, two), true},
		"one of them twice":        {hashed(one, "the human"), hashed(one, one, two, three), true},
		"nothing is sought":        {hashed(one), nil, true},
	} {
		among := map[lineage.Line]bool{}
		for _, line := range c.among {
			among[line] = true
		}
		if got := hasHalf(among, c.lines); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestAddLines: lines that a commit has in another form, of versions that are not too large.
func TestAddLines(t *testing.T) {
	r := testrepo.New(t)
	const then = "call(first, second, third);"
	now := []string{"call(", "  first,", "  second,", "  third,", ");"}
	file := lineage.File{Path: "f", Blob: r.Blob(strings.Join(now, "\n") + "\n").ID, Lines: hashed(now...)}
	mark := ledger.Mark{Line: uint32(lineage.HashLine(then)), Words: ledger.MarkWords(then)}
	for marks, want := range map[int]int{1: 1, 2 * ledger.MostFormed: 1, 2*ledger.MostFormed + 1: 0} {
		all := []ledger.Mark{mark}
		for i := range uint32(marks - 1) {
			all = append(all, ledger.Mark{Line: i << 16})
		}
		f := file
		err := addLines(&f, sets.Of(f.Lines), all, &shadow.Texts{DB: r.DB})
		if got := len(f.Lines) - len(file.Lines); err != nil || got != want {
			t.Errorf("%d marks: %d lines more, %v", marks, got, err)
		}
	}
}
