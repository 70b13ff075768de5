package rewind

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/query"
	"entire-plumb/internal/settings"
	"entire-plumb/shadow"
)

// point is a checkpoint to rewind to.
type point struct {
	query.RewindPoint
	tree   gitexec.OID        // without metadata
	base   gitexec.OID        // of a checkpoint on a stream
	commit gitexec.OID        // that links a committed one
	stream *shadow.Checkpoint // nil: a committed one
}

// pointOf finds the checkpoint of a request. For a session or a turn, it is the last one on a
// stream, or else the last committed one.
func (p *run) pointOf(ctx context.Context, q Request) (point, error) {
	branch, err := checkpoints.ReadBranches(ctx, p.opened.Repo, p.opened.DB)
	if err != nil {
		return point{}, err
	}
	branch = checkpoints.AsOf(branch, p.opened.Now())
	r := &query.Reader{Env: p.opened.Env, Repo: p.opened.Repo, DB: p.opened.DB, Branch: branch}
	found, err := resolve(ctx, r, q)
	if err != nil {
		return point{}, err
	}
	if found.Checkpoint != "" {
		return p.committedPoint(ctx, r, found.Checkpoint)
	}
	k, ours, err := shadow.ReadCheckpoint(p.opened.DB, found.Commit)
	if err != nil {
		return point{}, err
	}
	if ours {
		tree, err := p.opened.DB.EditTree(k.Tree, gitexec.Edits{shadow.MetadataDir: {}})
		base := cmp.Or(k.Base, p.Head.ID) // another program's names none: the first of its stream hangs on the base
		return point{RewindPoint: query.PointOnStream(k), tree: tree, base: base, stream: &k}, err
	}
	return p.commitPoint(ctx, r, found.Commit, q)
}

// resolve finds the commit or the committed checkpoint of a request.
func resolve(ctx context.Context, r *query.Reader, q Request) (found query.Named, err error) {
	name := q.To
	if q.Last {
		all, err := r.RewindPoints(ctx, 1)
		if err != nil {
			return found, err
		}
		if len(all) == 0 {
			return found, errors.New("there is no checkpoint: nothing is recorded on HEAD or in its history")
		}
		name = all[0].ID
	}
	if found, err = r.Resolve(ctx, name); err != nil {
		return found, err
	}
	if found.Turn != nil {
		return lastOfTurn(found.Turn), nil
	}
	if found.Session != "" {
		all, err := r.ShowSession(ctx, found.Session)
		if err != nil {
			return found, err
		}
		return lastOfSession(found.Session, all)
	}
	return found, nil
}

func lastOfTurn(t *query.Turn) query.Named {
	if n := len(t.OnStreams); n > 0 {
		return query.Named{Commit: t.OnStreams[n-1]}
	}
	return query.Named{Checkpoint: t.Checkpoints[len(t.Checkpoints)-1]}
}

// lastOfSession is the last of a session's checkpoints; those on streams come last.
func lastOfSession(id string, all []query.Shown) (query.Named, error) {
	if len(all) == 0 {
		return query.Named{}, fmt.Errorf("session %s has no checkpoint\nhint: list the checkpoints with entire-plumb rewind", id)
	}
	last := all[len(all)-1]
	return query.Named{Checkpoint: last.Checkpoint, Commit: gitexec.OID(last.Stream)}, nil
}

// commitPoint is the point of a user's commit, or of a worktree that was saved before a rewind.
func (p *run) commitPoint(ctx context.Context, r *query.Reader, id gitexec.OID, q Request) (point, error) {
	c, err := p.opened.DB.Commit(id)
	if err != nil {
		return point{}, err
	}
	// A saved worktree has no conversation: with Logs it is a commit as any other.
	if k, ok, err := p.saved(ctx, c); !q.Logs && ok || err != nil {
		return k, err
	}
	links := r.Branch.Links(p.opened.DB, c)
	switch {
	case len(links) > 0 && p.paths != nil: // they are the commit's, whatever it links
		return point{RewindPoint: query.RewindPoint{ID: links[0], CheckpointID: links[0], Commit: id}}, nil
	case len(links) == 0:
		return point{}, fmt.Errorf("commit %s is not a checkpoint and links none\nhint: list the checkpoints with entire-plumb rewind, or use git for a plain commit", id.Short())
	case len(links) == 1:
		return p.committedPoint(ctx, r, links[0])
	}
	return point{}, &checkpoints.AmbiguousError{Prefix: q.To, Candidates: links}
}

// committedPoint is a committed checkpoint. It restores only logs, unless a turn made the commit,
// on this branch, and it isn't the default branch.
func (p *run) committedPoint(ctx context.Context, r *query.Reader, id string) (point, error) {
	// Asked first, as only this error tells a checkpoint that isn't here from one that is damaged.
	if _, err := checkpoints.ReadCommitted(p.opened.DB, r.Branch, id); errors.Is(err, checkpoints.ErrNoCheckpoint) {
		return point{}, notHere(id, r.Branch.PurgedOn(p.opened.DB, id))
	}
	content, err := checkpoints.ReadFirst(p.opened.DB, r.Branch, id)
	if content == nil {
		return point{}, err
	}
	k := point{RewindPoint: query.RewindPoint{ID: id, CheckpointID: id, Date: content.Metadata.CreatedAt,
		SessionID: content.Metadata.SessionID, Agent: content.Metadata.Agent, IsLogsOnly: true}}
	k.Prompted(content)
	// Without a commit on a branch there are no files, and the conversation can still be restored.
	linking, err := r.Linking(ctx, id)
	if err != nil || len(linking) == 0 {
		return k, err
	}
	k.Commit = linking[0].ID
	back, err := p.backTo(ctx, content.Metadata.Strategy, linking)
	if back != nil {
		k.IsLogsOnly, k.commit, k.tree, k.Commit = false, back.ID, back.Tree, back.ID
	}
	return k, err
}

// backTo is the commit that the branch may move back to, of those that link a checkpoint; nil:
// none.
func (p *run) backTo(ctx context.Context, strategy string, linking []gitexec.Commit) (*gitexec.Commit, error) {
	// A commit that the user made is the user's to undo, by git.
	if strategy != settings.AutoCommit || p.opened.Repo.Branch == "" {
		return nil, nil
	}
	usual, err := p.opened.Repo.DefaultBranch(ctx)
	if err != nil || !query.MayMoveBack(p.opened.Repo.Branch, usual, strategy) {
		return nil, err
	}
	for _, c := range linking {
		if here, err := p.opened.Repo.InHistory(ctx, c.ID, p.Head.ID); err != nil {
			return nil, err
		} else if here {
			return &c, nil
		}
	}
	return nil, nil
}

// notHere says that a checkpoint is not here, or was purged on a day.
func notHere(id, purged string) error {
	if purged != "" {
		return fmt.Errorf("checkpoint %s was purged on %s", id, purged)
	}
	return fmt.Errorf("checkpoint %s is not here\nhint: if it was pushed, entire-plumb fetch", id)
}
