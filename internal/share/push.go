package share

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/shadow"
)

// mostTries is how many pushes are tried, as far as there is time. Each but the first follows a
// fetch. Two clones that push 60 checkpoints each without a pause need 1.4 tries, and one of 17
// pushes leaves its inbox to the next. 50 clones at random need 2.9 (docs/sharing.md), so that
// three, as it was, left many.
const mostTries = 6

// ErrHoldsPurged says that the target's branch holds what was purged or dropped here.
var ErrHoldsPurged = errors.New("the branch there still holds what was purged here")

// ErrBusy says that others were faster each time.
var ErrBusy = errors.New("the branch moves faster there")

// Push unites, and brings the branch to the target: to its branch there, or, where somebody else
// was faster, to this clone's inbox, which any reader unites. Where others push there, too, one
// push asks for both. What is in the inbox alone is put on the branch at once, as far as there is
// time: a plain git fetch brings no inboxes. What does not arrive in the time of one push goes in
// portions. Without anything new it pushes nothing.
func (s *Sharing) Push(ctx context.Context) (Report, error) {
	p := &portions{s: s, memory: MemoryOf(s)}
	waits := false
	err := p.look(ctx)
	if err == nil {
		waits, err = p.all(ctx)
	}
	if err == nil && !waits && s.View.Target.Why == "" {
		s.View.paid()
		p.memory.allArrived()
	}
	return s.report, p.inTime((asker{s: s}).unlessDeclined(err))
}

// uniteAgain fetches and unites after a push in which others were faster. again: the branch can be
// pushed once more.
func (s *Sharing) uniteAgain(ctx context.Context) (again bool, err error) {
	// From now on a push asks for the inbox as well.
	s.crowded = true
	before := s.View.refs[s.View.seenRef()]
	if err := s.Fetch(ctx); err != nil {
		return false, s.unlessInInbox(err)
	}
	if err := s.moved(before); err != nil {
		return false, err
	}
	if err := s.Unite(ctx); err != nil {
		return false, err
	}
	if err := s.choose(ctx, true); err != nil {
		return false, err
	}
	// What was pushed may hold what was purged there: it is replaced at once.
	return !s.report.Inbox || s.apart || !s.halfway(), nil
}

// mostStood is how many refusals in a row are believed to be others' pushes, though these moved
// nothing: one may have held the lock and failed. With 0 a push that meets such a one fails; with
// more, each push to a server that can't make the branch waits for another fetch and push
// (share_names_what_no_push_gets_past).
const mostStood = 1

// moved checks that others have moved the target's branch since it was seen before a push that was
// refused as if they had. Else the server can't or won't write it, and would refuse each push.
func (s *Sharing) moved(before gitexec.OID) error {
	seen := s.View.refs[s.View.seenRef()]
	if seen != before {
		s.stood = 0
		return nil
	}
	if s.stood++; s.stood <= mostStood {
		return nil
	}
	why := fmt.Sprintf("it does not take %s (%s), though others have pushed nothing to it", strings.TrimPrefix(shadow.Checkpoints, "refs/heads/"), s.behind)
	if seen == "" {
		why += ": a branch there may be in its way, as entire/checkpoints would be"
	}
	return &TargetError{Otherwise, errors.New(why)}
}

// unlessInInbox is no error where this clone's inbox has the checkpoints: the next push puts them
// on the branch.
func (s *Sharing) unlessInInbox(err error) error {
	if s.report.Inbox {
		return nil
	}
	return err
}

// prepare does what comes before a push, and reports whether there is anything to push.
func (s *Sharing) prepare(ctx context.Context) (ready bool, err error) {
	// Else they go in the same push as the checkpoints.
	if s.View.Target.Why != "" || s.View.Target.Own {
		if err := s.pushTrails(ctx); err != nil {
			return false, err
		}
	}
	if s.View.Target.Why != "" {
		return false, nil
	}
	if err := s.Unite(ctx); err != nil {
		return false, err
	}
	if err := s.firstLook(ctx); err != nil {
		return false, err
	}
	err = s.choose(ctx, true)
	return s.report.New > 0 || !s.View.Target.Own && s.View.trailsNew(), err
}

// try pushes once. again: others were faster.
func (s *Sharing) try(ctx context.Context) (again bool, err error) {
	id, err := s.View.cloneID()
	if err != nil {
		return false, err
	}
	specs, err := s.specs(ctx, id)
	if err != nil {
		return false, err
	}
	s.report.Tries++
	pushed, err := s.online.Push(ctx, s.remote(s.View.Target.pushedTo()), specs)
	// No ref has an answer: the push has failed as a whole.
	if len(pushed) == 0 {
		return false, s.unlessInInbox(ofTarget(err))
	}
	again, err2 := s.took(ctx, id, pushed)
	return again, cmp.Or(err2, ofTarget(err))
}

// others reports whether anybody but this clone has pushed to the target's branch.
func (s *Sharing) others(ctx context.Context) (bool, error) {
	branch, inboxes := s.View.sides()
	mine := s.View.refs[s.View.pushedRef()]
	inboxes = slices.DeleteFunc(inboxes, func(id gitexec.OID) bool { return id == mine })
	if len(branch)+len(inboxes) == 0 {
		return false, nil
	}
	// What is there is not of this clone: it has not pushed, or an inbox has another commit.
	if mine == "" || len(inboxes) > 0 {
		return true, nil
	}
	branch = slices.DeleteFunc(branch, func(id gitexec.OID) bool { return id == mine })
	if len(branch) == 0 {
		return false, nil
	}
	// The branch as it was seen may be older than what was pushed from here: that is nobody else's.
	others, err := s.View.outside(ctx, branch, mine)
	return len(others) > 0, err
}

// specs are what to push: the branch, beside others the own inbox, trails, and the deletion of
// inboxes that the branch there is known to hold.
func (s *Sharing) specs(ctx context.Context, id string) ([]gitexec.RefSpec, error) {
	specs, err := s.emptied(ctx, id)
	if err != nil {
		return nil, err
	}
	tip := s.leaving.tip
	// By force, with a lease: of what others have pushed since nothing is lost, the push fails.
	if seen := s.View.refs[s.View.seenRef()]; s.dirty && s.View.byHand && seen != "" {
		return append(specs, gitexec.RefSpec{From: tip, To: shadow.Checkpoints, Force: true, Had: seen}), nil
	}
	// Beside a push the branch there is not replaced by force: that is left to sync.
	if s.dirty {
		return []gitexec.RefSpec{{From: tip, To: inbox + id}}, nil
	}
	if tip != "" && s.report.New > 0 {
		specs = append(specs, gitexec.RefSpec{From: tip, To: shadow.Checkpoints})
		if s.crowded && !s.apart {
			specs = append(specs, gitexec.RefSpec{From: tip, To: inbox + id})
		}
	}
	if s.View.trailsNew() && !s.View.Target.Own {
		specs = append(specs, gitexec.RefSpec{From: s.View.refs[Trails], To: Trails})
	}
	return specs, nil
}

// firstLook fetches before the first push of all: somebody else may have been there.
func (s *Sharing) firstLook(ctx context.Context) error {
	branch, inboxes := s.View.sides()
	if s.View.looked || len(branch)+len(inboxes) > 0 || s.View.refs[s.View.pushedRef()] != "" || s.View.refs[shadow.Checkpoints] == "" {
		return nil
	}
	if err := s.Fetch(ctx); err != nil {
		return err
	}
	if branch, inboxes = s.View.sides(); len(branch)+len(inboxes) == 0 {
		return nil
	}
	return s.Unite(ctx)
}

// pushTrails pushes the branch of trails alone, to the user's remote (seed 004, PushTrailsBranch):
// they go there whatever becomes of the checkpoints.
func (s *Sharing) pushTrails(ctx context.Context) error {
	if s.View.Target.Elected == "" {
		return nil
	}
	if err := s.View.readRefs(ctx); err != nil || !s.View.trailsNew() {
		return err
	}
	pushed, err := s.online.Push(ctx, s.remote(gitexec.Remote{Name: s.View.Target.Elected}), []gitexec.RefSpec{{From: s.View.refs[Trails], To: Trails}})
	if err != nil {
		return ofTarget(err)
	}
	if !pushed[0].Done {
		return refusal(pushed[0], Trails+": ")
	}
	return s.View.note(ctx, map[string]gitexec.OID{s.View.trailsRef(): s.View.refs[Trails]}, true)
}

// emptied are the deletions of the inboxes whose commits the branch there holds, as far as it is
// known here; of this clone's own where nobody else pushes.
func (s *Sharing) emptied(ctx context.Context, id string) ([]gitexec.RefSpec, error) {
	seen := s.View.refs[s.View.seenRef()]
	inboxes := map[string]gitexec.OID{} // by the ID of their clone
	for name, tip := range s.View.refs {
		if of, ok := strings.CutPrefix(name, s.View.inboxes()); ok {
			inboxes[of] = tip
		}
	}
	if seen == "" || len(inboxes) == 0 {
		return nil, nil
	}
	outside, err := s.View.outside(ctx, slices.Collect(maps.Values(inboxes)), seen)
	if err != nil {
		return nil, err
	}
	// An inbox of another history is outside for ever. It can go once the branch holds its
	// contents.
	outside = slices.DeleteFunc(outside, func(tip gitexec.OID) bool {
		return !s.adds(seen, tip) || s.apart && !s.adds(s.leaving.tip, tip)
	})
	needed := ""
	// The same push writes the own inbox: it cannot delete it.
	if s.crowded && !s.apart {
		needed = id
	}
	return deletions(inboxes, outside, needed), nil
}

// deletions are those of inboxes, by the ID of their clone, except those outside of the branch and
// the one that is needed.
func deletions(inboxes map[string]gitexec.OID, outside []gitexec.OID, needed string) (specs []gitexec.RefSpec) {
	for of, tip := range inboxes {
		// With a lease: a clone may have put more into its inbox since.
		if of != needed && !slices.Contains(outside, tip) && len(specs) < mostEmptied {
			specs = append(specs, gitexec.RefSpec{To: inbox + of, Force: true, Had: tip})
		}
	}
	return specs
}

// adds reports whether an inbox holds anything that a tip of the branch has not. Its history may
// hold more, such as what was purged.
func (s *Sharing) adds(tip, side gitexec.OID) bool {
	commits, err := s.View.w.DB.Commits(tip, side)
	// Unknown: the inbox stays.
	if err != nil {
		return true
	}
	u, err := checkpoints.Unite(s.View.w.DB, checkpoints.Sides{Ours: commits[0].Tree, Theirs: commits[1].Tree, Inbox: true})
	return err != nil || u.Tree != commits[0].Tree
}

// mostEmptied is how many inboxes one push deletes, since each is a ref that the server has to
// lock. Each clone has one at most, and other pushes delete others.
const mostEmptied = 20

// receipt is what a push came to.
type receipt struct {
	sent    bool           // the branch is there
	inbox   bool           // it is in this clone's inbox
	refused gitexec.Pushed // the branch; zero: it was not refused
	copied  bool           // another clone has the same ID: a copy
}

// receive reads what a push came to, and what is known of the target from now on.
func (s *Sharing) receive(id string, pushed []gitexec.Pushed) (r receipt, news map[string]gitexec.OID) {
	local := s.leaving.tip
	news = map[string]gitexec.OID{}
	for _, p := range pushed {
		of, isInbox := strings.CutPrefix(p.To, inbox)
		switch {
		case !p.Done:
			r.refuse(p, id)
		case p.To == shadow.Checkpoints:
			r.sent = true
			news[s.View.seenRef()], news[s.View.pushedRef()] = local, local
		case p.To == Trails:
			news[s.View.trailsRef()] = s.View.refs[Trails]
		case isInbox && of == id && !p.Deleted:
			r.inbox = true
			news[s.View.inboxes()+of] = local
		// Deleted: what was known of it is deleted, too.
		case isInbox:
			news[s.View.inboxes()+of] = ""
		}
	}
	r.inbox = r.inbox && !r.sent
	return r, news
}

func (r *receipt) refuse(p gitexec.Pushed, id string) {
	switch {
	case p.To == shadow.Checkpoints:
		r.refused = p
	case p.To == inbox+id && p.Behind:
		r.copied = true
	}
}

// next decides whether another push follows one of so many new commits, since others were faster.
// dirty: the branch there holds what was purged here.
func (r receipt) next(commits int, dirty bool) (again bool, err error) {
	switch {
	case commits == 0 || r.sent:
		return false, nil
	case r.inbox && dirty:
		return false, ErrHoldsPurged
	case r.refused.Why != "" && !r.refused.Behind: // even where it takes the inbox, which a plain fetch does not bring
		return false, refusal(r.refused, "it refuses "+strings.TrimPrefix(shadow.Checkpoints, "refs/heads/")+": ")
	case r.inbox && !r.refused.Behind:
		return false, nil
	}
	return true, nil
}

// took notes what the target took. again: others were faster.
func (s *Sharing) took(ctx context.Context, id string, pushed []gitexec.Pushed) (again bool, err error) {
	r, news := s.receive(id, pushed)
	s.report.Sent = s.report.Sent || r.sent
	s.report.Inbox = (s.report.Inbox || r.inbox) && !s.report.Sent
	// Whoever copies a clone's directory copies its ID. With another one the next push has an inbox
	// of its own.
	if r.copied {
		err = s.View.forgetID()
	}
	r.sent, r.inbox, s.behind = s.report.Sent, s.report.Inbox, r.refused.Why
	again, why := r.next(s.report.New, s.dirty)
	if err2 := s.View.note(ctx, news, again); err == nil {
		err = err2
	}
	if err != nil {
		return false, err
	}
	return again, why
}
