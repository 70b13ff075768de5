package session

import (
	"slices"

	"entire-plumb/gitexec"
	"entire-plumb/internal/ancestry"
)

// The changes of a session's state, by name. Package shadow, which records conversations and
// restores sessions, sets what it reads itself.

// StartsAt records what the next changes are compared with: the worktree's tree, on a commit, and
// the index's where it has versions that neither of them has; else empty.
func (s *State) StartsAt(tree, commit, index gitexec.OID) {
	s.TurnStartTree, s.TurnStartCommit, s.TurnStartIndex = tree, commit, index
}

// BeginTurn sets the turn's ID and the agent's process; nil: not known.
func (s *State) BeginTurn(id string, agent *ancestry.Process) {
	s.TurnID, s.AgentProcess, s.TurnOpen = id, agent, false
}

// Prompted records a prompt, or all prompts of a turn, as they are displayed.
func (s *State) Prompted(prompt string) {
	s.LastPrompt = prompt
	if s.FirstPrompt == "" {
		s.FirstPrompt = prompt
	}
}

// MoveTo makes a commit the base of the session's next work, and drops its work on other bases,
// except those that are kept.
func (s *State) MoveTo(base gitexec.OID, kept ...gitexec.OID) {
	s.BaseCommit, s.AttributionBaseCommit = base, base
	s.ShadowBranchSuffix, s.CheckpointCount, s.FilesTouched = 0, 0, nil
	s.OtherBases = latestBases(kept, base)
}

// mostOtherBases is how many other bases a state keeps.
const mostOtherBases = 8

// latestBases are the last ones of some bases, each once, without the current one.
func latestBases(bases []gitexec.OID, current gitexec.OID) []gitexec.OID {
	var others []gitexec.OID
	for i, base := range bases {
		if base != "" && base != current && !slices.Contains(bases[i+1:], base) {
			others = append(others, base)
		}
	}
	return others[max(0, len(others)-mostOtherBases):]
}

// KeepBases keeps those of the session's other bases that still hold streams.
func KeepBases(s *State, hasStreams func(base gitexec.OID) bool) {
	s.OtherBases = slices.DeleteFunc(slices.Clone(s.OtherBases), func(base gitexec.OID) bool { return !hasStreams(base) })
}

// OnStream records a checkpoint of the session on a stream of a base, with the files in it. Its
// earlier base may still hold other streams of the session: see KeepBases.
func (s *State) OnStream(suffix int, base gitexec.OID, files []gitexec.Path) {
	bases := s.OtherBases
	if s.ShadowBranchSuffix > 0 {
		bases = s.Bases()
	}
	s.OtherBases = latestBases(bases, base)
	s.ShadowBranchSuffix, s.BaseCommit = suffix, base
	s.CheckpointCount++
	s.FilesTouched = slices.Clone(s.FilesTouched)
	s.FilesTouched = append(s.FilesTouched, files...)
	slices.Sort(s.FilesTouched)
	s.FilesTouched = slices.Compact(s.FilesTouched)
}

// Committed records that all work so far is in a committed checkpoint. prompts is how many prompts
// there were.
func (s *State) Committed(id string, prompts int) {
	if s.CheckpointPromptStart = prompts; s.Phase == Active && prompts > 0 {
		s.CheckpointPromptStart-- // the last one asked for the work in progress
	}
	s.LastCheckpointID = id
	s.CheckpointCount = 0
	s.coverTranscript()
	if s.Phase == Active && !slices.Contains(s.TurnCheckpointIDs, id) {
		s.TurnCheckpointIDs = append(s.TurnCheckpointIDs, id)
	}
}

// Finalized records that the checkpoints of the turn have the whole transcript.
func (s *State) Finalized() {
	s.coverTranscript()
	s.TurnCheckpointIDs = nil
}

// coverTranscript records that a committed checkpoint has all of the recorded transcript.
func (s *State) coverTranscript() {
	s.CheckpointTranscriptStart, s.CheckpointTokenUsage = s.Recorded.Lines, nil
}

// StreamRenamed records that a stream of a base has another suffix, as after the base was
// rewritten, and reports whether the session is on it.
func (s *State) StreamRenamed(base gitexec.OID, from, to int) bool {
	if s.BaseCommit != base || s.ShadowBranchSuffix != from {
		return false
	}
	s.ShadowBranchSuffix = to
	return true
}
