package share

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/shadow"
)

// mostTries is how many pushes are tried. The second one and the third follow a fetch.
const mostTries = 3

// ErrHoldsPurged says that the target's branch holds what was purged or dropped here.
var ErrHoldsPurged = errors.New("the branch there still holds what was purged here")

// ErrBusy says that others were faster each time.
var ErrBusy = errors.New("the branch moves faster there")

// Push unites, and brings the branch to the target: to its branch there, or, where somebody else
// was faster, to this clone's inbox, which any reader unites. Where others push there, too, one
// push asks for both, so that one is enough. Without anything new it pushes nothing.
func (s *Sharing) Push(ctx context.Context) (Report, error) {
	if s.Target.Why != "" || s.Target.Own {
		if err := s.pushTrails(ctx); err != nil {
			return s.report, err
		}
	}
	if s.Target.Why != "" {
		return s.report, nil
	}
	err := s.Unite(ctx)
	if err == nil {
		err = s.firstLook(ctx)
	}
	if err != nil {
		return s.report, err
	}
	if s.report.New, err = s.New(ctx); err != nil || s.report.New == 0 && (s.Target.Own || !s.trailsNew()) {
		return s.report, err
	}
	for s.report.Tries < mostTries {
		id, err := s.cloneID()
		if err != nil {
			return s.report, err
		}
		specs, err := s.specs(ctx, id)
		if err != nil {
			return s.report, err
		}
		s.report.Tries++
		pushed, err := s.online.Push(ctx, s.remote(), specs)
		if err != nil {
			return s.report, err
		}
		again, err := s.took(ctx, id, pushed)
		if err != nil || !again {
			return s.report, err
		}
		s.crowded = true
		if err := s.Fetch(ctx); err != nil {
			return s.report, err
		}
		if err := s.Unite(ctx); err != nil {
			return s.report, err
		}
	}
	return s.report, ErrBusy
}

// others reports whether anybody but this clone has pushed to the target's branch.
func (s *Sharing) others(ctx context.Context) (bool, error) {
	branch, inboxes := s.sides()
	mine := s.refs[s.pushedRef()]
	inboxes = slices.DeleteFunc(inboxes, func(id gitexec.OID) bool { return id == mine })
	if len(branch)+len(inboxes) == 0 {
		return false, nil
	}
	if mine == "" || len(inboxes) > 0 {
		return true, nil
	}
	branch = slices.DeleteFunc(branch, func(id gitexec.OID) bool { return id == mine })
	if len(branch) == 0 {
		return false, nil
	}
	others, err := s.w.Repo.NotInHistory(ctx, branch, mine)
	return len(others) > 0, err
}

// specs are what to push: the branch, beside others the own inbox, trails, and the deletion of
// inboxes that the branch there is known to hold.
func (s *Sharing) specs(ctx context.Context, id string) ([]gitexec.RefSpec, error) {
	specs, err := s.emptied(ctx, id)
	if err != nil {
		return nil, err
	}
	local := s.refs[shadow.Checkpoints]
	if seen := s.refs[s.seenRef()]; s.dirty && s.byHand() && seen != "" {
		return append(specs, gitexec.RefSpec{From: local, To: shadow.Checkpoints, Force: true, Had: seen}), nil
	}
	if s.dirty {
		return []gitexec.RefSpec{{From: local, To: inbox + id}}, nil
	}
	if local != "" && s.report.New > 0 {
		specs = append(specs, gitexec.RefSpec{From: local, To: shadow.Checkpoints})
		if s.crowded && !s.apart {
			specs = append(specs, gitexec.RefSpec{From: local, To: inbox + id})
		}
	}
	if s.trailsNew() && !s.Target.Own {
		specs = append(specs, gitexec.RefSpec{From: s.refs[Trails], To: Trails})
	}
	return specs, nil
}

// firstLook fetches before the first push of all: somebody else may have been there.
func (s *Sharing) firstLook(ctx context.Context) error {
	branch, inboxes := s.sides()
	if len(branch)+len(inboxes) > 0 || s.refs[s.pushedRef()] != "" || s.refs[shadow.Checkpoints] == "" {
		return nil
	}
	if err := s.Fetch(ctx); err != nil {
		return err
	}
	if branch, inboxes = s.sides(); len(branch)+len(inboxes) == 0 {
		return nil
	}
	return s.Unite(ctx)
}

// pushTrails pushes the branch of trails alone, to the user's remote (seed 004, PushTrailsBranch):
// they go there whatever becomes of the checkpoints.
func (s *Sharing) pushTrails(ctx context.Context) error {
	if s.Target.Elected == "" {
		return nil
	}
	if err := s.readRefs(ctx); err != nil || !s.trailsNew() {
		return err
	}
	to := s.remote()
	to.Name = s.Target.Elected
	pushed, err := s.online.Push(ctx, to, []gitexec.RefSpec{{From: s.refs[Trails], To: Trails}})
	if err != nil {
		return err
	}
	if !pushed[0].Done {
		return fmt.Errorf("%s: %s", Trails, pushed[0].Why)
	}
	return s.note(ctx, map[string]gitexec.OID{s.trailsRef(): s.refs[Trails]})
}

// emptied are the deletions of the inboxes whose commits the branch there holds, as far as it is
// known here; of this clone's own where nobody else pushes.
func (s *Sharing) emptied(ctx context.Context, id string) (specs []gitexec.RefSpec, err error) {
	seen := s.refs[s.seenRef()]
	var tips []gitexec.OID
	for name, tip := range s.refs {
		if strings.HasPrefix(name, s.inboxes()) {
			tips = append(tips, tip)
		}
	}
	if seen == "" || len(tips) == 0 {
		return nil, nil
	}
	outside, err := s.w.Repo.NotInHistory(ctx, tips, seen)
	if err != nil {
		return nil, err
	}
	outside = slices.DeleteFunc(outside, func(tip gitexec.OID) bool {
		return !s.adds(seen, tip) || s.apart && !s.adds(s.refs[shadow.Checkpoints], tip)
	})
	for name, tip := range s.refs {
		of, ok := strings.CutPrefix(name, s.inboxes())
		if ok && !slices.Contains(outside, tip) && (of != id || !s.crowded || s.apart) && len(specs) < mostEmptied {
			specs = append(specs, gitexec.RefSpec{To: inbox + of, Force: true, Had: tip})
		}
	}
	return specs, nil
}

// adds reports whether an inbox holds anything that a tip of the branch has not. Its history may
// hold more, such as what was purged.
func (s *Sharing) adds(tip, side gitexec.OID) bool {
	commits, err := s.w.DB.Commits(tip, side)
	if err != nil {
		return true
	}
	u, err := checkpoints.Unite(s.w.DB, checkpoints.Sides{Ours: commits[0].Tree, Theirs: commits[1].Tree, Inbox: true})
	return err != nil || u.Tree != commits[0].Tree
}

// mostEmptied is how many inboxes one push deletes.
const mostEmptied = 20

// took notes what the target took. again: nothing holds the branch there yet.
func (s *Sharing) took(ctx context.Context, id string, pushed []gitexec.Pushed) (again bool, err error) {
	local := s.refs[shadow.Checkpoints]
	news := map[string]gitexec.OID{}
	var refused gitexec.Pushed
	for _, p := range pushed {
		switch {
		case p.Done && p.To == shadow.Checkpoints:
			s.report.Sent = true
			news[s.seenRef()], news[s.pushedRef()] = local, local
		case p.Done && p.To == inbox+id && !p.Deleted:
			s.report.Inbox = true
			news[s.inboxes()+id] = local
		case p.Done && p.To == Trails:
			news[s.trailsRef()] = s.refs[Trails]
		case p.Done && strings.HasPrefix(p.To, inbox): // deleted
			news[s.inboxes()+strings.TrimPrefix(p.To, inbox)] = ""
		case p.To == shadow.Checkpoints:
			refused = p
		case p.To == inbox+id && p.Behind: // another clone with the same ID: a copy
			err = s.forgetID()
		}
	}
	if s.report.Sent {
		s.report.Inbox = false
	}
	if err2 := s.note(ctx, news); err == nil {
		err = err2
	}
	switch {
	case err == nil && s.report.Sent && refused.Why != "": // the remote has several addresses
		return false, errors.New("one of its addresses refuses it: " + refused.Why)
	case err != nil || s.report.New == 0 || s.report.Sent:
		return false, err
	case s.report.Inbox && s.dirty:
		return false, ErrHoldsPurged
	case s.report.Inbox:
		if refused.Behind && s.Fetch(ctx) == nil { // so that the next push unites
			err := s.Unite(ctx)
			return s.apart, err // what was pushed may hold what was purged there: it is replaced at once
		}
		return false, nil
	case refused.Why != "" && !refused.Behind:
		return false, fmt.Errorf("it refuses %s: %s", strings.TrimPrefix(shadow.Checkpoints, "refs/heads/"), refused.Why)
	}
	return true, nil
}
