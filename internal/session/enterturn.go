package session

import (
	"slices"

	"entire-plumb/gitexec"
)

// mostWorktrees is how many worktrees a state lists.
const mostWorktrees = 500

// BeganBeside records the worktrees that are there when a turn begins, by their IDs. Of more than
// it keeps nothing is known.
func (s *State) BeganBeside(worktreeIDs []string) {
	s.TurnStartWorktrees = nil
	if len(worktreeIDs) <= mostWorktrees {
		s.TurnStartWorktrees = append([]string{""}, worktreeIDs...) // the main one is always there
	}
}

// BornInTurn reports whether a worktree was made after the turn began.
func (s *State) BornInTurn(worktreeID string) bool {
	return len(s.TurnStartWorktrees) > 0 && !slices.Contains(s.TurnStartWorktrees, worktreeID)
}

// CanEnter reports whether a turn is in progress, and none in a worktree.
func (s *State) CanEnter(worktreeID string) bool {
	active := false
	for _, place := range s.Places() {
		if place.Phase == Active && place.WorktreeID == worktreeID {
			return false
		}
		active = active || place.Phase == Active
	}
	return active
}

// EnterTurn has the turn in progress be in progress in a worktree, too, on the commit there. It
// began there at a tree on another commit; empty: not known.
func (s *State) EnterTurn(worktreeID, path string, base, tree, commit gitexec.OID) {
	s.Enter(worktreeID, path, base)
	s.Phase, s.TurnOpen, s.AgentID = Active, false, ""
	s.StartsAt(tree, commit, "")
	s.TurnStartStaged, s.LeftOut = nil, nil
}

// Made reports whether a turn of the session made a worktree.
func (s *State) Made(worktreeID string) bool {
	return slices.ContainsFunc(s.Places(), func(p Place) bool { return p.WorktreeID == worktreeID && p.MadeWorktree })
}
