package relink

import (
	"testing"

	"entire-plumb/internal/lineage"
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
