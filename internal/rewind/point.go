package rewind

import (
	"context"
	"errors"
	"fmt"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/conversation"
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
	name := q.To
	branch, err := checkpoints.ReadBranches(ctx, p.Repo, p.DB)
	if err != nil {
		return point{}, err
	}
	r := &query.Reader{Env: p.Env, Repo: p.Repo, DB: p.DB, Branch: branch}
	if q.Last {
		all, err := r.RewindPoints(ctx, 1)
		if err != nil {
			return point{}, err
		}
		if len(all) == 0 {
			return point{}, errors.New("there is no checkpoint: nothing is recorded on HEAD or in its history")
		}
		name = all[0].ID
	}
	found, err := r.Resolve(ctx, name)
	if err != nil {
		return point{}, err
	}
	commit := found.Commit
	switch {
	case found.Checkpoint != "":
		return p.committedPoint(ctx, r, found.Checkpoint)
	case found.Session != "":
		all, err := r.ShowSession(ctx, found.Session)
		if err != nil {
			return point{}, err
		}
		if len(all) == 0 {
			return point{}, fmt.Errorf("session %s has no checkpoint\nhint: list the checkpoints with entire-plumb rewind", found.Session)
		}
		last := all[len(all)-1] // those on streams come last
		if last.Checkpoint != "" {
			return p.committedPoint(ctx, r, last.Checkpoint)
		}
		commit = gitexec.OID(last.Stream)
	case found.Turn != nil && len(found.Turn.OnStreams) > 0:
		commit = found.Turn.OnStreams[len(found.Turn.OnStreams)-1]
	case found.Turn != nil:
		return p.committedPoint(ctx, r, found.Turn.Checkpoints[len(found.Turn.Checkpoints)-1])
	}
	k, ours, err := shadow.ReadCheckpoint(p.DB, commit)
	if err != nil {
		return point{}, err
	}
	if ours {
		tree, err := p.DB.EditTree(k.Tree, gitexec.Edits{shadow.MetadataDir: {}})
		base := k.Base
		if base == "" { // another program's: the first of its stream hangs on the base
			base = p.Head.ID
		}
		return point{RewindPoint: query.PointOnStream(k), tree: tree, base: base, stream: &k}, err
	}
	commits, err := p.DB.Commits(commit)
	if err != nil {
		return point{}, err
	}
	if k, ok, err := p.saved(ctx, commits[0]); !q.Logs && ok || err != nil {
		return k, err
	}
	links := branch.Links(p.DB, commits[0])
	switch {
	case len(links) > 0 && p.paths != nil: // they are the commit's, whatever it links
		return point{RewindPoint: query.RewindPoint{ID: links[0], CheckpointID: links[0], Commit: commit}}, nil
	case len(links) == 0:
		return point{}, fmt.Errorf("commit %s is not a checkpoint and links none\nhint: list the checkpoints with entire-plumb rewind, or use git for a plain commit", commit.Short())
	case len(links) == 1:
		return p.committedPoint(ctx, r, links[0])
	}
	return point{}, &checkpoints.AmbiguousError{Prefix: name, Candidates: links}
}

// committedPoint is a committed checkpoint. It restores only logs, unless a turn made the commit,
// on this branch, and it isn't the default branch.
func (p *run) committedPoint(ctx context.Context, r *query.Reader, id string) (point, error) {
	if _, err := checkpoints.ReadCommitted(p.DB, r.Branch, id); errors.Is(err, checkpoints.ErrNoCheckpoint) {
		if day := r.Branch.PurgedOn(p.DB, id); day != "" {
			return point{}, fmt.Errorf("checkpoint %s was purged on %s", id, day)
		}
		return point{}, fmt.Errorf("checkpoint %s is not here\nhint: if it was pushed, entire-plumb fetch", id)
	}
	content, err := checkpoints.ReadSessionContent(p.DB, r.Branch, id, 0)
	if content == nil {
		return point{}, err
	}
	k := point{RewindPoint: query.RewindPoint{ID: id, CheckpointID: id, Date: content.Metadata.CreatedAt,
		SessionID: content.Metadata.SessionID, Agent: content.Metadata.Agent, IsLogsOnly: true}}
	if words := conversation.Split(content.Prompts); len(words) > 0 {
		k.Message, k.SessionPrompt = shadow.Describe(words[len(words)-1]), shadow.Describe(words[0])
	}
	linking, err := r.Linking(ctx, id)
	if err != nil {
		return k, err
	}
	if len(linking) > 0 {
		k.Commit = linking[0].ID
	}
	if content.Metadata.Strategy != settings.AutoCommit || p.Repo.Branch == "" {
		return k, nil
	}
	usual, err := p.Repo.DefaultBranch(ctx)
	if err != nil || usual == "" || p.Repo.Branch == "refs/heads/"+usual {
		return k, err
	}
	for _, c := range linking {
		here, err := p.Repo.InHistory(ctx, c.ID, p.Head.ID)
		if err != nil {
			return k, err
		}
		if here {
			k.IsLogsOnly, k.commit, k.tree, k.Commit = false, c.ID, c.Tree, c.ID
			return k, nil
		}
	}
	return k, nil
}
