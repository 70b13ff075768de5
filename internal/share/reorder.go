package share

import (
	"context"
	"fmt"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/shadow"
)

// reorder writes the branch in its new order, and moves it. Its tree stays the same.
func (s *chooser) reorder(ctx context.Context, a *ahead, p plan) error {
	o := s.ordering(a)
	if err := o.start(s.leaving.tip); err != nil {
		return err
	}
	if err := o.place(p.goes); err != nil {
		return err
	}
	// Between what goes and what stays: this commit is pushed.
	tip, local := o.tip, s.view.refs[shadow.Checkpoints]
	s.leaving.commits = p.kept + o.written
	if err := o.place(p.stays); err != nil {
		return err
	}
	if err := o.end(); err != nil {
		return err
	}
	// The objects are written before: hooks wait only while the ref moves. If one has moved it,
	// this fails, and choose begins again.
	err := s.view.w.Locked(ctx, func() error {
		err := shadow.Apply(ctx, s.view.w.DB, s.view.w.Store, []shadow.RefChange{{Ref: shadow.Checkpoints, Old: local, New: o.tip}}, nil)
		if err == nil {
			s.settling()
		}
		return err
	})
	if err == nil {
		s.view.refs[shadow.Checkpoints], s.leaving.tip = o.tip, tip
	}
	return err
}

// ordering is an order of the branch that is written.
type ordering struct {
	joiner
	a       *ahead
	final   map[gitexec.Path]gitexec.Entry // the entries of the branch here, as far as they differ from the target's
	tip     gitexec.OID
	tree    gitexec.OID
	written int
}

// ordering begins to write the branch.
func (s *chooser) ordering(a *ahead) *ordering {
	o := &ordering{joiner: joiner{w: s.view.w, report: s.report}, a: a, final: map[gitexec.Path]gitexec.Entry{}}
	for _, c := range s.leaving.changes {
		o.final[c.Path] = c.New
	}
	return o
}

// end adds what no placing has: nothing may be lost.
func (o *ordering) end() (err error) {
	if o.tree != o.a.now {
		o.tip, err = o.commit(o.a.now, "Update metadata", o.tip)
	}
	return err
}

// start begins on a commit of the branch, or with a first one.
func (o *ordering) start(onto gitexec.OID) error {
	if onto != "" {
		c, err := o.w.DB.Commit(onto)
		o.tip, o.tree = onto, c.Tree
		return err
	}
	var err error
	if o.tree, err = o.w.DB.WriteTree(gitexec.Tree{}); err != nil {
		return err
	}
	o.tip, err = o.commit(o.tree, checkpoints.InitSubject)
	o.written++
	return err
}

// place writes a commit for each placing that changes anything.
func (o *ordering) place(all []placing) error {
	for _, one := range all {
		edits := gitexec.Edits{}
		for _, entry := range one.entries {
			edits[entry] = o.final[entry]
		}
		tree, err := o.w.DB.EditTree(o.tree, edits)
		if err != nil {
			return err
		}
		// The target has it already, or an earlier placing has.
		if tree == o.tree {
			continue
		}
		if o.tip, err = o.commitFor(one, tree); err != nil {
			return fmt.Errorf("the branch of the checkpoints in another order: %w", err)
		}
		o.tree = tree
		o.written++
	}
	return nil
}

// commitFor writes the commit of a placing, by whom and when the one was that it is for.
func (o *ordering) commitFor(p placing, tree gitexec.OID) (gitexec.OID, error) {
	if p.commit < 0 {
		return o.write(tree, o.w.Author(nil), p.message(""), o.tip)
	}
	was, err := o.w.DB.Commit(o.a.graph[p.commit][0])
	if err != nil {
		return "", err
	}
	return o.write(tree, o.by(was), p.message(string(was.Message)), o.tip)
}
