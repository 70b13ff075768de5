package session

import (
	"fmt"
	"strings"
	"testing"
)

// TestPlaces: a session has a place in each worktree, and one of them is looked at.
func TestPlaces(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*State) any
		want   string
	}{
		"here":           {func(s *State) any { return s.In("") }, "true: main b 2, w1 c 1"},
		"elsewhere":      {func(s *State) any { return s.In("w1") }, "true: w1 c 1, main b 2"},
		"there and back": {func(s *State) any { return s.In("w1") && s.In("") }, "true: main b 2, w1 c 1"},
		"nowhere":        {func(s *State) any { return s.In("w2") }, "false: main b 2, w1 c 1"},
		"entered again":  {func(s *State) any { s.Enter("w1", "/moved", "d"); return s.WorktreePath }, "/moved: w1 c 1, main b 2"},
		"entered":        {func(s *State) any { s.Enter("w2", "/w2", "d"); return s.CheckpointPromptStart }, "7: w2 d 0, main b 2, w1 c 1"},
		"removed":        {func(s *State) any { return len(Forget(s, func(p Place) bool { return p.WorktreeID == "" })) }, "1: main b 2"},
		"removed, looked at": {func(s *State) any {
			s.In("w1")
			return len(Forget(s, func(p Place) bool { return p.WorktreeID == "" }))
		}, "0: w1 c 1, main b 2"},
		"none of the removed": {func(s *State) any { return len(Forget(s, func(Place) bool { return true })) }, "0: main b 2, w1 c 1"},
	} {
		t.Run(name, func(t *testing.T) {
			s := &State{Place: Place{BaseCommit: "b", ShadowBranchSuffix: 2, CheckpointPromptStart: 7},
				Others: []Place{{WorktreeID: "w1", WorktreePath: "/w1", BaseCommit: "c", ShadowBranchSuffix: 1}}}
			given := c.change(s)
			var places []string
			for i, p := range s.Places() {
				id := p.WorktreeID
				if id == "" {
					id = "main"
				}
				at := fmt.Sprintf("%s %s %d", id, p.BaseCommit, p.ShadowBranchSuffix)
				if i == 0 {
					places = append(places, at)
				} else { // their order says nothing
					places = append([]string{places[0], at}, places[1:]...)
				}
			}
			if got := fmt.Sprintf("%v: %s", given, strings.Join(places, ", ")); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}

// TestPlaceIsChecked: each place of a state file is, since its IDs are passed to git.
func TestPlaceIsChecked(t *testing.T) {
	s := Store{Dir: t.TempDir()}
	for _, bad := range []string{`{"base_commit": "-x"}`, `{"turn_start_tree": "HEAD"}`, `{"shadow_branch_suffix": -1}`} {
		put(t, s.file("s1"), `{"session_id": "s1", "other_worktrees": [{"worktree_id": "w"}, `+bad+`]}`)
		if _, err := s.Load("s1"); err == nil {
			t.Errorf("%s was loaded", bad)
		}
	}
	put(t, s.file("s1"), `{"session_id": "s1", "other_worktrees": [{"worktree_id": "w", "phase": "tea"}]}`)
	if state, err := s.Load("s1"); err != nil || state.Others[0].Phase != Idle {
		t.Errorf("an unknown phase: %+v, %v", state, err)
	}
}

// TestWorkElsewhereKeepsFromRest: what another worktree has uncommitted may affect a commit there.
func TestWorkElsewhereKeepsFromRest(t *testing.T) {
	s := &State{Others: []Place{{WorktreeID: "w", ShadowBranchSuffix: 1}}}
	if s.AtRest(longAgo.Add(100*KeptFor)) || s.hasNoWork() {
		t.Error("a session with a stream in another worktree rests")
	}
	if s.Others[0].ShadowBranchSuffix = 0; !s.hasNoWork() {
		t.Error("a session without work doesn't rest")
	}
}
