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

// stagedShare is the agents' share of the lines of a commit with what is staged, as the trailer's
// text. parent is the tree of its parent, and plan what becomes of the commit that it replaces.
func stagedShare(ctx context.Context, run *workspace.Run, found stagedWork, parent gitexec.OID, plan lineage.Plan) (string, error) {
	tree, err := TreeOf(run.DB, found.base, found.changes)
	if err != nil {
		return "", err
	}
	changes, err := run.DB.DiffTrees(parent, tree)
	if err != nil {
		return "", err
	}
	return ShareText(ctx, run.Repo, run.DB, checkpoints.Request{Matches: found.matches, Changes: changes, Tree: tree, ParentTree: parent, Lineage: plan})
}

// updateShare updates the share in an amended commit's message.
func updateShare(ctx context.Context, run *workspace.Run, file string, links []string, states []*session.State) error {
	text, err := safefile.Read(file, mostMessage)
	if err != nil {
		return err
	}
	found := stagedWork{base: run.Head.Tree}
	if err := matchStaged(ctx, run, states, committers(run, states), &found); err != nil {
		return err
	}
	_, parent, err := withParent(run.DB, run.Head.ID)
	if err != nil {
		return err
	}
	share, err := stagedShare(ctx, run, found, parent,
		lineage.Plan{From: []lineage.Predecessor{{Commit: run.Head.ID, By: lineage.Amended, Links: links}}})
	if err != nil {
		return err
	}
	return safefile.Rewrite(file, message.SetAttribution(text, links[0], share))
}

// ShareText is the agents' share of a commit's lines, as the trailer's text; empty where no author
// is known. It asks git as often as a commit may: see wroteBefore.
func ShareText(ctx context.Context, repo *gitexec.Repo, db *gitexec.ODB, r checkpoints.Request) (string, error) {
	branch, err := readBranch(repo, db)
	if err != nil {
		return "", err
	}
	r.Wrote = wroteBefore(db, branch)
	a, err := checkpoints.Attribute(ctx, repo, db, branch, r)()
	if err != nil {
		return "", err
	}
	return a.Share(), nil
}
