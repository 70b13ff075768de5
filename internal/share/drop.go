package share

import (
	"context"
	"slices"
	"strings"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/sets"
	"entire-plumb/internal/workspace"
	"entire-plumb/shadow"
)

// Drop prepares that checkpoints, and the links beside some commits, leave the branch here and its
// history, and returns those that do, and the change of the branch. What any remote's branch is
// known to have stays.
func Drop(ctx context.Context, w *workspace.Workspace, ids []string, beside []gitexec.OID) (dropped []string, changes []shadow.RefChange, err error) {
	s, err := Open(ctx, w, w.Repo)
	if err != nil || len(ids) == 0 {
		return nil, nil, err
	}
	if err := s.View.readRefs(ctx); err != nil {
		return nil, nil, err
	}
	// Not the elected remote's alone: what any of them has is public, and a union would bring it
	// back.
	heads, err := s.View.allHeads(ctx)
	if err != nil {
		return nil, nil, err
	}
	c := &chooser{view: &s.View, report: &s.report, settling: func() {}, heads: heads}
	local := s.View.refs[shadow.Checkpoints]
	a, err := c.ahead(ctx, local)
	if err != nil || len(a.graph) == 0 {
		return nil, nil, err
	}
	if c.leaving.changes, err = checkpoints.ChangedEntries(w.DB, a.tree, a.now); err != nil {
		return nil, nil, err
	}
	return c.drop(ctx, a, sets.Of(ids), sets.Of(beside))
}

// allHeads are the branches of the checkpoints that any remote is known to have, and the inboxes.
// One process.
func (s *View) allHeads(ctx context.Context) (heads []gitexec.OID, err error) {
	refs, err := s.w.Repo.RefIDs(ctx, "refs/remotes/**/entire/checkpoints/v1", known)
	for _, r := range refs {
		if strings.HasPrefix(r.Name, "refs/remotes/") || strings.HasSuffix(r.Name, "/heads/v1") || strings.Contains(r.Name, "/inbox/") {
			heads = append(heads, r.ID)
		}
	}
	slices.Sort(heads)
	return slices.Compact(heads), err
}

// drop writes the branch without some entries.
func (s *chooser) drop(ctx context.Context, a *ahead, ids map[string]bool, beside map[gitexec.OID]bool) (dropped []string, changes []shadow.RefChange, err error) {
	// Without links: that no commit links it is what the caller has found. Only what a remote has
	// is asked here.
	f := facts{there: map[gitexec.Path]bool{}}
	if err := s.addInboxes(&f, s.leaving.changes); err != nil {
		return nil, nil, err
	}
	s.leaving.goes = map[gitexec.Path]bool{}
	without, left := gitexec.Edits{}, []gitexec.Change(nil)
	for _, c := range s.leaving.changes {
		id := checkpoints.EntryID(c.Path)
		if f.belongs(c) || !ids[id] && !beside[checkpoints.EntryCommit(c.Path)] {
			// What is left counts as going, so that the new order has nothing that stays apart, and
			// is all of the branch.
			s.leaving.goes[c.Path], left = true, append(left, c)
			continue
		}
		if without[c.Path] = (gitexec.Entry{}); id != "" {
			dropped = append(dropped, id)
		}
	}
	if s.leaving.changes = left; len(dropped) == 0 {
		return nil, nil, nil
	}
	now, err := s.view.w.DB.EditTree(a.now, without)
	if err != nil {
		return nil, nil, err
	}
	a.now = now
	tip, err := s.rewritten(ctx, a)
	return dropped, []shadow.RefChange{{Ref: shadow.Checkpoints, Old: s.view.refs[shadow.Checkpoints], New: tip}}, err
}

// rewritten is the branch with all that goes, and no more, neither in its tree nor in its history.
func (s *chooser) rewritten(ctx context.Context, a *ahead) (gitexec.OID, error) {
	if err := s.readPast(ctx, a); err != nil {
		return "", err
	}
	there, err := s.thereOf(a)
	if err != nil {
		return "", err
	}
	p := order(a.commits, s.leaving.goes, there)
	o := s.ordering(a)
	if err := o.start(a.at(p.kept)); err != nil {
		return "", err
	}
	if err := o.place(p.goes); err != nil {
		return "", err
	}
	err = o.end()
	return o.tip, err
}
