package hooks

import (
	"context"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/session"
	"entire-plumb/shadow"
)

// finalize gives the checkpoints of a turn that never ended their transcript, in a transaction of its own.
func (p *place) finalize(ctx context.Context, s *session.State) error {
	listing, err := shadow.List(ctx, p.repo)
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
	return shadow.Apply(ctx, p.repo, p.store, refs, []*session.State{s})
}

// writeFinal writes the turn's checkpoints again, whole, in one commit.
func (p *place) writeFinal(ctx context.Context, s *session.State, listing shadow.Listing, meta shadow.Metadata) ([]shadow.RefChange, error) {
	branch, err := condense.ReadBranch(p.db, listing.Checkpoints)
	if err != nil {
		return nil, err
	}
	edits := gitexec.Edits{}
	ids, err := condense.Finalize(p.db, branch, s, meta, edits)
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	commits, err := branch.Commits(p.db, edits, p.author(s), condense.FinalizeMessage(s, ids))
	if err != nil {
		return nil, err
	}
	written, err := p.db.CommitTree(commits...)
	if err != nil {
		return nil, err
	}
	return []shadow.RefChange{{Ref: shadow.Checkpoints, Old: branch.Tip, New: written[len(written)-1]}}, nil
}

// record brings the session's recorded conversation up to date. A transcript that cannot be read is worth a warning, no more.
func (p *place) record(ctx context.Context, s *session.State) (shadow.Metadata, error) {
	meta, trouble, err := shadow.Record(ctx, p.db, p.store, s)
	if trouble != nil {
		p.warn(OneLine(trouble))
	}
	return meta, err
}
