package session

import (
	"slices"

	"entire-plumb/gitexec"
	"entire-plumb/internal/ancestry"
)

// The changes of a session's state, by their names. Package shadow, which records conversations and
// finds sessions again, sets what it read itself.

// StartsAt notes what the next change is compared with: the worktree as it is, on a commit.
func (s *State) StartsAt(tree, commit gitexec.OID) {
	s.TurnStartTree, s.TurnStartCommit = tree, commit
}

// BeginTurn gives the turn its ID, and says which process is the agent; nil: it is not known.
func (s *State) BeginTurn(id string, agent *ancestry.Process) {
	s.TurnID, s.AgentProcess, s.TurnOpen = id, agent, false
}

// Prompted notes a prompt, as it is shown.
func (s *State) Prompted(prompt string) {
	s.LastPrompt = prompt
	if s.FirstPrompt == "" {
		s.FirstPrompt = prompt
	}
}

// MoveTo makes a commit the base of what the session does next. Its work on another base is no
// concern of it any more.
func (s *State) MoveTo(base gitexec.OID) {
	s.BaseCommit, s.AttributionBaseCommit = base, base
	s.ShadowBranchSuffix, s.CheckpointCount, s.FilesTouched = 0, 0, nil
}

// MoveToWorktree has the session go on in another worktree, on the commit there.
func (s *State) MoveToWorktree(id, path string, base gitexec.OID) {
	s.WorktreeID, s.WorktreePath = id, path
	s.MoveTo(base)
	s.Phase = Idle
	s.StartsAt("", "")
}

// OnStream notes a checkpoint of the session on a stream of a base, with the files that it has.
func (s *State) OnStream(suffix int, base gitexec.OID, files []gitexec.Path) {
	s.ShadowBranchSuffix, s.BaseCommit = suffix, base
	s.CheckpointCount++
	s.FilesTouched = slices.Clone(s.FilesTouched)
	s.FilesTouched = append(s.FilesTouched, files...)
	slices.Sort(s.FilesTouched)
	s.FilesTouched = slices.Compact(s.FilesTouched)
}

// Committed notes that all so far is in a committed checkpoint. asked is how many prompts there were.
func (s *State) Committed(id string, asked int) {
	if s.CheckpointPromptStart = asked; s.Phase == Active && asked > 0 {
		s.CheckpointPromptStart-- // what it is at now is asked for by that one
	}
	s.LastCheckpointID = id
	s.CheckpointCount = 0
	s.covered()
	if s.Phase == Active && !slices.Contains(s.TurnCheckpointIDs, id) {
		s.TurnCheckpointIDs = append(s.TurnCheckpointIDs, id)
	}
}

// Finalized notes that the checkpoints of the turn have the whole transcript.
func (s *State) Finalized() {
	s.covered()
	s.TurnCheckpointIDs = nil
}

// covered notes that a committed checkpoint has all of the transcript that is recorded.
func (s *State) covered() {
	s.CheckpointTranscriptStart, s.CheckpointTokenUsage = s.Recorded.Lines, nil
}
