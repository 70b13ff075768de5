package hooks

import (
	"context"
	"errors"
	"slices"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/ancestry"
	"entire-plumb/internal/divide"
	"entire-plumb/internal/session"
	"entire-plumb/internal/works"
)

// linkFresh adds a link to a commit that git merges, replays or squashes, for the sessions' work that
// neither HEAD nor another side has: what resolves a conflict, and what is committed along. The outcome
// is empty where there is none, or where git makes the commit without anybody's help.
func (p *linker) linkFresh(ctx context.Context, d draft) (string, error) {
	if commands := ancestry.Commands(p.Ancestors()); len(commands) > 0 && commands[0].Verb != "commit" {
		return "", nil
	}
	states, err := p.Sessions()
	if err != nil {
		return "", err
	}
	states = slices.DeleteFunc(states, func(s *session.State) bool {
		return !condense.MayHaveWork(s, nil, func(gitexec.OID) bool { return false }, p.Now())
	})
	if len(states) == 0 || p.Head.ID.IsZero() {
		return "", nil
	}
	commits, err := p.sides()
	if err != nil || len(commits) == 0 {
		return "", err
	}
	found := stagedWork{base: p.Head.Tree}
	if found.sides, err = p.treesOf(commits); err != nil {
		return "", err
	}
	pending, err := p.chooseLink(ctx, states, p.committers(states), &found)
	if err != nil || len(pending.Sessions) == 0 {
		return "", err
	}
	style, err := p.style(ctx)
	if err != nil {
		return "", err
	}
	if d.source == "template" {
		style.Template = d.text
	}
	pending.Sides, pending.Replaces = commits, d.replaces
	return p.addLink(ctx, d, union([]string{pending.ID}, d.keep), "", style, pending)
}

// sides are the commits beside HEAD of which git puts the commit in progress together: those that it
// merges or squashes, the one that it replays, or the parent of the one that it reverts.
func (p *linker) sides() ([]gitexec.OID, error) {
	op := p.Repo.Operation()
	sides := op.Merged()
	if squashed := op.Squashed(); len(squashed) > 0 {
		sides = append(sides, squashed[0]) // the newest
	}
	for _, id := range []gitexec.OID{op.Picked(), op.StoppedAt()} {
		if id != "" {
			sides = append(sides, id)
		}
	}
	if reverted := op.Reverted(); reverted != "" {
		commits, err := p.DB.Commits(reverted)
		if err != nil {
			return nil, err
		}
		sides = append(sides, append([]gitexec.OID{reverted}, commits[0].Parents...)...)
	}
	return sides, nil
}

// treesOf are the trees of commits; those that git has pruned have none.
func (p *hook) treesOf(commits []gitexec.OID) (trees []gitexec.OID, err error) {
	for _, id := range commits {
		found, err := p.DB.Commits(id)
		if missing := new(gitexec.MissingError); errors.As(err, &missing) {
			continue
		}
		if err != nil {
			return nil, err
		}
		trees = append(trees, found[0].Tree)
	}
	return trees, nil
}

// withoutSides leaves of a commit's changes what no side of it has. Of a merge its checkpoint is about
// nothing else.
func (p *condenser) withoutSides(c *linkedCommit) (judged []gitexec.Change, err error) {
	trees, err := p.treesOf(c.sides)
	if err != nil {
		return nil, err
	}
	if judged, err = works.Fresh(p.DB, c.changes, trees); err != nil {
		return nil, err
	}
	if len(c.head.Parents) < 2 {
		return judged, p.fromSides(c)
	}
	c.changes = judged
	base := gitexec.Edits{}
	for _, change := range judged {
		base[change.Path] = change.Old
	}
	c.parentTree, err = p.DB.EditTree(c.head.Tree, base)
	return judged, err
}

// fromSides adds to the sides of a commit with one parent those that introduced the lines that come from
// there: what is recorded of these says whose they are. One process for a file that has some.
func (p *condenser) fromSides(c *linkedCommit) error {
	blames := 0
	for _, side := range slices.Clone(c.sides) {
		trees, err := p.treesOf([]gitexec.OID{side})
		if err != nil || len(trees) == 0 {
			return err
		}
		for _, change := range c.changes {
			there, err := p.DB.Lookup(trees[0], change.Path)
			if err != nil {
				return err
			}
			var f divide.File
			var ok [3]bool
			source := []byte(nil)
			for i, one := range []struct {
				of   gitexec.Entry
				text *[]byte
			}{{change.Old, &f.Was}, {change.New, &f.Now}, {there[0], &source}} {
				if *one.text, ok[i], err = p.textOf(one.of); err != nil {
					return err
				}
			}
			if !ok[1] || !ok[2] {
				continue
			}
			f.Sources = [][]byte{source}
			_, from, _ := f.Before()
			for _, b := range from {
				ids, err := p.introduced(side, change.Path, b.Lines, &blames)
				if err != nil {
					return err
				}
				for _, id := range ids {
					if !slices.Contains(c.sides, id) {
						c.sides = append(c.sides, id)
					}
				}
			}
		}
	}
	return nil
}
