package share

import (
	"context"
	"errors"
	"slices"
	"strings"

	"entire-plumb/gitexec"
	"entire-plumb/internal/sets"
	"entire-plumb/shadow"
)

// asker asks a target which branches it has.
type asker struct {
	s    *Sharing
	anew bool // though it was asked before
}

// ask has the target say once at its present address which branches it has: what is known here of
// a remote may be of the repository that it was. One that takes pushes may decline to answer. Then
// nothing of it is known. By hand only an address is asked that is not fetched from, each time:
// else sync believes the remote-tracking branches.
// Three processes and one request for each address, or none; a fetch more where checkpoints are
// there that are not here.
func (a asker) ask(ctx context.Context) error {
	view := &a.s.View
	if view.trusts || view.Target.Why != "" || view.Target.Own || view.asked() && !view.byHand && !a.anew {
		return nil
	}
	if err := view.readRefs(ctx); err != nil || view.refs[shadow.Checkpoints] == "" {
		return err
	}
	// Also where it declines: the push moves remote-tracking branches, and where the remote comes
	// back to an earlier address, these are not of there.
	view.forgetFormer()
	there, err := a.branches(ctx)
	if err != nil && view.byHand {
		return ofTarget(err)
	}
	if err != nil {
		view.unsure = true
		return a.goOn(err)
	}
	if view.says = idsOf(there); !view.apart() {
		refs, err := view.tracked(ctx)
		if err != nil {
			return err
		}
		known := sets.Of(slices.Concat(view.says, view.readHeld().Pushed))
		view.doubted = slices.DeleteFunc(idsOf(refs), func(id gitexec.OID) bool { return known[id] })
	}
	// What is known of the checkpoints there comes first: a push that is killed before all is noted
	// asks again.
	if err := a.seeAnew(ctx, there); err != nil {
		return a.goOn(err)
	}
	view.noteAsked()
	return nil
}

// branches asks the target for its branches.
func (a asker) branches(ctx context.Context) ([]gitexec.Ref, error) {
	return a.s.online.Branches(ctx, a.s.remote(a.s.View.fetchedFrom()), a.s.View.remotes.beyondBranches(a.s.View.Target.Elected)...)
}

// ofCheckpoints is the branch of the checkpoints among some of a target's; empty: it has none.
func ofCheckpoints(refs []gitexec.Ref) []gitexec.OID {
	return idsOf(slices.DeleteFunc(slices.Clone(refs), func(r gitexec.Ref) bool { return r.Name != shadow.Checkpoints }))
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
	if now := ofCheckpoints(there); len(inboxes) > 0 || !slices.Equal(branch, now) {
		return a.s.Fetch(ctx)
	}
	a.s.View.looked = len(branch) == 0
	return nil
}

// foresee finds what the target has, as far as it is known here.
func (a asker) foresee(ctx context.Context) error {
	s := a.s
	switch {
	// Nothing here says what an address has that only pushes go to.
	case s.View.byHand && s.View.apart():
		there, err := a.branches(ctx)
		s.View.says = idsOf(there)
		return ofTarget(err)
	// Sync would fetch first, and find another repository there.
	case s.View.byHand && s.View.hasMoved():
		s.View.ignoreSeen()
		return nil
	}
	// Where a push takes the branch by itself, it isn't refused because its remote can't be asked:
	// what that has is unknown then. Nor is it for what an address has got since it was asked.
	a.anew = s.View.apart()
	if err := a.ask(ctx); s.declined == nil {
		return err
	}
	return nil
}

// unlessDeclined is the error of a push, or why the target declined to be asked where nothing has
// reached it.
func (a asker) unlessDeclined(err error) error {
	s := a.s
	if err == nil && !s.report.Sent && !s.report.Inbox && s.report.Portions == 0 {
		return s.declined
	}
	return err
}

// asked reports whether the target was asked at its present address.
func (s *View) asked() bool { return s.readHeld().Asked }

// hasMoved reports whether the target was asked at an address that it has no more, and not at its
// present one.
func (s *View) hasMoved() bool {
	all := readAllHeld(s.w.Repo.SharedDir())
	return !all[s.place()].Asked && slices.ContainsFunc(s.formerPlaces(all), func(place string) bool { return all[place].Asked })
}

// formerPlaces are those of the target at addresses that it has no more.
func (s *View) formerPlaces(all map[string]held) (former []string) {
	now := []string{s.place()}
	for _, t := range s.remotes.each(s.Target) {
		now = append(now, t.place())
	}
	for place := range all {
		if strings.HasPrefix(place, s.Target.key()+" ") && !slices.Contains(now, place) {
			former = append(former, place)
		}
	}
	return former
}

// forgetFormer forgets the target at addresses that it has no more. The old repository may have
// been private, and the new one public: what the one had decides nothing for the other.
func (s *View) forgetFormer() {
	dir := s.w.Repo.SharedDir()
	all := readAllHeld(dir)
	if former := s.formerPlaces(all); len(former) > 0 {
		for _, place := range former {
			delete(all, place)
		}
		writeAllHeld(dir, all, s.place())
	}
}

// noteAsked notes which remote-tracking branches the target lacks: they count once a fetch or a
// push has moved them.
func (s *View) noteAsked() {
	s.writeHeld(held{Asked: true, Lacks: s.doubted, Pushed: s.readHeld().Pushed})
}
