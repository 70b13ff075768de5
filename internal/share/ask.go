package share

import (
	"context"
	"errors"
	"maps"
	"slices"

	"entire-plumb/gitexec"
	"entire-plumb/internal/sets"
	"entire-plumb/shadow"
)

// asker asks a target which branches it has.
type asker struct{ s *Sharing }

// ask has the target say once at its present address which branches it has: what is known here of
// a remote may be of the repository that it was. One that takes pushes may decline to answer. Then
// nothing of it is known. By hand only an address is asked that is not fetched from, each time:
// else sync believes the remote-tracking branches.
// Three processes and one request for each address, or none; a fetch more where checkpoints are
// there that are not here.
func (a asker) ask(ctx context.Context) error {
	view := &a.s.View
	if view.trusts || view.Target.Why != "" || view.Target.Own || view.asked() && !view.byHand {
		return nil
	}
	if err := view.readRefs(ctx); err != nil || view.refs[shadow.Checkpoints] == "" {
		return err
	}
	there, err := a.branches(ctx)
	if err != nil && view.byHand {
		return ofTarget(err)
	}
	if err != nil {
		view.unsure = true
		return a.goOn(err)
	}
	if view.says = idsOf(there); len(view.apart()) == 0 {
		refs, err := view.tracked(ctx)
		if err != nil {
			return err
		}
		known := sets.Of(slices.Concat(view.says, view.readHeld().owed(view.place())))
		view.doubted = slices.DeleteFunc(idsOf(refs), func(id gitexec.OID) bool { return known[id] })
	}
	// What is known of the checkpoints there comes first: a push that is killed before all is noted
	// asks again.
	if err := a.seeAnew(ctx, there); err != nil {
		return a.goOn(err)
	}
	if !view.differ {
		view.noteAsked()
	}
	return nil
}

// branches asks the target for its branches; of several addresses, for those that all have.
func (a asker) branches(ctx context.Context) (refs []gitexec.Ref, err error) {
	view, of := &a.s.View, a.s.remote()
	to := view.apart()
	if len(to) == 0 { // by its name git obeys all of its configuration
		to = []string{of.Name}
	}
	others := view.remotes.beyondBranches(view.Target.Elected)
	view.differ, view.compared = false, true
	for i, address := range to {
		of.Name = address
		found, err := a.s.online.Branches(ctx, of, others...)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			view.differ = view.differ || !slices.Equal(ofCheckpoints(found), ofCheckpoints(refs))
			there := sets.Of(found)
			found = slices.DeleteFunc(refs, func(r gitexec.Ref) bool { return !there[r] })
		}
		refs = found
	}
	return refs, nil
}

// ofCheckpoints is the branch of the checkpoints among some of a target's; empty: it has none.
func ofCheckpoints(refs []gitexec.Ref) []gitexec.OID {
	return idsOf(slices.DeleteFunc(slices.Clone(refs), func(r gitexec.Ref) bool { return r.Name != shadow.Checkpoints }))
}

// compare finds whether several addresses have the same checkpoints. What one lacks doesn't count
// as there then. No process where there is one address, or where they were just asked.
func (a asker) compare(ctx context.Context) error {
	if view := &a.s.View; len(view.apart()) > 1 && !view.compared {
		if _, err := a.branches(ctx); err != nil {
			return err
		}
		if view.differ {
			view.forgetAsked()
		}
	}
	a.s.View.compared = false
	return nil
}

// goOn has a push go on without what was seen of a target that declines to answer: it may take the
// push all the same. The next one asks it again. If it didn't answer in time, that is the error.
func (a asker) goOn(err error) error {
	a.s.declined = ofTarget(err)
	a.s.View.ignoreSeen()
	if slow, ok := errors.AsType[*TargetError](a.s.declined); ok && slow.Fault == Slow {
		return a.s.declined
	}
	return nil
}

// seeAnew has the target's checkpoints be known as they are at its present address.
func (a asker) seeAnew(ctx context.Context, there []gitexec.Ref) error {
	if err := a.s.View.readRefs(ctx); err != nil { // without what is doubted
		return err
	}
	branch, inboxes := a.s.View.sides()
	if now := ofCheckpoints(there); a.s.View.differ || len(inboxes) > 0 || !slices.Equal(branch, now) {
		return a.s.Fetch(ctx)
	}
	a.s.View.looked = len(branch) == 0
	return nil
}

// unlessDeclined is the error of a push, or why the target declined to be asked where nothing has
// reached it.
func (s *Sharing) unlessDeclined(err error) error {
	if err == nil && !s.report.Sent && !s.report.Inbox && s.report.Portions == 0 {
		return s.declined
	}
	return err
}

// asked reports whether the target was asked at its present address.
func (s *View) asked() bool {
	_, asked := s.readHeld().Asked[s.place()]
	return asked
}

// hasMoved reports whether the target was asked at another address, and not at its present one.
func (s *View) hasMoved() bool {
	asked := s.readHeld().Asked
	_, here := asked[s.place()]
	return !here && slices.ContainsFunc(slices.Collect(maps.Keys(asked)), func(place string) bool { return ofOneTarget(place, s.place()) })
}

// noteAsked notes which remote-tracking branches the target lacks: they count once a fetch or a
// push has moved them.
func (s *View) noteAsked() {
	h := s.readHeld()
	h.turnTo(s.place())
	// The old repository may have been private, and the new one public: what the one had decides
	// nothing for the other.
	h.Examined, h.Stays, h.Cleared = nil, nil, ""
	maps.DeleteFunc(h.Asked, func(place string, _ []gitexec.OID) bool {
		return ofOneTarget(place, s.place()) || len(h.Asked) > mostTargets
	})
	if h.Asked == nil {
		h.Asked = map[string][]gitexec.OID{}
	}
	h.Asked[s.place()] = s.doubted
	s.writeHeld(h)
}

// forgetAsked has the next push ask again.
func (s *View) forgetAsked() {
	h := s.readHeld()
	delete(h.Asked, s.place())
	s.writeHeld(h)
}
