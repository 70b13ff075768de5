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

// stagedShare is the agents' share of the staged lines, as the trailer's text.
func (p *linker) stagedShare(ctx context.Context, found stagedWork) (string, error) {
	tree, err := p.treeOf(found.base, found.changes)
	if err != nil {
		return "", err
	}
	request := checkpoints.Request{Matches: found.matches, Changes: found.changes, Tree: tree, ParentTree: found.base}
	return p.shareText(ctx, request)
}

// updateShare updates the share in an amended commit's message.
func (p *linker) updateShare(ctx context.Context, file string, links []string, states []*session.State) error {
	text, err := safefile.Read(file, mostMessage)
	if err != nil {
		return err
	}
	agents := p.committers(states)
	found := stagedWork{base: p.Head.Tree}
	if err := p.matchStaged(ctx, states, agents, &found); err != nil {
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
	share, err := p.shareText(ctx, request)
	if err != nil {
		return err
	}
	return safefile.Rewrite(file, message.SetAttribution(text, links[0], share))
}

func (p *linker) shareText(ctx context.Context, r checkpoints.Request) (string, error) {
	tip, err := shadow.CheckpointsTip(p.Repo, p.DB)
	if err != nil {
		return "", err
	}
	branch, err := checkpoints.ReadBranch(p.DB, tip)
	if err != nil {
		return "", err
	}
	r.Wrote = wroteBefore(p.DB, branch)
	wait, err := checkpoints.Attribute(ctx, p.Repo, p.DB, branch, r)
	if err != nil {
		return "", err
	}
	a, err := wait()
	if err != nil {
		return "", err
	}
	return a.Share(), nil
}
