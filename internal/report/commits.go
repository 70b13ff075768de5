package report

import (
	"context"
	"fmt"

	"entire-plumb/gitexec"
	"entire-plumb/internal/attribution"
	"entire-plumb/internal/brief"
	"entire-plumb/internal/query"
)

// mostSubject limits a commit's subject, in bytes.
const mostSubject = 300

func commitOn(c gitexec.Commit) Commit {
	s := query.ShownCommitOf(c)
	subject, _ := brief.Truncate(s.Subject, mostSubject)
	return Commit{ID: string(s.Commit), Subject: oneLine(subject), Author: oneLine(s.Author), When: s.When}
}

// linking is the commits that link a checkpoint.
type linking struct {
	commits []gitexec.Commit // newest first
	holder  gitexec.Commit   // the one whose lines are shown, see query.Holders
}

// linked finds the commits that link checkpoints. One process, three where branches have moved
// since the last time.
func (g *reporter) linked(ctx context.Context, ids ...string) (linkings, error) {
	all := linkings{}
	found, err := g.reader.LinkingEach(ctx, ids)
	if err != nil {
		return nil, err
	}
	for id, commits := range found {
		all[id] = linking{commits: commits}
	}
	g.ahead(all, ids...)
	return all, all.choose(ctx, g.reader)
}

// ahead brings to a partial clone what it lacks of checkpoints and of the commits that link them.
func (g *reporter) ahead(of linkings, ids ...string) {
	var commits []gitexec.Commit
	for _, l := range of {
		commits = append(commits, l.commits...)
	}
	g.authors().Ahead(commits, true, ids...)
}

func (g *reporter) authors() *attribution.Reader {
	return &attribution.Reader{DB: g.reader.DB, Branch: g.reader.Branch}
}

// linkings are those of checkpoints, by ID.
type linkings map[string]linking

// choose chooses the commits whose lines are shown.
func (all linkings) choose(ctx context.Context, r *query.Reader) error {
	linking := map[string][]gitexec.Commit{}
	for id, l := range all {
		if len(l.commits) > 0 {
			linking[id] = l.commits
		}
	}
	holders, err := query.Holders(ctx, r, linking)
	for id, l := range all {
		l.holder = holders[id]
		all[id] = l
	}
	return err
}

// at sets the commit that a chapter shows.
func (g *reporter) at(c *draft, commit gitexec.Commit) {
	shown := commitOn(commit)
	c.commit, c.Commit, c.to = &commit, &shown, commit.Tree
	if len(commit.Parents) == 0 {
		c.from, c.shown, c.Against = g.reader.Repo.Format.EmptyTree(), true, "nothing, as it is a first commit"
		c.base = Step{Kind: "base", Label: "nothing before"}
		return
	}
	first := commit.Parents[0]
	c.base = Step{Kind: "base", Label: first.Short()}
	if there, err := g.reader.DB.Info(first); err != nil || there[0].Type != "commit" {
		c.gap("Its parent %s is not in this repository, which may be a shallow clone: its changes cannot be shown.", first.Short())
		return
	}
	parents, err := g.reader.DB.Commits(first)
	if err != nil {
		c.gap("Its parent %s cannot be read: %v", first.Short(), err)
		return
	}
	c.from, c.shown, c.Against = parents[0].Tree, true, "its parent "+first.Short()
	c.base.More = oneLine(query.ShownCommitOf(parents[0]).Subject)
	if n := len(commit.Parents); n > 1 {
		c.Against = fmt.Sprintf("the first of its %d parents, %s: it is a merge", n, first.Short())
	}
}
