package hooks

import (
	"context"
	"slices"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/explain"
	"entire-plumb/internal/session"
	"entire-plumb/shadow"
)

// unfinishedTurns lists the sessions, of all worktrees, whose turn made commits and never ended,
// and whose transcript holds more than the commits' checkpoints: the agent was killed or stopped.
// It omits sessions whose agent is known to be alive, and the one named: their turn's end finalises
// them.
func (p *condenser) unfinishedTurns(except string) ([]*session.State, error) {
	states, err := p.Store.List()
	if slices.ContainsFunc(states, func(s *session.State) bool { return len(s.TurnCheckpointIDs) > 0 }) && !p.Installed() {
		return nil, err // another program's, which finishes them itself
	}
	return slices.DeleteFunc(states, func(s *session.State) bool {
		if len(s.TurnCheckpointIDs) == 0 || s.SessionID == except || !s.TranscriptGrew() {
			return true
		}
		alive, known := p.AgentAlive(s)
		return known && alive
	}), err
}

// finalizeUnfinished writes the whole transcript into the checkpoints of unfinished turns (seed
// 002, caveat 6). Where it is not known whether the agent has exited, the turn's end writes it
// again.
func (p *condenser) finalizeUnfinished(ctx context.Context, except string) error {
	if lost, err := p.unfinishedTurns(except); err != nil || len(lost) == 0 {
		return err
	}
	return p.Locked(ctx, func() error {
		lost, err := p.unfinishedTurns(except)
		if err != nil {
			return err
		}
		for _, s := range lost {
			ids := slices.Clone(s.TurnCheckpointIDs)
			if _, known := p.AgentAlive(s); known {
				ids = nil
			}
			if err := p.finalize(ctx, s, ids); err != nil {
				return err
			}
		}
		return nil
	})
}

// finalize writes the transcript into the checkpoints of a turn that never ended, in a transaction
// of its own. The turn's end finalises those in kept again.
func (p *condenser) finalize(ctx context.Context, s *session.State, kept []string) error {
	listing, err := shadow.List(ctx, p.Repo)
	if err != nil {
		return err
	}
	meta, err := p.recordConversation(ctx, s)
	if err != nil {
		return err
	}
	refs, err := p.writeFinal(ctx, s, listing, meta)
	if err != nil {
		return err
	}
	s.TurnCheckpointIDs = kept
	return shadow.Apply(ctx, p.DB, p.Store, refs, []*session.State{s})
}

// writeFinal writes the turn's checkpoints whole, in one commit.
func (p *condenser) writeFinal(
	ctx context.Context, s *session.State, listing shadow.Listing, meta shadow.Metadata,
) ([]shadow.RefChange, error) {
	branch, err := checkpoints.ReadBranch(p.DB, listing.Checkpoints)
	if err != nil {
		return nil, err
	}
	edits := gitexec.Edits{}
	ids, err := checkpoints.UpdateCommitted(p.DB, branch, s, meta, edits)
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	commits, err := branch.Commits(p.DB, edits, p.Author(s), checkpoints.FinalizeMessage(s, ids))
	if err != nil {
		return nil, err
	}
	written, err := p.DB.CommitTree(commits...)
	if err != nil {
		return nil, err
	}
	return []shadow.RefChange{{Ref: shadow.Checkpoints, Old: branch.Local, New: written[len(written)-1]}}, nil
}

// recordConversation updates the session's recorded conversation. An unreadable transcript is only
// a warning.
func (p *condenser) recordConversation(ctx context.Context, s *session.State) (shadow.Metadata, error) {
	meta, trouble, err := shadow.Record(ctx, p.DB, p.Store, s)
	if trouble != nil {
		p.WarnLater(explain.OneLine(trouble))
	}
	return meta, err
}
