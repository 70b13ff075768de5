package commits

import (
	"context"
	"slices"
	"strings"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/remainder"
	"entire-plumb/internal/session"
	"entire-plumb/internal/sets"
	"entire-plumb/internal/workspace"
	"entire-plumb/shadow"
)

// prepare writes the objects of the checkpoints and of the remainder.
func (c *linkedCommit) prepare(ctx context.Context, run *workspace.Run) (refs []shadow.RefChange, states []*session.State, err error) {
	request := c.checkpointRequest(run)
	edits := gitexec.Edits{}
	done, linked, err := c.edit(ctx, run, request, edits)
	if err != nil {
		return nil, nil, err
	}
	c.matches = append(slices.Clone(c.matches), done.Also...)
	if len(c.matches) == 0 {
		refs, err = c.prepareMoved(run, edits)
		return refs, linked, err
	}
	request.Matches = c.matches
	who := run.Author(c.matches[0].Session)
	commits, err := c.Branch.Commits(run.DB, edits, who, checkpoints.Message(request))
	if err != nil {
		return nil, nil, err
	}
	carried, states, err := c.carry(ctx, run, done.Metadata, who)
	if err != nil {
		return nil, nil, err
	}
	ids, err := run.DB.CommitTree(append(commits, carried.Commits...)...)
	if err != nil {
		return nil, nil, err
	}
	c.Outcome = Condensed
	states = sets.Union(states, linked) // whose links moved
	if c.Way != ByHand {
		for _, m := range c.matches {
			m.Session.Apply(session.GitCommit, run.Now())
		}
	}
	refs = []shadow.RefChange{{Ref: shadow.Checkpoints, Old: c.Branch.Local, New: ids[len(commits)-1]}}
	refs = append(refs, c.carriedRefs(carried, ids[len(commits):])...)
	came := slices.DeleteFunc(slices.Clone(c.came.whole), func(s shadow.Stream) bool { // whose work it does not hold
		return !slices.ContainsFunc(c.matches, func(m condense.Matched) bool { return slices.Contains(m.Origins, s.Tip.ID) })
	})
	for _, s := range slices.Concat(came, carried.Keep) {
		refs = append(refs, shadow.Delete(s, run.Now())...)
	}
	leave(states, came)
	return refs, states, nil
}

// carriedRefs moves the refs of streams that the remainder is on, whose commits have the IDs, and
// of those that are dropped.
func (c *linkedCommit) carriedRefs(carried remainder.Carried, ids []gitexec.OID) (refs []shadow.RefChange) {
	at := 0
	for _, chain := range carried.Chains {
		at += chain.Length
		refs = append(refs, shadow.RefChange{Ref: chain.Name.Ref(), New: ids[at-1]})
		c.Carried = append(c.Carried, chain.Name)
	}
	for _, s := range carried.Drop {
		refs = append(refs, shadow.RefChange{Ref: s.Ref(), Old: s.Tip.ID})
	}
	return refs
}

// edit makes the edits of the checkpoints' branch: links beside the commit, its checkpoint, and
// those of the commits that it replaces. It changes the sessions' states, and returns the changed
// ones.
func (c *linkedCommit) edit(ctx context.Context, run *workspace.Run, request checkpoints.Request, edits gitexec.Edits) (
	done checkpoints.Condensed, linked []*session.State, err error,
) {
	if err := addSideLink(run.DB, run.Now, *c, edits); err != nil {
		return done, nil, err
	}
	switch {
	case c.keepsLinks() && c.Way == OfRewrite:
		return done, nil, nil // post-rewrite moves them in the states
	case !c.keepsLinks():
		if done, err = checkpoints.WriteCommitted(ctx, run.Repo, run.DB, run.Store, c.Branch, request, edits); err != nil {
			return done, nil, err
		}
		run.WarnOf(done.Troubles...)
		for _, s := range c.States {
			for _, move := range c.plan.Move {
				s.Amended(move.Link, move.From, done.Dropped[move.Link])
			}
		}
	}
	return done, recordLinks(c.States, c.Links, c.Head.ID, done.Parts, run.Now()), nil
}

// prepareMoved is the commit of a checkpoint branch on which only checkpoints of commits that c
// replaces change, or links beside it.
func (c *linkedCommit) prepareMoved(run *workspace.Run, edits gitexec.Edits) ([]shadow.RefChange, error) {
	text := "Link a commit beside it\n"
	if !c.keepsLinks() {
		c.Outcome, text = Moved, checkpoints.Message(checkpoints.Request{ID: strings.Join(c.plan.Links(), ", ")})
	}
	var author *session.State
	if len(c.States) > 0 {
		author = c.States[0]
	}
	return checkpoints.WriteBranch(run.DB, c.Branch, edits, run.Author(author), text)
}

// carry carries the remainder forward, and returns the sessions whose states change with it.
func (c *linkedCommit) carry(ctx context.Context, run *workspace.Run, meta map[string]shadow.Metadata, who gitexec.Ident) (
	carried remainder.Carried, states []*session.State, err error,
) {
	if c.Way == ByHand {
		return carried, c.States, nil // nothing was committed
	}
	states, works := condense.Concerned(ParentOf(run.Repo, c.Head), c.States, c.works, c.matches)
	var staged []gitexec.Change
	if c.Pending.Partial {
		if staged, err = run.Repo.DiffStaged(ctx, run.Repo.IndexFile, c.Head.Tree); err != nil {
			return carried, nil, err
		}
	}
	carried, err = remainder.CarryForward(ctx, run.Repo, run.DB, remainder.Request{
		Head: c.Head, Listing: c.Listing, Author: who, States: states, Works: works,
		Meta: meta, Staged: staged,
		KeptOn: func(s *session.State) []gitexec.OID { return condense.KeptOn(s, c.bases, c.works, works) },
	})
	return carried, states, err
}
