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
// nothing of it is known. By hand it is not asked: sync believes the remote-tracking branches.
// Three processes and one request for each address, or none; a fetch more where checkpoints are
// there that are not here.
func (a asker) ask(ctx context.Context) error {
	if a.s.byHand() || a.s.View.Target.Why != "" || a.s.View.Target.Own || a.s.View.asked() {
		return nil
	}
	if err := a.s.View.readRefs(ctx); err != nil || a.s.View.refs[shadow.Checkpoints] == "" {
		return err
	}
	there, err := branchesOfAll(ctx, a.s.online, a.s.remote(), a.s.View.remotes.severalAddresses(a.s.View.Target))
	if err != nil {
		a.s.View.unsure = true
		return a.goOn(err)
	}
	refs, err := a.s.View.tracked(ctx)
	if err != nil {
		return err
	}
	known := sets.Of(slices.Concat(idsOf(there), a.s.View.readHeld().owed(a.s.View.place())))
	a.s.View.doubted = slices.DeleteFunc(idsOf(refs), func(id gitexec.OID) bool { return known[id] })
	// What is known of the checkpoints there comes first: a push that is killed before all is noted
	// asks again.
	if err := a.seeAnew(ctx, there); err != nil {
		return a.goOn(err)
	}
	a.s.View.noteAsked()
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
	there = slices.DeleteFunc(there, func(r gitexec.Ref) bool { return r.Name != shadow.Checkpoints })
	if branch, inboxes := a.s.View.sides(); len(inboxes) > 0 || !slices.Equal(branch, idsOf(there)) {
		return a.s.Fetch(ctx)
	}
	a.s.View.looked = len(there) == 0
	return nil
}

// branchesOfAll are the branches of a remote; of several addresses, those that all have.
func branchesOfAll(ctx context.Context, online *gitexec.Repo, of gitexec.Remote, addresses []string) (refs []gitexec.Ref, err error) {
	if len(addresses) == 0 { // by its name git obeys all of its configuration
		return online.Branches(ctx, of)
	}
	for i, address := range addresses {
		of.Name = address
		found, err := online.Branches(ctx, of)
		if err != nil {
			return nil, err
		}
		if there := sets.Of(found); i > 0 {
			found = slices.DeleteFunc(refs, func(r gitexec.Ref) bool { return !there[r] })
		}
		refs = found
	}
	return refs, nil
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
