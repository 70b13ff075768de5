package session

import "testing"

func TestEnterTurn(t *testing.T) {
	s := &State{SessionID: "s", Place: Place{Phase: Active, BaseCommit: "b"}}
	if s.BornInTurn("w") {
		t.Error("nobody knows what there was when the turn began")
	}
	s.BeganBeside([]string{"old"})
	if s.BornInTurn("old") || s.BornInTurn("") || !s.BornInTurn("w") {
		t.Errorf("born in the turn, of %q", s.TurnStartWorktrees)
	}
	if s.CanEnter("") || !s.CanEnter("w") {
		t.Error("it can enter what it isn't in")
	}
	s.EnterTurn("w", "/w", "c", "t", "b")
	if s.WorktreeID != "w" || s.Phase != Active || s.BaseCommit != "c" || s.TurnStartTree != "t" || s.TurnStartCommit != "b" || len(s.Others) != 1 {
		t.Errorf("%+v", s)
	}
	if s.CanEnter("w") || s.CanEnter("") {
		t.Error("it is in both")
	}
	s.BeganBeside(make([]string, mostWorktrees+1))
	if s.BornInTurn("w") {
		t.Error("it lists too many")
	}
	if idle := (&State{Place: Place{Phase: Idle}}); idle.CanEnter("w") {
		t.Error("no turn is in progress")
	}
}
