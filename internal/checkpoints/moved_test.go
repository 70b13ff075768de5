package checkpoints

import (
	"slices"
	"testing"

	"entire-plumb/internal/ownership"
)

// TestGiveMoved: a line that the human moved is the agent's who wrote it, once for each time that
// it was there, unless it weighs nothing.
func TestGiveMoved(t *testing.T) {
	const a, b, base, human = ownership.FirstTurn, ownership.FirstTurn + 1, ownership.Base, ownership.Added
	type owners = []ownership.Owner
	before := textOwners{[]string{"old\n", "first by a\n", "first by b\n", "}\n"}, owners{base, a, b, a}}
	for name, c := range map[string]struct {
		text   []string
		owners owners
		before []textOwners
		want   owners
	}{
		"moved":              {[]string{"first by b\n", "first by a\n"}, owners{human, human}, []textOwners{before}, owners{b, a}},
		"where it was":       {[]string{"first by a\n", "first by b\n"}, owners{a, b}, []textOwners{before}, owners{a, b}},
		"copied":             {[]string{"first by a\n", "first by a\n"}, owners{human, a}, []textOwners{before}, owners{human, a}},
		"moved, and copied":  {[]string{"first by a\n", "first by a\n"}, owners{human, human}, []textOwners{before}, owners{a, human}},
		"in two versions":    {[]string{"first by a\n", "first by a\n"}, owners{human, human}, []textOwners{before, before}, owners{a, human}},
		"replacing another":  {[]string{"first by a\n"}, owners{ownership.Modified}, []textOwners{before}, owners{a}},
		"not the agent's":    {[]string{"old\n"}, owners{human}, []textOwners{before}, owners{human}},
		"older":              {[]string{"first by a\n"}, owners{base}, []textOwners{before}, owners{base}},
		"weightless":         {[]string{"}\n"}, owners{human}, []textOwners{before}, owners{human}},
		"nothing before":     {[]string{"first by a\n"}, owners{human}, nil, owners{human}},
		"without a line end": {[]string{"first by a"}, owners{human}, []textOwners{before}, owners{human}},
	} {
		giveMoved(textOwners{c.text, c.owners}, c.before)
		if !slices.Equal(c.owners, c.want) {
			t.Errorf("%s: %v, want %v", name, c.owners, c.want)
		}
	}
}
