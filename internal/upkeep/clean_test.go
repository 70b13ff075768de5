package upkeep

import (
	"slices"
	"strings"
	"testing"
	"time"

	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/session"
	"entire-plumb/internal/testdir"
)

func TestWhyAStreamIsUnneeded(t *testing.T) {
	for _, test := range []struct {
		fact      string
		work      Whereabouts
		updated   time.Duration // ago
		mayReturn bool
		want      string
	}{
		{"a commit has it", Committed, 0, false, "a commit has its work"},
		{"it is in the worktree", InWorktree, 100 * day, false, ""},
		{"it is stashed", InStash, 100 * day, false, ""},
		{"it is another worktree's", Elsewhere, 100 * day, false, ""},
		{"its worktree was removed", Removed, 0, false, "its worktree was removed"},
		{"its worktree may be on a disk that is not mounted", Removed, 100 * day, true, ""},
		{"it is nowhere", Dismissed, cleanedAfter + time.Second, false, "its base is on no branch, and its work nowhere, for 14 days"},
		{"it is nowhere since today", Dismissed, cleanedAfter, false, ""},
		{"it cannot be read", NotKnown, 100 * day, false, ""},
	} {
		info := StreamInfo{Work: test.work, Updated: now.Add(-test.updated)}
		if got := whyUnneeded(info, func() bool { return test.mayReturn }, now); got != test.want {
			t.Errorf("%s: %q, want %q", test.fact, got, test.want)
		}
	}
}

func TestWhichCheckpointsAreOld(t *testing.T) {
	for fact, test := range map[string]struct {
		info checkpoints.CommittedInfo
		want bool
	}{
		"old":                      {checkpoints.CommittedInfo{When: *ago(15 * day)}, true},
		"new":                      {checkpoints.CommittedInfo{When: *ago(13 * day)}, false},
		"its age is not known":     {checkpoints.CommittedInfo{}, false},
		"it cannot be read":        {checkpoints.CommittedInfo{When: *ago(15 * day), Error: "damaged"}, false},
		"it is of the same moment": {checkpoints.CommittedInfo{When: *ago(cleanedAfter)}, false},
	} {
		if got := longReadable(test.info, now); got != test.want {
			t.Errorf("%s: %v", fact, got)
		}
	}
}

func TestWhichStatesAreDeleted(t *testing.T) {
	old := func(change func(s *session.State)) *session.State {
		s := &session.State{SessionID: "s", StartedAt: *ago(100 * day), LastInteractionTime: ago(15 * day)}
		change(s)
		return s
	}
	for fact, test := range map[string]struct {
		state *session.State
		known bool
		want  bool
	}{
		"nothing is known of it":           {old(func(*session.State) {}), false, true},
		"a stream or a checkpoint has it":  {old(func(*session.State) {}), true, false},
		"it had an event lately":           {old(func(s *session.State) { s.LastInteractionTime = ago(13 * day) }), false, false},
		"it had no event since it started": {old(func(s *session.State) { s.LastInteractionTime = nil }), false, true},
		"it started lately":                {old(func(s *session.State) { s.LastInteractionTime, s.StartedAt = nil, *ago(day) }), false, false},
		"a turn of it is in progress":      {old(func(s *session.State) { s.Phase = session.Active }), false, false},
		"tasks of it go on":                {old(func(s *session.State) { s.TurnOpen = true }), false, false},
		"a turn of it is in progress elsewhere": {
			old(func(s *session.State) { s.Others = []session.Place{{WorktreeID: "w", Phase: session.Active}} }), false, false},
		"a commit is linked to it":         {old(func(s *session.State) { s.Linked = []session.Link{{}} }), false, false},
		"commits of its turn are not done": {old(func(s *session.State) { s.TurnCheckpointIDs = []string{"1"} }), false, false},
	} {
		var c cleaning
		c.addStates([]*session.State{test.state}, map[string]bool{"s": test.known}, now)
		if got := slices.Equal(c.sessions, []string{"s"}); got != test.want || len(c.removed) != len(c.sessions) {
			t.Errorf("%s: %+v", fact, c)
		}
	}
}

// A preview deletes nothing; what was deleted is kept for a time, and then deleted, too.
func TestCleanDeletesCommittedStreams(t *testing.T) {
	w := newWorld(t)
	w.turn("one", "a.txt", "the agent's line\n", true)
	w.Git("add", ".")
	w.Git("commit", "-qm", "Second")
	clean := func(preview bool) (kinds []string) {
		t.Helper()
		removed, err := Clean(t.Context(), w.env(), preview)
		testdir.Must(t, err)
		for _, r := range removed {
			kinds = append(kinds, r.Kind)
		}
		return kinds
	}
	if got := clean(true); !slices.Equal(got, []string{RemovesStream}) || !slices.Equal(w.where(false), []Whereabouts{Committed}) {
		t.Errorf("a preview: %q, and the stream is %q", got, w.where(false))
	}
	if got := clean(false); !slices.Equal(got, []string{RemovesStream}) || len(w.where(false)) > 0 || !slices.Equal(w.where(true), []Whereabouts{Committed}) {
		t.Errorf("%q, and the streams are %q", got, w.where(true))
	}
	if got := clean(false); len(got) > 0 {
		t.Errorf("again: %q", got)
	}
	w.time = now.Add(15 * day)
	if got := clean(false); !slices.Contains(got, RemovesKept) || len(w.where(true)) > 0 {
		t.Errorf("after 15 days: %q, and the streams are %q", got, w.where(true))
	}
	if strings.Contains(w.said.String(), "entire-plumb:") {
		t.Errorf("it says %q", w.said.String())
	}
}
