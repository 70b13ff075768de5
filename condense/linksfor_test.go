package condense

import (
	"slices"
	"strings"
	"testing"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/lineage"
	"entire-plumb/internal/session"
)

func links(ids ...string) (all []session.Link) {
	for _, id := range ids {
		all = append(all, session.Link{ID: id, Commit: gitexec.OID(id)})
	}
	return all
}

// TestLinksFor: a commit gets a new link for its own work, and the links of the commits that it
// replaces.
func TestLinksFor(t *testing.T) {
	a, b := newSession("a", 1), newSession("b", 2)
	own := []gitexec.Path{"f"}
	for name, c := range map[string]struct {
		matches  []Matched
		sessions string
		resets   string
	}{
		"nothing":                         {nil, "", ""},
		"one session":                     {[]Matched{{Session: a, Unlinked: own}}, "a", ""},
		"what was reset":                  {[]Matched{{Session: a, Reset: links("x"), Links: []string{"x"}}}, "", "x"},
		"reset commits of two sessions":   {[]Matched{{Session: a, Reset: links("x"), Links: []string{"x"}}, {Session: b, Reset: links("x", "y"), Links: []string{"x", "y"}}}, "", "x y"},
		"what was reset, and more":        {[]Matched{{Session: a, Unlinked: own, Reset: links("x"), Links: []string{"x"}}}, "a", "x"},
		"more of another session's":       {[]Matched{{Session: a, Reset: links("x"), Links: []string{"x"}}, {Session: b, Unlinked: own}}, "a b", "x"},
		"too little of a reset commit":    {[]Matched{{Session: a, Unlinked: own, Reset: links("x", "y"), Links: []string{"y"}}}, "a", "(x) y"},
		"so little that no link is taken": {[]Matched{{Session: a, Unlinked: own, Reset: links("x")}}, "a", "(x)"},
		"what was discarded":              {[]Matched{{Session: a}}, "a", ""},
	} {
		got := LinksFor(c.matches)
		var resets []string
		for _, p := range got.Replaces {
			if len(p.Links) == 0 { // it is in part
				p.Links = []string{"(" + string(p.Commit) + ")"}
			}
			resets = append(resets, p.Links...)
		}
		if strings.Join(got.Sessions, " ") != c.sessions || strings.Join(resets, " ") != c.resets {
			t.Errorf("%s: %q and %q, want %q and %q", name, got.Sessions, resets, c.sessions, c.resets)
		}
	}
}

// TestGivenOut: a link without a checkpoint must not be.
func TestGivenOut(t *testing.T) {
	a, b := newSession("a", 1), newSession("b", 2)
	for want, sessions := range map[string][]string{"": nil, "a": {"a"}, "a b": {"b", "a"}, "b": {"c", "b"}} {
		var got []string
		for _, m := range ForSessions([]*session.State{a, b}, sessions) {
			if got = append(got, m.Session.SessionID); m.Reason != LinkGivenOut {
				t.Errorf("%q: %s", sessions, m.Reason)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %q, want %q", sessions, got, want)
		}
	}
}

// TestNewIn: what was reset and is all that a commit holds needs no session's conversation again.
func TestNewIn(t *testing.T) {
	matches := []Matched{{Session: newSession("a", 1)}}
	takes, counts, neither := Overlap{Counts: true, Takes: true}, Overlap{Counts: true}, Overlap{}
	reset, amended := lineage.Predecessor{Commit: "x", By: lineage.Reset}, lineage.Predecessor{Commit: "y", By: lineage.Amended}
	for name, c := range map[string]struct {
		overlaps []Overlap
		replaces []lineage.Predecessor
		want     bool
	}{
		"work":                                 {[]Overlap{counts}, nil, true},
		"amended with more":                    {[]Overlap{counts, neither}, []lineage.Predecessor{amended}, true},
		"what was reset":                       {[]Overlap{takes, neither}, []lineage.Predecessor{reset}, false},
		"what was reset, and more":             {[]Overlap{takes, counts}, []lineage.Predecessor{reset}, true},
		"what was reset, by an amend":          {[]Overlap{takes}, []lineage.Predecessor{amended, reset}, false},
		"reset commits only":                   {nil, []lineage.Predecessor{reset}, false},
		"a link that was given out for a work": {nil, nil, true},
	} {
		if got := len(Condensed(matches, c.overlaps, c.replaces)) > 0; got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// TestMayHaveWork: only such sessions are asked, each of which costs time.
func TestMayHaveWork(t *testing.T) {
	now := time.Unix(100, 0).Add(session.KeptFor)
	for name, c := range map[string]struct {
		state  session.State
		onHead []string
		reset  []gitexec.OID
		want   bool
	}{
		"nothing":                  {session.State{}, nil, nil, false},
		"in a turn":                {session.State{Place: session.Place{Phase: session.Active}}, nil, nil, true},
		"after its turn":           {session.State{Place: session.Place{Phase: session.Idle}}, nil, nil, false},
		"on a stream":              {session.State{Place: session.Place{ShadowBranchSuffix: 2}}, nil, nil, true},
		"in an ignored file":       {session.State{Place: session.Place{Ignored: []session.Ignored{{Path: "a"}}}}, nil, nil, true},
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
