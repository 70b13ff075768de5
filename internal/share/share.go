package share

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/workspace"
	"entire-plumb/shadow"
)

// Sharing is the checkpoints here and on the target, as far as it is known here.
type Sharing struct {
	View   View
	online *gitexec.Repo
	report Report
	begun  time.Time

	// Settling is called before the branch here is read, and under the lock when it was moved; nil:
	// nothing is.
	Settling func()
	// Fetched is called when what others have put there is here, and is not united yet; nil:
	// nothing is.
	Fetched func()

	// Sent is what the user's push sends, beside which the branch goes; zero: there is none.
	Sent Sent

	// Background is how long it goes on after the user's push; 0: it doesn't.
	Background time.Duration

	leaving  leaving
	accept   bool          // purges of others take effect here
	crowded  bool          // others push to the target's branch, too
	behind   string        // why the last push was refused, as if others had been faster
	stood    int           // so many such refusals in a row, after which the branch there had not moved
	apart    bool          // a side held what was purged on another one
	wanted   []string      // checkpoints with refs of their own, to be fetched
	dirty    bool          // the target's branch holds what was purged here: it must be replaced
	declined error         // why the target did not say what it has
	patience time.Duration // 0: the setting's
	progress io.Writer     // nil: none
	asks     bool          // the user may be asked for a password
}

// ByHand gives sharing more time than beside a push, and shows git's progress on a terminal. asks:
// git may ask the user for a password there.
func (s *Sharing) ByHand(patience time.Duration, progress io.Writer, asks bool) {
	s.View.byHand, s.View.trusts = true, true
	s.patience, s.progress, s.asks = patience, progress, asks
}

// Open reads what is known. online is the workspace's repository where its commands may talk to
// remotes. One process.
func Open(ctx context.Context, w *workspace.Workspace, online *gitexec.Repo) (*Sharing, error) {
	s := &Sharing{View: View{w: w}, online: online, begun: time.Now()}
	var err error
	if s.View.remotes, err = ReadRemotes(ctx, w.Repo); err != nil {
		return nil, err
	}
	s.View.Target = s.View.remotes.Target(w.Settings, strings.TrimPrefix(w.Repo.Branch, "refs/heads/"))
	s.report.Elected = s.View.Target.Elected
	s.report.To, s.report.Why = s.View.Target.Shown(), s.View.Target.because()
	return s, nil
}

// Unite unites the branch here with all that is known of the target. It changes the branch here
// alone. The lock is held only while the branch moves: others record meanwhile.
func (s *Sharing) Unite(ctx context.Context) (err error) {
	if s.View.Target.Remote == "" {
		return nil
	}
	for range mostTries {
		if err = s.unite(ctx); !errors.As(err, new(*gitexec.RefMovedError)) {
			break
		}
	}
	return err
}

func (s *Sharing) unite(ctx context.Context) error {
	// Before the refs are read: a change that comes in between makes the next push look again.
	s.settling()
	if err := s.View.readRefs(ctx); err != nil {
		return err
	}
	local := s.View.refs[shadow.Checkpoints]
	tip, err := s.joined(ctx, local)
	if err != nil || tip == "" {
		return err
	}
	// What is kept is written in the same transaction as the branch: it cannot be lost between
	// them.
	changes, err := loss{&s.View, &s.report, s.accept, local, tip}.keep(ctx)
	if tip != local {
		changes = append(changes, shadow.RefChange{Ref: shadow.Checkpoints, Old: local, New: tip})
	}
	if err != nil || len(changes) == 0 {
		return err
	}
	err = s.View.w.Locked(ctx, func() error {
		err := shadow.Apply(ctx, s.View.w.DB, s.View.w.Store, changes, nil)
		if err == nil {
			s.settling()
		}
		return err
	})
	if err == nil {
		s.View.refs[shadow.Checkpoints], s.report.Took = tip, s.report.Took || tip != local
	}
	return err
}

// joined is a commit with the branch here and all that is known of the target; empty: there is
// neither.
func (s *Sharing) joined(ctx context.Context, tip gitexec.OID) (gitexec.OID, error) {
	branch, all, err := s.unknown(ctx, tip)
	if err == nil {
		err = s.trees(ctx, s.View.w.DB, all)
	}
	if err != nil {
		return "", err
	}
	j := &joiner{w: s.View.w, report: &s.report, said: map[string]bool{}}
	defer func() { s.apart, s.dirty = s.apart || j.apart, j.dirty }()
	for _, side := range all {
		if s.halfway() { // the next push goes on
			break
		}
		j.onBranch = slices.Contains(branch, side)
		bad, err := s.unsigned(ctx, tip, side)
		if err == nil && !bad {
			tip, err = j.join(ctx, tip, side)
		}
		if err != nil {
			return "", err
		}
	}
	return tip, nil
}

// unknown are the sides that a tip of the branch doesn't hold, and which of all are the target's
// branch.
func (s *Sharing) unknown(ctx context.Context, tip gitexec.OID) (branch, all []gitexec.OID, err error) {
	if !s.crowded {
		if s.crowded, err = s.others(ctx); err != nil {
			return nil, nil, err
		}
	}
	branch, inboxes := s.View.sides()
	all = slices.DeleteFunc(slices.Concat(branch, inboxes), func(id gitexec.OID) bool { return id == tip })
	if tip != "" && len(all) > 0 {
		all, err = s.View.outside(ctx, all, tip)
	}
	return branch, all, err
}

func (s *Sharing) settling() {
	if s.Settling != nil {
		s.Settling()
	}
}

// Fetch brings the target's branch and inboxes here. A partial clone gets metadata and lines;
// transcripts come when they are asked for.
func (s *Sharing) Fetch(ctx context.Context) error {
	filter := ""
	if s.View.Target.Partial {
		filter = smallBlobs
	}
	specs := []string{"+refs/heads/entire/checkpoints/*:" + s.View.below() + "heads/*", "+" + inbox + "*:" + s.View.inboxes() + "*"}
	specs = append(specs, checkpoints.FetchSpecs(s.wanted, s.View.below())...)
	from := s.remote(s.View.fetchedFrom())
	if s.View.apart() {
		filter = "" // it would make a remote of the address in git's configuration
	}
	for try := 1; ; try++ {
		s.report.Fetches++
		err := s.online.Fetch(ctx, from, filter, specs...)
		said := ""
		if fault, ok := errors.AsType[*gitexec.Error](err); ok {
			said = fault.Stderr
		}
		if strings.Contains(said, "fsck error") && s.View.byHand && !from.Unchecked { // of objects that somebody has put there
			s.report.Skipped = append(s.report.Skipped, "what git refuses: "+Reason(ctx, err))
			from.Unchecked = true // uniting leaves it out; else nobody's checkpoints would come or go
			continue
		}
		if try < mostTries && strings.Contains(said, "cannot lock ref") {
			continue // another fetch of this clone has moved the refs meanwhile
		}
		if err != nil {
			return ofTarget(err)
		}
		s.View.looked, s.View.ignored = true, nil
		if err = s.View.readRefs(ctx); err == nil && s.Fetched != nil {
			s.Fetched()
		}
		return err
	}
}

// smallBlobs is the filter for partial clones: metadata and lines are smaller, transcripts mostly
// larger, in chunks of 64 KiB. docs/sharing.md names the size.
const smallBlobs = "blob:limit=16k"

func (s *Sharing) remote(r gitexec.Remote) gitexec.Remote {
	r.Patience, r.Limit, r.Progress, r.Here, r.Asks = s.left(), s.Patience(), s.progress, s.View.Target.Here, s.asks
	return r
}

// left is how long one command may take: what is left of the time for all.
func (s *Sharing) left() time.Duration {
	return max(time.Millisecond, s.Patience()-time.Since(s.begun))
}

// Patience is how long all may take.
func (s *Sharing) Patience() time.Duration {
	return cmp.Or(s.patience, s.Background, s.View.w.Settings.StrategyOptions.Patience())
}

// halfway reports whether the rest of the time is needed for the push.
func (s *Sharing) halfway() bool { return s.left() < s.Patience()/2 }

// AtEach is sharing with the target at each of its addresses.
func (s *Sharing) AtEach() (all []*Sharing) {
	for _, t := range s.View.remotes.each(s.View.Target) {
		one := *s
		one.View.Target, one.report = t, Report{To: s.report.To, Elected: s.report.Elected}
		if t.Apart { // what is fetched says nothing of it
			one.View.trusts, one.View.looked, one.crowded, one.apart, one.dirty = false, false, false, false, false
		}
		all = append(all, &one)
	}
	return all
}

// atEach does something at each address, whatever becomes of the others.
func atEach(s *Sharing, do func(one *Sharing) (Report, error)) (Report, error) {
	var first error
	for i, one := range s.AtEach() {
		report, err := do(one)
		if i == 0 {
			s.report.Stays = report.Stays
		}
		s.report.add(report)
		if err != nil && first == nil {
			first, s.View.Target, s.View.trusts = err, one.View.Target, false // messages name it
		}
	}
	return s.report, first
}

// Preview says what Sync would do, as far as it is known here, with the commits of what goes and of
// what stays, and the prompts of so many of each; 0: of all. Fewer: it finds neither.
func (s *Sharing) Preview(ctx context.Context, prompts int) (Report, error) {
	if s.View.Target.Why != "" {
		return s.report, nil
	}
	if s.View.byHand {
		return atEach(s, func(one *Sharing) (Report, error) { return one.preview(ctx, prompts) })
	}
	return s.preview(ctx, prompts)
}

func (s *Sharing) preview(ctx context.Context, prompts int) (Report, error) {
	if err := s.View.readRefs(ctx); err != nil {
		return s.report, err
	}
	if err := (asker{s: s}).foresee(ctx); err != nil {
		return s.report, err
	}
	local := s.View.refs[shadow.Checkpoints]
	branch, inboxes := s.View.sides()
	if local != "" {
		others, err := s.View.w.Repo.NotInHistory(ctx, append(branch, inboxes...), local)
		if err != nil {
			return s.report, err
		}
		s.report.United = len(others)
	}
	err := s.choose(ctx, false)
	if err == nil && prompts >= 0 && len(s.report.Goes)+len(s.report.Stays) > 0 {
		err = (&describing{&s.View, &s.report, s.leaving.changes}).describe(ctx, prompts)
	}
	return s.report, err
}

// Sync fetches, unites and pushes.
func (s *Sharing) Sync(ctx context.Context) (Report, error) {
	if s.View.Target.Why != "" {
		return s.report, nil
	}
	if err := s.Fetch(ctx); err != nil {
		return s.report, err
	}
	// Before uniting, which reads metadata and lines.
	if err := s.fill(ctx); err != nil {
		return s.report, err
	}
	s.report.Took = s.report.Objects > 0
	if err := s.Unite(ctx); err != nil {
		return s.report, err
	}
	return atEach(s, func(one *Sharing) (Report, error) {
		report, err := one.Push(ctx)
		if err == nil && (report.Sent || report.Inbox) {
			MemoryOf(one).Succeed(s.View.w.Now())
		}
		return report, err
	})
}

// Take fetches, and unites where something is recorded here.
func (s *Sharing) Take(ctx context.Context, unite bool) (Report, error) {
	if s.View.Target.Remote == "" {
		return s.report, nil
	}
	s.report.Why = "" // nothing leaves
	if err := s.View.readRefs(ctx); err != nil {
		return s.report, err
	}
	if err := s.findWanted(ctx); err != nil {
		return s.report, err
	}
	// A fetch reads the refs into another map.
	before := s.View.refs
	err := s.Fetch(ctx)
	s.report.OwnRefs = s.arrived(before)
	more := false
	for ref := range s.View.refs {
		more = more || before[ref] == "" && !checkpoints.IsOwnRef(ref)
	}
	if err == nil {
		err = s.fill(ctx)
	}
	if err != nil || !unite {
		s.report.Took = more || s.report.Objects > 0
		return s.report, err
	}
	s.report.Took = s.report.Objects > 0
	err = s.Unite(ctx)
	return s.report, err
}
