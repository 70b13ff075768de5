package turns

import (
	"context"
	"slices"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/session"
	"entire-plumb/internal/workspace"
	"entire-plumb/shadow"
)

// Unfinished lists the sessions, of all worktrees, whose turn made commits and never ended,
// and whose transcript holds more than the commits' checkpoints: the agent was killed or stopped.
// It omits sessions whose agent is known to be alive, and the one named: their turn's end finalises
// them.
func Unfinished(run *workspace.Run, except string) ([]*session.State, error) {
	states, err := run.Store.List()
	if slices.ContainsFunc(states, func(s *session.State) bool { return len(s.TurnCheckpointIDs) > 0 }) && !run.Installed() {
		return nil, err // another program's, which finishes them itself
	}
	return slices.DeleteFunc(states, func(s *session.State) bool {
		if len(s.TurnCheckpointIDs) == 0 || s.SessionID == except || !s.TranscriptGrew() {
			return true
		}
		alive, known := run.AgentAlive(s)
		return known && alive
	}), err
}

// FinalizeUnfinished writes the whole transcript into the checkpoints of unfinished turns (seed
// 002, caveat 6). Where it is not known whether the agent has exited, the turn's end writes it
// again.
func FinalizeUnfinished(ctx context.Context, run *workspace.Run, except string) error {
	if lost, err := Unfinished(run, except); err != nil || len(lost) == 0 {
		return err
	}
	return run.Locked(ctx, func() error {
		lost, err := Unfinished(run, except)
		if err != nil {
			return err
		}
		for _, s := range lost {
			ids := slices.Clone(s.TurnCheckpointIDs)
			if _, known := run.AgentAlive(s); known {
				ids = nil
			}
			if err := finalize(ctx, run, s, ids); err != nil {
				return err
			}
		}
		return nil
	})
}

// finalizeCommits gives the commits of a turn whose agent was killed or stopped their transcript.
func finalizeCommits(ctx context.Context, run *workspace.Run, s *session.State) error {
	if len(s.TurnCheckpointIDs) == 0 {
		return nil
	}
	return finalize(ctx, run, s, nil)
}

// finalize writes the transcript into the checkpoints of a turn that never ended, in a transaction
// of its own. The turn's end finalises those in kept again.
func finalize(ctx context.Context, run *workspace.Run, s *session.State, kept []string) error {
	listing, err := shadow.List(ctx, run.Repo)
	if err != nil {
		return err
	}
	meta, err := recordConversation(ctx, run, s)
	if err != nil {
		return err
	}
	refs, err := writeFinal(run, s, listing, meta)
	if err != nil {
		return err
	}
	s.Unfinished(kept)
	return shadow.Apply(ctx, run.DB, run.Store, refs, []*session.State{s})
}

// writeFinal writes the turn's checkpoints whole, in one commit.
func writeFinal(run *workspace.Run, s *session.State, listing shadow.Listing, meta shadow.Metadata) ([]shadow.RefChange, error) {
	branch, err := checkpoints.ReadBranch(run.DB, listing.Checkpoints)
	if err != nil {
		return nil, err
	}
	edits := gitexec.Edits{}
	ids, err := checkpoints.UpdateCommitted(run.DB, branch, s, meta, edits)
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	return checkpoints.WriteBranch(run.DB, branch, edits, run.Author(s), checkpoints.FinalizeMessage(s, ids))
}

// recordConversation updates the session's recorded conversation. An unreadable transcript is only
// a warning.
func recordConversation(ctx context.Context, run *workspace.Run, s *session.State) (shadow.Metadata, error) {
	meta, trouble, err := shadow.Record(ctx, run.DB, run.Store, s)
	run.WarnOf(trouble)
	return meta, err
}
