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

// lost lists the sessions, of all worktrees, whose turn never ended though it has made commits, and
// whose transcript tells more than the commits' checkpoints hold: the agent died, or was stopped.
// One that is known to be alive is left to its turn's end, and so is the one named.
func (p *condenser) lost(but string) ([]*session.State, error) {
	states, err := p.Store.List()
	if slices.ContainsFunc(states, func(s *session.State) bool { return len(s.TurnCheckpointIDs) > 0 }) && !p.Installed() {
		return nil, err // another program's, which finishes its own work
	}
	return slices.DeleteFunc(states, func(s *session.State) bool {
		if len(s.TurnCheckpointIDs) == 0 || s.SessionID == but || !s.TranscriptGrew() {
			return true
		}
		alive, known := p.AgentAlive(s)
		return known && alive
	}), err
}

// finalizeLost gives the checkpoints of lost turns the whole transcript (seed 002, caveat 6). Where
// it isn't known that the agent is gone, the turn's end will do it once more.
func (p *condenser) finalizeLost(ctx context.Context, but string) error {
	if lost, err := p.lost(but); err != nil || len(lost) == 0 {
		return err
	}
	return p.Locked(ctx, func() error {
		lost, err := p.lost(but)
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

// finalize gives the checkpoints of a turn that never ended their transcript, in a transaction of
// its own. Those that are kept are finalised once more when it does end.
func (p *condenser) finalize(ctx context.Context, s *session.State, kept []string) error {
	listing, err := shadow.List(ctx, p.Repo)
	if err != nil {
		return err
	}
	meta, err := p.record(ctx, s)
	if err != nil {
		return err
	}
	refs, err := p.writeFinal(ctx, s, listing, meta)
	if err != nil {
		return err
	}
	s.TurnCheckpointIDs = kept
	return shadow.Apply(ctx, p.Repo, p.Store, refs, []*session.State{s})
}

// writeFinal writes the turn's checkpoints again, whole, in one commit.
func (p *condenser) writeFinal(ctx context.Context, s *session.State, listing shadow.Listing, meta shadow.Metadata) ([]shadow.RefChange, error) {
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

// record brings the session's recorded conversation up to date. A transcript that cannot be read is
// worth a warning, no more.
func (p *condenser) record(ctx context.Context, s *session.State) (shadow.Metadata, error) {
	meta, trouble, err := shadow.Record(ctx, p.DB, p.Store, s)
	if trouble != nil {
		p.WarnLater(explain.OneLine(trouble))
	}
	return meta, err
}
