package hooks

import (
	"context"

	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/lineage"
	"entire-plumb/internal/message"
	"entire-plumb/internal/safefile"
	"entire-plumb/internal/session"
	"entire-plumb/shadow"
)

// share is how much of what is staged is the agents', in words.
func (p *linker) share(ctx context.Context, found staged) (string, error) {
	tree, err := p.treeOf(found.base, found.changes)
	if err != nil {
		return "", err
	}
	return p.shareOf(ctx, checkpoints.Request{Matches: found.matches, Changes: found.changes, Tree: tree, ParentTree: found.base}, checkpoints.Branch{})
}

// shareAnew brings the share that an amended message tells of up to date: the commit will be
// another one.
func (p *linker) shareAnew(ctx context.Context, file string, links []string, states []*session.State) error {
	text, err := safefile.Read(file, mostMessage)
	if err != nil {
		return err
	}
	agents := p.committers(states)
	found := staged{base: p.Head.Tree}
	if err := p.workStaged(ctx, states, agents, &found); err != nil {
		return err
	}
	_, parent, err := p.withParent(p.Head.ID)
	if err != nil {
		return err
	}
	request := checkpoints.Request{Matches: found.matches, ParentTree: parent,
		Lineage: lineage.Plan{From: []lineage.Predecessor{{Commit: p.Head.ID, By: lineage.Amended, Links: links}}}}
	if request.Tree, err = p.treeOf(found.base, found.changes); err != nil {
		return err
	}
	if request.Changes, err = p.DB.DiffTrees(parent, request.Tree); err != nil {
		return err
	}
	tip, err := shadow.CheckpointsTip(p.Repo, p.DB)
	if err != nil {
		return err
	}
	branch, err := checkpoints.ReadBranch(p.DB, tip)
	if err != nil {
		return err
	}
	share, err := p.shareOf(ctx, request, branch)
	if err != nil {
		return err
	}
	return replaceFile(file, message.SetAttribution(text, links[0], share))
}

func (p *linker) shareOf(ctx context.Context, r checkpoints.Request, b checkpoints.Branch) (string, error) {
	wait, err := checkpoints.Attribute(ctx, p.Repo, p.DB, b, r)
	if err != nil {
		return "", err
	}
	a, err := wait()
	if err != nil {
		return "", err
	}
	return a.Share(), nil
}
