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

// ask has the target say once at its present address which branches it has: what is known here of
// a remote may be of the repository that it was. One that takes pushes may decline to answer. Then
// nothing of it is known. By hand it is not asked: sync believes the remote-tracking branches.
// Three processes and one request for each address, or none; a fetch more where checkpoints are
// there that are not here.
func (s *Sharing) ask(ctx context.Context) error {
	if s.byHand() || s.View.Target.Why != "" || s.View.Target.Own || s.View.asked() {
		return nil
	}
	if err := s.View.readRefs(ctx); err != nil || s.View.refs[shadow.Checkpoints] == "" {
		return err
	}
	refs, err := branchesOfAll(ctx, s.online, s.remote(), s.View.remotes.severalAddresses(s.View.Target))
	s.declined = ofTarget(err)
	if err := s.View.noteAsked(ctx, refs); err != nil {
		return err
	}
	if slow, ok := errors.AsType[*TargetError](s.declined); ok && slow.Fault == Slow {
		return s.declined
	}
	// It may take a push all the same.
	if s.declined != nil {
		return s.View.forgetSeen(ctx)
	}
	if err := s.View.readRefs(ctx); err != nil { // without what is doubted
		return err
	}
	refs = slices.DeleteFunc(refs, func(r gitexec.Ref) bool { return r.Name != shadow.Checkpoints })
	if branch, inboxes := s.View.sides(); len(inboxes) > 0 || !slices.Equal(branch, idsOf(refs)) {
		return s.Fetch(ctx)
	}
	s.View.looked = len(refs) == 0
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
// reached it. The next push asks it again then.
func (s *Sharing) unlessDeclined(err error) error {
	if s.declined == nil || s.report.Sent || s.report.Inbox || s.report.Portions > 0 {
		return err
	}
	h := s.View.readHeld()
	delete(h.Asked, s.View.place())
	s.View.writeHeld(h)
	if err == nil {
		err = s.declined
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

// noteAsked notes which branches the target has: remote-tracking branches that are not among them
// count once a fetch or a push has moved them. One process.
func (s *View) noteAsked(ctx context.Context, there []gitexec.Ref) error {
	refs, err := s.tracked(ctx)
	if err != nil {
		return err
	}
	h := s.readHeld()
	h.turnTo(s.place())
	known := slices.Concat(idsOf(there), h.Pushed)
	// The old repository may have been private, and the new one public: what the one had decides
	// nothing for the other.
	h.Examined, h.Stays, h.Cleared = nil, nil, ""
	maps.DeleteFunc(h.Asked, func(place string, _ []gitexec.OID) bool {
		return ofOneTarget(place, s.place()) || len(h.Asked) > mostTargets
	})
	if h.Asked == nil {
		h.Asked = map[string][]gitexec.OID{}
	}
	h.Asked[s.place()] = slices.DeleteFunc(idsOf(refs), func(id gitexec.OID) bool { return slices.Contains(known, id) })
	s.writeHeld(h)
	return nil
}
