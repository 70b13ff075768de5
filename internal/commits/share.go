package commits

import (
	"context"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/lineage"
	"entire-plumb/internal/message"
	"entire-plumb/internal/safefile"
	"entire-plumb/internal/session"
	"entire-plumb/internal/workspace"
)

// stagedShare is the agents' share of the staged lines, as the trailer's text.
func stagedShare(ctx context.Context, repo *gitexec.Repo, db *gitexec.ODB, found stagedWork) (string, error) {
	tree, err := TreeOf(db, found.base, found.changes)
	if err != nil {
		return "", err
	}
	request := checkpoints.Request{Matches: found.matches, Changes: found.changes, Tree: tree, ParentTree: found.base}
	return ShareText(ctx, repo, db, request)
}

// updateShare updates the share in an amended commit's message.
func updateShare(ctx context.Context, run *workspace.Run, file string, links []string, states []*session.State) error {
	text, err := safefile.Read(file, mostMessage)
	if err != nil {
		return err
	}
	agents := committers(run, states)
	found := stagedWork{base: run.Head.Tree}
	if err := matchStaged(ctx, run, states, agents, &found); err != nil {
		return err
	}
	_, parent, err := withParent(run.DB, run.Head.ID)
	if err != nil {
		return err
	}
	request := checkpoints.Request{Matches: found.matches, ParentTree: parent,
		Lineage: lineage.Plan{From: []lineage.Predecessor{{Commit: run.Head.ID, By: lineage.Amended, Links: links}}}}
	if request.Tree, err = TreeOf(run.DB, found.base, found.changes); err != nil {
		return err
	}
	if request.Changes, err = run.DB.DiffTrees(parent, request.Tree); err != nil {
		return err
	}
	share, err := ShareText(ctx, run.Repo, run.DB, request)
	if err != nil {
		return err
	}
	return safefile.Rewrite(file, message.SetAttribution(text, links[0], share))
}

func ShareText(ctx context.Context, repo *gitexec.Repo, db *gitexec.ODB, r checkpoints.Request) (string, error) {
	branch, err := readBranch(repo, db)
	if err != nil {
		return "", err
	}
	r.Wrote = wroteBefore(db, branch)
	wait, err := checkpoints.Attribute(ctx, repo, db, branch, r)
	if err != nil {
		return "", err
	}
	a, err := wait()
	if err != nil {
		return "", err
	}
	return a.Share(), nil
}
