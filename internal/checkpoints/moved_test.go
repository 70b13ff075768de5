package checkpoints

import (
	"slices"
	"testing"

	"entire-plumb/internal/ownership"
)

// TestMovedLines: a line that the human moved is the agent's who wrote it, once for each time that
// it was there, unless it weighs nothing.
func TestMovedLines(t *testing.T) {
	const a, b, base, human = ownership.FirstTurn, ownership.FirstTurn + 1, ownership.Base, ownership.Added
	type owners = []ownership.Owner
	before := func() agentLines {
		return linesOf([]string{"old\n", "first by a\n", "first by b\n", "}\n"}, owners{base, a, b, a}, nil)
	}
	twice := before()
	twice.join(before())
	for name, c := range map[string]struct {
		text   []string
		owners owners
		before agentLines
		want   owners
	}{
		"moved":              {[]string{"first by b\n", "first by a\n"}, owners{human, human}, before(), owners{b, a}},
		"where it was":       {[]string{"first by a\n", "first by b\n"}, owners{a, b}, before(), owners{a, b}},
		"copied":             {[]string{"first by a\n", "first by a\n"}, owners{human, a}, before(), owners{human, a}},
		"moved, and copied":  {[]string{"first by a\n", "first by a\n"}, owners{human, human}, before(), owners{a, human}},
		"in two versions":    {[]string{"first by a\n", "first by a\n"}, owners{human, human}, twice, owners{a, human}},
		"replacing another":  {[]string{"first by a\n"}, owners{ownership.Modified}, before(), owners{a}},
		"not the agent's":    {[]string{"old\n"}, owners{human}, before(), owners{human}},
		"older":              {[]string{"first by a\n"}, owners{base}, before(), owners{base}},
		"weightless":         {[]string{"}\n"}, owners{human}, before(), owners{human}},
		"nothing before":     {[]string{"first by a\n"}, owners{human}, nil, owners{human}},
		"without a line end": {[]string{"first by a"}, owners{human}, before(), owners{human}},
	} {
		c.before.giveTo(c.text, c.owners)
		if !slices.Equal(c.owners, c.want) {
			t.Errorf("%s: %v, want %v", name, c.owners, c.want)
		}
	}
}
