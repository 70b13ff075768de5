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
	"entire-plumb/internal/workspace"
	"entire-plumb/shadow"
)

// Written is a checkpoint whose objects are written, and the refs and states that are yet to
// change.
type Written struct {
	Refs    []shadow.RefChange
	States  []*session.State
	Outcome string
}

// PrepareCheckpoint writes the objects of the checkpoints and of the remainder.
func PrepareCheckpoint(ctx context.Context, run *workspace.Run, c LinkedCommit) (w Written, err error) {
	request := c.checkpointRequest(run)
	edits := gitexec.Edits{}
	if err := addSideLink(run.DB, run.Now, c, edits); err != nil {
		return w, err
	}
	var done checkpoints.Condensed
	var linked []*session.State
	if c.keepsLinks() {
		linked = recordLinks(c.States, c.Links, c.Head.ID, nil, run.Now())
	} else if done, linked, err = moveCheckpoints(ctx, run, checkpointMove{c.Branch, request, c.Links, c.States, edits}); err != nil {
		return w, err
	}
	c.matches = append(slices.Clone(c.matches), done.Also...)
	if len(c.matches) == 0 {
		return prepareMoved(run, c, linked, edits)
	}
	request.Matches = c.matches
	who := run.Author(c.matches[0].Session)
	commits, err := c.Branch.Commits(run.DB, edits, who, checkpoints.Message(request))
	if err != nil {
		return w, err
	}
	carried, states, err := carry(ctx, run, c, done.Metadata, who)
	if err != nil {
		return w, err
	}
	ids, err := run.DB.CommitTree(append(commits, carried.Commits...)...)
	if err != nil {
		return w, err
	}
	w.States = withStates(states, linked) // whose links moved
	for _, m := range c.matches {
		m.Session.Apply(session.GitCommit, run.Now())
	}
	w.Refs = []shadow.RefChange{{Ref: shadow.Checkpoints, Old: c.Branch.Local, New: ids[len(commits)-1]}}
	w.Outcome = "condensed to " + c.ID
	w.addCarried(carried, ids[len(commits):])
	came := slices.DeleteFunc(slices.Clone(c.came.whole), func(s shadow.Stream) bool { // whose work it does not hold
		return !slices.ContainsFunc(c.matches, func(m condense.Matched) bool { return slices.Contains(m.Origins, s.Tip.ID) })
	})
	for _, s := range slices.Concat(came, carried.Keep) {
		w.Refs = append(w.Refs, shadow.Delete(s, run.Now())...)
	}
	leave(w.States, came)
	return w, nil
}

// prepareMoved is the commit of a checkpoint branch on which only checkpoints of commits that c
// replaces change, or links beside it.
func prepareMoved(run *workspace.Run, c LinkedCommit, linked []*session.State, edits gitexec.Edits) (w Written, err error) {
	w = Written{States: linked, Outcome: "updated the checkpoints of the commits that it replaces"}
	if c.keepsLinks() {
		w.Outcome = keepsLinks
	}
	text := checkpoints.Message(checkpoints.Request{ID: strings.Join(c.plan.Links(), ", ")})
	var author *session.State
	if len(c.States) > 0 {
		author = c.States[0]
	}
	w.Refs, err = branchCommit(run, c.Branch, edits, author, text)
	return w, err
}

// carry carries the remainder forward, and returns the sessions whose states change with it.
func carry(ctx context.Context, run *workspace.Run, c LinkedCommit, meta map[string]shadow.Metadata, who gitexec.Ident) (
	carried remainder.Carried, states []*session.State, err error,
) {
	states, works := condense.Concerned(ParentOf(run.Repo, c.Head), c.States, c.works, c.matches)
	var staged []gitexec.Change
	if c.Partial {
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

// addCarried adds the refs of streams that the remainder is on, whose commits have the IDs, and of
// those that are dropped.
func (w *Written) addCarried(carried remainder.Carried, ids []gitexec.OID) {
	at := 0
	for _, chain := range carried.Chains {
		at += chain.Length
		w.Refs = append(w.Refs, shadow.RefChange{Ref: chain.Name.Ref(), New: ids[at-1]})
		w.Outcome += ", the remainder carried to " + chain.Name.String()
	}
	for _, s := range carried.Drop {
		w.Refs = append(w.Refs, shadow.RefChange{Ref: s.Ref(), Old: s.Tip.ID})
	}
}
