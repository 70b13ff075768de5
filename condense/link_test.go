package condense

import (
	"slices"
	"strings"
	"testing"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/session"
)

func links(ids ...string) (all []session.Link) {
	for _, id := range ids {
		all = append(all, session.Link{ID: id})
	}
	return all
}

// TestLinksFor: a commit gets a new link for work of its own, and the links of what it stands for.
func TestLinksFor(t *testing.T) {
	a, b := newSession("a", 1), newSession("b", 2)
	own := []gitexec.Path{"f"}
	for name, c := range map[string]struct {
		matches  []Matched
		agents   []string
		sessions string
		redone   string
	}{
		"nothing":                           {nil, nil, "", ""},
		"an agent commits what isn't known": {nil, []string{"a"}, "a", ""},
		"one session":                       {[]Matched{{Session: a, Own: own}}, nil, "a", ""},
		"another one than the agent's":      {[]Matched{{Session: b, Own: own}}, []string{"a"}, "b", ""},
		"what was reset":                    {[]Matched{{Session: a, Redone: links("x"), Links: []string{"x"}}}, nil, "", "x"},
		"what was reset, of two sessions":   {[]Matched{{Session: a, Redone: links("x"), Links: []string{"x"}}, {Session: b, Redone: links("x", "y"), Links: []string{"x", "y"}}}, nil, "", "x y"},
		"what was reset, and more":          {[]Matched{{Session: a, Own: own, Redone: links("x"), Links: []string{"x"}}}, nil, "a", "x"},
		"more of another session's":         {[]Matched{{Session: a, Redone: links("x"), Links: []string{"x"}}, {Session: b, Own: own}}, nil, "a b", "x"},
		"too little of what was reset":      {[]Matched{{Session: a, Redone: links("x", "y"), Links: []string{"y"}}}, nil, "", "y"},
		"so little that no link is taken":   {[]Matched{{Session: a, Redone: links("x")}}, nil, "a", ""},
		"what was discarded":                {[]Matched{{Session: a}}, nil, "a", ""},
	} {
		got := LinksFor(c.matches, c.agents)
		var redone []string
		for _, l := range got.Redone {
			redone = append(redone, l.ID)
		}
		if strings.Join(got.Sessions, " ") != c.sessions || strings.Join(redone, " ") != c.redone {
			t.Errorf("%s: %q and %q, want %q and %q", name, got.Sessions, redone, c.sessions, c.redone)
		}
	}
}

// TestGivenOut: a link without a checkpoint must not be.
func TestGivenOut(t *testing.T) {
	a, b := newSession("a", 1), newSession("b", 2)
	for want, sessions := range map[string][]string{"": nil, "a": {"a"}, "a b": {"b", "a"}, "b": {"c", "b"}} {
		var got []string
		for _, m := range GivenOut([]*session.State{a, b}, sessions) {
			if got = append(got, m.Session.SessionID); m.Reason != LinkGivenOut {
				t.Errorf("%q: %s", sessions, m.Reason)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %q, want %q", sessions, got, want)
		}
	}
}

func TestOutcomeOf(t *testing.T) {
	matches := []Matched{{Session: newSession("a", 1)}}
	takes, counts, neither := Overlap{Counts: true, Takes: true}, Overlap{Counts: true}, Overlap{}
	for name, c := range map[string]struct {
		matches  []Matched
		overlaps []Overlap
		redone   []session.Link
		held     bool
		want     Outcome
	}{
		"no work":                              {nil, []Overlap{neither}, nil, false, NoCheckpoint},
		"no work for a link that was taken":    {nil, []Overlap{neither}, links("x"), false, NoCheckpoint},
		"amended without more":                 {nil, []Overlap{neither}, nil, true, Amend},
		"work":                                 {matches, []Overlap{counts}, nil, false, Write},
		"amended with more":                    {matches, []Overlap{counts}, nil, true, Write},
		"what was reset":                       {matches, []Overlap{takes, neither}, links("x"), true, Replace},
		"what was reset, and more":             {matches, []Overlap{takes, counts}, links("x"), true, Write},
		"what was reset, with nothing left":    {nil, nil, links("x"), true, Replace},
		"several that were reset":              {matches, []Overlap{takes, takes}, links("x", "y"), true, Join},
		"several that were reset, and more":    {matches, []Overlap{takes, counts}, links("x", "y"), true, Write},
		"a link that was given out for a work": {matches, nil, nil, false, Write},
	} {
		if got := OutcomeOf(c.matches, c.overlaps, c.redone, c.held); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}

// TestMayHaveWork: only such sessions are asked, each of which costs time.
func TestMayHaveWork(t *testing.T) {
	now := time.Unix(100, 0).Add(session.Memory)
	for name, c := range map[string]struct {
		state  session.State
		onHead []string
		reset  []gitexec.OID
		want   bool
	}{
		"nothing":                  {session.State{}, nil, nil, false},
		"in a turn":                {session.State{Phase: session.Active}, nil, nil, true},
		"after its turn":           {session.State{Phase: session.Idle}, nil, nil, false},
		"on a stream":              {session.State{ShadowBranchSuffix: 2}, nil, nil, true},
		"on a stream of HEAD":      {session.State{SessionID: "a"}, []string{"b", "a"}, nil, true},
		"others are":               {session.State{SessionID: "a"}, []string{"b"}, nil, false},
		"its commit was reset":     {session.State{Linked: []session.Link{{Commit: "c"}}}, nil, []gitexec.OID{"c"}, true},
		"another commit was reset": {session.State{Linked: []session.Link{{Commit: "c"}}}, nil, []gitexec.OID{"d"}, false},
		"work was discarded":       {session.State{Dismissed: []session.Dismissed{{When: time.Unix(100, 0)}}}, nil, nil, true},
		"long ago":                 {session.State{Dismissed: []session.Dismissed{{When: time.Unix(99, 0)}}}, nil, nil, false},
	} {
		if got := MayHaveWork(&c.state, c.onHead, func(id gitexec.OID) bool { return slices.Contains(c.reset, id) }, now); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
