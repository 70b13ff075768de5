package commits

import (
	"context"
	"slices"

	"entire-plumb/gitexec"
	"entire-plumb/internal/ancestry"
	"entire-plumb/internal/session"
	"entire-plumb/internal/works"
	"entire-plumb/internal/workspace"
)

// linkFresh adds a link to a commit that git merges, replays or squashes, for the sessions' work
// that neither HEAD nor another side has: what resolves a conflict, and what is committed along.
// The outcome is empty where there is none, or where git makes the commit without anybody's help.
func linkFresh(ctx context.Context, run *workspace.Run, d draft) (string, error) {
	if commands := ancestry.Commands(run.Ancestors()); len(commands) > 0 && !commands[0].Commits() {
		return "", nil
	}
	states, err := run.Sessions()
	if err != nil {
		return "", err
	}
	states = slices.DeleteFunc(states, func(s *session.State) bool {
		return len(s.Linked) == 0 && !mayHaveWork(s, run.Now())
	})
	if len(states) == 0 || run.Head.ID.IsZero() {
		return "", nil
	}
	commits, err := sides(run.Repo, run.DB)
	if err != nil || len(commits) == 0 {
		return "", err
	}
	found := stagedWork{base: run.Head.Tree}
	if found.sides, err = works.TreesOf(run.DB, commits); err != nil {
		return "", err
	}
	pending, err := chooseLink(ctx, run, states, committers(run, states), &found)
	if err != nil || pending.ID == "" {
		return "", err
	}
	style, err := style(ctx, run, d.template())
	if err != nil {
		return "", err
	}
	pending.Sides = commits
	return addLink(ctx, run, d, "", style, pending)
}

// sides are the commits beside HEAD of which git puts the commit in progress together: those that
// it merges or squashes, the one that it replays, or the parent of the one that it reverts.
func sides(repo *gitexec.Repo, db *gitexec.ODB) ([]gitexec.OID, error) {
	op := repo.Operation()
	sides := op.Brings()
	if stopped := op.StoppedAt(); stopped != "" {
		sides = append(sides, stopped)
	}
	if reverted := op.Reverted(); reverted != "" {
		commit, err := db.Commit(reverted)
		if err != nil {
			return nil, err
		}
		sides = append(sides, append([]gitexec.OID{reverted}, commit.Parents...)...)
	}
	return sides, nil
}

// withoutSides leaves of a commit's changes what no side of it has. Of a merge its checkpoint is
// about nothing else.
func withoutSides(db *gitexec.ODB, c *linkedCommit) (judged []gitexec.Change, err error) {
	trees, err := works.TreesOf(db, c.sides)
	if err != nil {
		return nil, err
	}
	if judged, err = works.Fresh(db, c.Changes, trees); err != nil {
		return nil, err
	}
	if len(c.Head.Parents) < 2 {
		return judged, nil
	}
	c.Changes = judged
	base := gitexec.Edits{}
	for _, change := range judged {
		base[change.Path] = change.Old
	}
	c.ParentTree, err = db.EditTree(c.Head.Tree, base)
	return judged, err
}
