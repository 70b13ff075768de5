package upkeep

import (
	"slices"
	"testing"

	"entire-plumb/gitexec"
	"entire-plumb/internal/session"
	"entire-plumb/shadow"
)

func TestStreamRemoval(t *testing.T) {
	stream := shadow.Stream{Name: shadow.Name{Base: "0123456", Suffix: 1}, Tip: shadow.Checkpoint{ID: "tip"}}
	for fact, test := range map[string]struct {
		sessions  []string
		id        string
		removed   bool
		rewritten bool
		why       string
		others    []string
	}{
		"all sessions":             {[]string{"a", "b"}, "", true, false, "", nil},
		"the only session":         {[]string{"a"}, "a", true, false, "", nil},
		"one of three":             {[]string{"a", "b", "c"}, "b", true, true, "it has work of a, c, which stays", []string{"a", "c"}},
		"none of it is of session": {[]string{"a", "b"}, "c", false, false, "", nil},
	} {
		r, others := streamRemoval(stream, test.sessions, test.id)
		if (r != nil) != test.removed || !slices.Equal(others, test.others) {
			t.Errorf("%s: %+v, others %q", fact, r, others)
			continue
		}
		if r != nil && (r.Rewritten != test.rewritten || r.Why != test.why || r.Was != "tip" || r.Kind != RemovesStream || r.Name != "entire/0123456-1") {
			t.Errorf("%s: %+v", fact, *r)
		}
	}
}

func TestWhichSessionsStartOver(t *testing.T) {
	for fact, test := range map[string]struct {
		place session.Place
		want  bool
	}{
		"it is on a stream of HEAD":        {session.Place{BaseCommit: "head", ShadowBranchSuffix: 1}, true},
		"its stream is gone, files remain": {session.Place{BaseCommit: "head", FilesTouched: []gitexec.Path{"a"}}, true},
		"it has done nothing":              {session.Place{BaseCommit: "head"}, false},
		"it is on another commit":          {session.Place{BaseCommit: "old", ShadowBranchSuffix: 1}, false},
		"it has been on HEAD":              {session.Place{BaseCommit: "old", OtherBases: []gitexec.OID{"head"}, ShadowBranchSuffix: 1}, true},
	} {
		s := &session.State{Place: test.place}
		if got := startsOver(s, "head"); got != test.want {
			t.Errorf("%s: %v", fact, got)
		}
		if test.want && (s.BaseCommit != "head" || s.ShadowBranchSuffix != 0 || len(s.FilesTouched) > 0) {
			t.Errorf("%s: it is at %+v", fact, s.Place)
		}
	}
}

func TestPlanCountsWhatIsDeleted(t *testing.T) {
	if got := plan([]Removal{{Name: "a"}, {Name: "c"}}); got != "2 deleted" {
		t.Errorf("%q", got)
	}
}

func TestResetOfOneSession(t *testing.T) {
	w := newWorld(t)
	w.turn("one", "a.txt", "the first agent's line\n", true)
	w.turn("two", "b.txt", "the second agent's line\n", true)
	before, err := Streams(t.Context(), w.env(), "", false)
	if err != nil || len(before) != 1 || !slices.Equal(before[0].Sessions, []string{"one", "two"}) {
		t.Fatalf("%+v, %v", before, err)
	}
	removed, err := Reset(t.Context(), w.env(), ResetRequest{Session: "tw"})
	if err != nil || len(removed) != 2 || !removed[0].Rewritten || removed[1].Name != "two" || !removed[1].Starts {
		t.Fatalf("%+v, %v", removed, err)
	}
	after, err := Streams(t.Context(), w.env(), "", false)
	if err != nil || len(after) != 1 || !slices.Equal(after[0].Sessions, []string{"one"}) || !slices.Equal(after[0].Files, []gitexec.Path{"a.txt"}) {
		t.Errorf("%+v, %v", after, err)
	}
	if removed, err = Reset(t.Context(), w.env(), ResetRequest{}); err != nil || len(removed) != 2 || removed[0].Rewritten {
		t.Errorf("of all: %+v, %v", removed, err)
	}
	if left := w.where(false); len(left) > 0 {
		t.Errorf("streams remain: %q", left)
	}
}
