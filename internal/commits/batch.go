package commits

import (
	"context"
	"slices"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/decided"
	"entire-plumb/internal/session"
	"entire-plumb/internal/sets"
	"entire-plumb/internal/workspace"
)

// batch is what several commits change on the checkpoints' branch, to be stored in one transaction.
type batch struct {
	branch   checkpoints.Branch
	states   []*session.State
	changed  []*session.State // those that links are recorded in
	edits    gitexec.Edits
	updated  []string // the links whose checkpoints change
	followed int      // commits whose lines were followed
	decided  []decided.Entry
}

// mostFollowed is how many commits may change their checkpoints' lines, since each of these costs a
// process while git rebase waits. Beyond, as of a long branch that conflicts in each commit, the
// checkpoints only lose the files that their commit no longer changes.
const mostFollowed = 20

// add adds a commit's edits.
func (b *batch) add(ctx context.Context, run *workspace.Run, c *linkedCommit) (err error) {
	if !c.plan.Same {
		if b.followed++; b.followed > mostFollowed {
			c.plan = c.plan.OnlyFiles()
		}
	}
	links := c.plan.Links()
	if slices.ContainsFunc(links, func(link string) bool { return slices.Contains(b.updated, link) }) {
		if b.branch.Tree, err = run.DB.EditTree(b.branch.Tree, b.edits); err != nil { // a checkpoint of two commits
			return err
		}
		c.Branch = b.branch
	}
	before := len(b.edits)
	_, changed, err := c.edit(ctx, run, checkpoints.Request{Commit: c.Head.ID, Tree: c.Head.Tree, ParentTree: c.ParentTree, Now: run.Now(),
		Changes: c.Changes, Lineage: c.plan}, b.edits)
	if len(b.edits) > before {
		b.updated = sets.Union(b.updated, links)
	}
	b.changed = sets.Union(b.changed, changed)
	return err
}
