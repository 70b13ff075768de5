package hooks

import (
	"context"
	"fmt"
	"slices"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/message"
	"entire-plumb/internal/settings"
	"entire-plumb/shadow"
)

// point is a place to rewind to.
type point struct {
	RewindPoint
	tree   gitexec.OID // without metadata
	base   gitexec.OID // of a checkpoint on a stream
	commit gitexec.OID // that links a committed one
	logs   gitexec.OID // a stream's tree, with metadata
}

// pointOf finds the place that a name stands for.
func (p *place) pointOf(ctx context.Context, name string) (point, error) {
	branch, err := condense.ReadBranches(ctx, p.repo, p.db)
	if err != nil {
		return point{}, err
	}
	found, err := candidatesOf(ctx, p.repo, p.db, branch, name)
	if err == nil {
		err = found.several(name)
	}
	switch {
	case err != nil:
		return point{}, err
	case found.checkpoint != "":
		return p.committedPoint(ctx, branch, found.checkpoint)
	case found.commit == "":
		return point{}, fmt.Errorf("%q is neither a commit nor a checkpoint\nhint: entire-plumb rewind lists where one can go", name)
	}
	k, ours, err := shadow.ReadCheckpoint(p.db, found.commit)
	if err != nil {
		return point{}, err
	}
	if ours {
		tree, err := p.db.EditTree(k.Tree, gitexec.Edits{shadow.MetadataDir: {}})
		base := k.Base
		if base == "" { // another program's: the first of its stream hangs on the base
			base = p.repo.Head
		}
		return point{RewindPoint: temporaryPoint(k), tree: tree, base: base, logs: k.Tree}, err
	}
	commits, err := p.db.Commits(found.commit)
	if err != nil {
		return point{}, err
	}
	links := message.Links(commits[0].Message)
	switch len(links) {
	case 0:
		return point{}, fmt.Errorf("commit %s is no checkpoint and has no link to one\nhint: entire-plumb rewind lists where one can go; to a plain commit git takes you", found.commit.Short())
	case 1:
		return p.committedPoint(ctx, branch, links[0])
	}
	return point{}, &condense.AmbiguousError{Prefix: name, Candidates: links}
}

// committedPoint is a committed checkpoint: a place for logs alone, unless a turn's end made the commit on this branch, and this isn't the default one.
func (p *place) committedPoint(ctx context.Context, branch condense.Branch, id string) (point, error) {
	content, err := condense.ReadSessionContent(p.db, branch, id, 0)
	if content == nil {
		return point{}, err
	}
	k := point{RewindPoint: RewindPoint{ID: id, CheckpointID: id, Date: content.Metadata.CreatedAt, SessionID: content.Metadata.SessionID, Agent: content.Metadata.Agent, IsLogsOnly: true}}
	if words := prompts(content.Prompts); len(words) > 0 {
		k.Message, k.SessionPrompt = shadow.Describe(words[len(words)-1]), shadow.Describe(words[0])
	}
	if content.Metadata.Strategy != settings.AutoCommit || p.repo.Branch == "" {
		return k, nil
	}
	usual, err := p.repo.DefaultBranch(ctx)
	if err != nil || usual == "" || p.repo.Branch == "refs/heads/"+usual {
		return k, err
	}
	ids, err := p.repo.FindCommits(ctx, []string{message.LinkKey + ": " + id})
	if err != nil {
		return k, err
	}
	commits, err := p.db.Commits(ids...)
	for _, c := range commits {
		if !slices.Contains(message.Links(c.Message), id) {
			continue // it only speaks of it
		}
		here, err := p.repo.InHistory(ctx, c.ID, p.repo.Head)
		if err != nil {
			return k, err
		}
		if here {
			k.IsLogsOnly, k.commit, k.tree = false, c.ID, c.Tree
			return k, nil
		}
	}
	return k, err
}
