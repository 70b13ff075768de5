package commits

import (
	"fmt"
	"strings"
	"testing"

	"entire-plumb/gitexec"
	"entire-plumb/internal/session"
	"entire-plumb/shadow"
)

// onBase is a session with work on a stream of a base.
func onBase(id string, base gitexec.OID, suffix int) *session.State {
	return &session.State{SessionID: id, Place: session.Place{BaseCommit: base, ShadowBranchSuffix: suffix}}
}

func renaming(id, base string, suffix int) shadow.Move {
	return shadow.Move{To: shadow.Name{Base: base, Suffix: suffix}, Tip: shadow.Checkpoint{Session: id}}
}

// TestBaseOf: the base of a legacy stream is its session's; the state that a hook holds comes last.
func TestBaseOf(t *testing.T) {
	for name, c := range map[string]struct {
		states []*session.State
		want   gitexec.OID
	}{
		"its session":     {[]*session.State{onBase("s", "aaaaaaa1", 0)}, "aaaaaaa1"},
		"as a hook holds": {[]*session.State{onBase("s", "aaaaaaa1", 0), onBase("s", "aaaaaaa2", 0)}, "aaaaaaa2"},
		"another session": {[]*session.State{onBase("t", "aaaaaaa1", 0)}, ""},
		"another base":    {[]*session.State{onBase("s", "bbbbbbb1", 0)}, ""},
		"none":            {nil, ""},
	} {
		if got := baseOf(renaming("s", "aaaaaaa", 1), c.states); got != c.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// TestGiveSuffix: the session on a stream gets its suffix, in the state that a hook holds.
func TestGiveSuffix(t *testing.T) {
	for name, c := range map[string]struct {
		states, current []*session.State
		want            string // the suffixes of states, and of current
	}{
		"stored":                {[]*session.State{onBase("s", "aaaaaaa1", 0)}, nil, "[2] []"},
		"held":                  {[]*session.State{onBase("s", "aaaaaaa1", 0)}, []*session.State{onBase("s", "aaaaaaa1", 0)}, "[0] [2]"},
		"another is held":       {[]*session.State{onBase("s", "aaaaaaa1", 0)}, []*session.State{onBase("t", "aaaaaaa1", 0)}, "[2] [0]"},
		"held, on another base": {[]*session.State{onBase("s", "aaaaaaa1", 0)}, []*session.State{onBase("s", "bbbbbbb1", 0)}, "[0] [0]"},
		"on another base":       {[]*session.State{onBase("s", "bbbbbbb1", 0)}, nil, "[0] []"},
		"on a stream with one":  {[]*session.State{onBase("s", "aaaaaaa1", 1)}, nil, "[1] []"},
		"another session":       {[]*session.State{onBase("t", "aaaaaaa1", 0), onBase("s", "aaaaaaa1", 0)}, nil, "[0 2] []"},
	} {
		changed := giveSuffix(renaming("s", "aaaaaaa", 2), c.states, c.current)
		suffixes := func(states []*session.State) string {
			all := []int{}
			for _, s := range states {
				all = append(all, s.ShadowBranchSuffix)
			}
			return fmt.Sprint(all)
		}
		if got := suffixes(c.states) + " " + suffixes(c.current); got != c.want || (len(changed) == 1) != strings.Contains(got, "2") {
			t.Errorf("%s: %s, %d changed", name, got, len(changed))
		}
	}
}

// TestRenameLegacyOfNone: without such a stream nothing is asked.
func TestRenameLegacyOfNone(t *testing.T) {
	run := fakeRun(t, nil)
	if listing, err := RenameLegacy(t.Context(), run, shadow.Listing{}); err != nil || listing.HasLegacy() {
		t.Errorf("%+v, %v", listing, err)
	}
}
