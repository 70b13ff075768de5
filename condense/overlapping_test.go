package condense

import (
	"slices"
	"testing"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/suffix"
)

// TestBeforeTurn: what changed between the starts of two turns is the earlier one's, unless
// something says otherwise.
func TestBeforeTurn(t *testing.T) {
	paths := func(p ...gitexec.Path) []gitexec.Path { return p }
	const of, by, third = "of", "by", "third"
	for name, c := range map[string]struct {
		began, then, committed string // the file's version: at both turns' starts, and in the commit; empty: none
		parent                 string
		order                  time.Duration // of the committing turn after the other
		wrote                  map[string]Written
		streams                []Work
		want                   bool
	}{
		"no transcript":                {"", "x", "x", "", 1, nil, nil, true},
		"by a shell":                   {"", "x", "x", "", 1, map[string]Written{of: {Files: paths("other")}}, nil, true},
		"it names all else":            {"", "x", "x", "", 1, map[string]Written{of: {Files: paths("other"), All: true}}, nil, false},
		"another names it":             {"", "x", "x", "", 1, map[string]Written{third: {Files: paths("f")}}, nil, false},
		"the committing one names it":  {"", "x", "x/y", "", 1, map[string]Written{by: {Files: paths("f")}}, nil, true},
		"both name it":                 {"", "x", "x/y", "", 1, map[string]Written{of: {Files: paths("f"), All: true}, by: {Files: paths("f")}}, nil, true},
		"it alone names it":            {"", "x", "x/y", "", 1, map[string]Written{of: {Files: paths("f"), All: true}}, nil, false}, // all of the turn counts
		"nothing changed in between":   {"x", "x", "x/y", "", 1, nil, nil, false},
		"it was committed in between":  {"", "x", "x/y", "x", 1, nil, nil, false},
		"it is on a stream":            {"", "x", "x", "", 1, nil, []Work{on(newSession(by, 1), 1, suffix.Change{Path: "f", After: file("x")})}, false},
		"a stream has another version": {"", "x", "x", "", 1, nil, []Work{on(newSession(by, 1), 1, suffix.Change{Path: "f", After: file("y")})}, true},
		"the other turn began first":   {"x", "", "x", "", -1, nil, nil, false},
		"at the same time":             {"", "x", "x", "", 0, nil, nil, false},
	} {
		version := func(content string) (e gitexec.Entry) {
			if content != "" {
				e = file(content)
			}
			return e
		}
		earlier, committing := newSession(of, 1), newSession(by, 1)
		later := earlier.LastInteractionTime.Add(c.order * time.Second)
		committing.LastInteractionTime = &later
		works := BeforeTurn(Overlapping{Of: earlier, Committing: committing,
			Changes: []gitexec.Change{{Path: "f", Old: version(c.parent), New: version(c.committed)}},
			Began:   []gitexec.Entry{version(c.began)}, CommitterBegan: []gitexec.Entry{version(c.then)}, Wrote: c.wrote, Streams: c.streams})
		if got := len(works) == 1; got != c.want {
			t.Errorf("%s: %+v", name, works)
		}
		for _, w := range works {
			if w.Session != earlier || !w.InTurn || !w.Early || len(w.Changes) != 1 || w.Changes[0].Before != version(c.began) || w.Changes[0].After != version(c.then) {
				t.Errorf("%s: %+v", name, w)
			}
			if left := (Written{Files: paths("f", "g")}).Without(works); !slices.Equal(left.Files, paths("g")) {
				t.Errorf("%s: %q is left", name, left.Files)
			}
		}
	}
}
