package share

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/explain"
	"entire-plumb/internal/workspace"
	"entire-plumb/shadow"
)

// Sharing is the checkpoints here and on the target, as far as it is known here.
type Sharing struct {
	view
	online *gitexec.Repo
	report Report
	begun  time.Time

	// Settling is called when it is known what the branch here holds, before it is pushed, under the lock;
	// nil: nothing is.
	Settling func()

	crowded  bool          // others push to the target's branch, too
	patience time.Duration // 0: the setting's
	progress io.Writer     // nil: none
}

// ByHand gives sharing more time than beside a push, and shows git's progress on a terminal.
func (s *Sharing) ByHand(patience time.Duration, progress io.Writer) {
	s.patience, s.progress = patience, progress
}

// Report is what sharing did.
type Report struct {
	To       string   `json:"remote"`             // the remote or the address
	Why      string   `json:"why,omitempty"`      // nothing is shared: why
	New      int      `json:"commits"`            // of the branch, that the target lacks, or lacked
	Sent     bool     `json:"sent"`               // they are there now
	Inbox    bool     `json:"inbox"`              // they are in this clone's own ref, not on the branch yet
	United   int      `json:"united"`             // sides that were united with the branch here
	Took     bool     `json:"took"`               // the branch here has more now
	Tries    int      `json:"tries"`              // pushes
	Fetches  int      `json:"fetches"`            // fetches
	Objects  int      `json:"objects,omitempty"`  // that were brought to a partial clone
	Skipped  []string `json:"skipped,omitempty"`  // what of others is damaged
	Rejoined bool     `json:"rejoined,omitempty"` // histories without a common commit were joined
}

// Open reads what is known. online is the workspace's repository where its commands may talk to
// remotes. One process.
func Open(ctx context.Context, w *workspace.Workspace, online *gitexec.Repo) (*Sharing, error) {
	s := &Sharing{view: view{w: w}, online: online, begun: time.Now()}
	var err error
	if s.remotes, err = ReadRemotes(ctx, w.Repo); err != nil {
		return nil, err
	}
	s.Target = s.remotes.Target(w.Settings, strings.TrimPrefix(w.Repo.Branch, "refs/heads/"))
	s.report.To, s.report.Why = s.Shown(), s.Target.Why
	return s, nil
}

// Unite unites the branch here with all that is known of the target. It changes the branch here
// alone.
func (s *Sharing) Unite(ctx context.Context) error {
	if s.Target.Remote == "" {
		return nil
	}
	return s.w.Locked(ctx, func() error {
		if err := s.readRefs(ctx); err != nil {
			return err
		}
		if s.Settling != nil {
			defer s.Settling()
		}
		if !s.crowded {
			var err error
			if s.crowded, err = s.others(ctx); err != nil {
				return err
			}
		}
		local := s.refs[shadow.Checkpoints]
		branch, inboxes := s.sides()
		tip := local
		all := append(branch, inboxes...)
		if tip != "" && len(all) > 0 {
			var err error
			if all, err = s.w.Repo.NotInHistory(ctx, all, tip); err != nil {
				return err
			}
		}
		for _, side := range all {
			joined, err := (&joiner{s.w, &s.report}).join(ctx, tip, side)
			if err != nil {
				return err
			}
			tip = joined
		}
		if tip == local || tip == "" {
			return nil
		}
		if err := shadow.Apply(ctx, s.w.Repo, s.w.Store, []shadow.RefChange{{Ref: shadow.Checkpoints, Old: local, New: tip}}, nil); err != nil {
			return err
		}
		s.refs[shadow.Checkpoints] = tip
		return nil
	})
}

// New counts the commits of the branch that the target lacks, as far as it is known here. One
// process, none where there is nothing new.
func (s *Sharing) New(ctx context.Context) (int, error) {
	local := s.refs[shadow.Checkpoints]
	branch, inboxes := s.sides()
	if local == "" || slices.Contains(branch, local) {
		return 0, nil
	}
	lacks, err := gitexec.Outgoing{Tips: []gitexec.OID{local}, Has: append(branch, inboxes...)}.Commits(ctx, s.w.Repo)
	return len(lacks), err
}

// Fetch brings the target's branch and inboxes here. A partial clone gets metadata and lines;
// transcripts come when they are asked for.
func (s *Sharing) Fetch(ctx context.Context) error {
	filter := ""
	if s.Target.Partial {
		filter = smallBlobs
	}
	s.report.Fetches++
	err := s.online.Fetch(ctx, s.remote(), filter, "+refs/heads/entire/checkpoints/*:"+known+s.Target.key()+"/*", "+"+inbox+"*:"+s.inboxes()+"*")
	if err != nil {
		return err
	}
	return s.readRefs(ctx)
}

// smallBlobs is the filter for partial clones: metadata and lines are smaller, transcripts mostly larger.
const smallBlobs = "blob:limit=16k"

func (s *Sharing) remote() gitexec.Remote {
	return gitexec.Remote{Name: s.Target.Remote, Patience: s.left(), Progress: s.progress}
}

// left is how long one command may take: what is left of the time for all.
func (s *Sharing) left() time.Duration {
	return max(time.Millisecond, cmp.Or(s.patience, s.w.Settings.StrategyOptions.Patience())-time.Since(s.begun))
}

// Preview says what Sync would do, as far as it is known here.
func (s *Sharing) Preview(ctx context.Context) (Report, error) {
	if s.Target.Why != "" {
		return s.report, nil
	}
	if err := s.readRefs(ctx); err != nil {
		return s.report, err
	}
	local := s.refs[shadow.Checkpoints]
	branch, inboxes := s.sides()
	if local != "" {
		others, err := s.w.Repo.NotInHistory(ctx, append(branch, inboxes...), local)
		if err != nil {
			return s.report, err
		}
		s.report.United = len(others)
	}
	var err error
	s.report.New, err = s.New(ctx)
	return s.report, err
}

// Sync fetches, unites and pushes.
func (s *Sharing) Sync(ctx context.Context) (Report, error) {
	if s.Target.Why != "" {
		return s.report, nil
	}
	if err := s.Fetch(ctx); err != nil {
		return s.report, err
	}
	if err := s.fill(ctx); err != nil {
		return s.report, err
	}
	return s.Push(ctx)
}

// Take fetches, and unites where something is recorded here.
func (s *Sharing) Take(ctx context.Context, unite bool) (Report, error) {
	if s.Target.Remote == "" {
		return s.report, nil
	}
	s.report.Why = "" // nothing leaves
	if err := s.readRefs(ctx); err != nil {
		return s.report, err
	}
	before := len(s.refs)
	err := s.Fetch(ctx)
	if err == nil {
		err = s.fill(ctx)
	}
	if err != nil || !unite {
		s.report.Took = len(s.refs) > before || s.report.Objects > 0
		return s.report, err
	}
	local := s.refs[shadow.Checkpoints]
	err = s.Unite(ctx)
	s.report.Took = s.refs[shadow.Checkpoints] != local || s.report.Objects > 0
	return s.report, err
}

// mostTries is how many pushes are tried. The second one and the third follow a fetch.
const mostTries = 3

// ErrBusy says that others were faster each time.
var ErrBusy = errors.New("the branch moves faster there")

// Push unites, and brings the branch to the target: to its branch there, or, where somebody else was
// faster, to this clone's inbox, which any reader unites. Where others push there, too, one push
// asks for both, so that one is enough. Without anything new it pushes nothing.
func (s *Sharing) Push(ctx context.Context) (Report, error) {
	if s.Target.Why != "" || s.Target.Own {
		if err := s.pushTrails(ctx); err != nil {
			return s.report, err
		}
	}
	if s.Target.Why != "" {
		return s.report, nil
	}
	if err := s.firstLook(ctx); err != nil {
		return s.report, err
	}
	if err := s.Unite(ctx); err != nil {
		return s.report, err
	}
	var err error
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
	if local != "" && s.report.New > 0 {
		specs = append(specs, gitexec.RefSpec{From: local, To: shadow.Checkpoints})
		if s.crowded {
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
	if err := s.readRefs(ctx); err != nil {
		return err
	}
	branch, inboxes := s.sides()
	if len(branch)+len(inboxes) > 0 || s.refs[s.pushedRef()] != "" || s.refs[shadow.Checkpoints] == "" {
		return nil
	}
	return s.Fetch(ctx)
}

// pushTrails pushes the branch of trails alone, to the user's remote (seed 004, PushTrailsBranch): they
// go there whatever becomes of the checkpoints.
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
	for name, tip := range s.refs {
		of, ok := strings.CutPrefix(name, s.inboxes())
		if ok && !slices.Contains(outside, tip) && (of != id || !s.crowded) && len(specs) < mostEmptied {
			specs = append(specs, gitexec.RefSpec{To: inbox + of, Force: true, Had: tip})
		}
	}
	return specs, nil
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
	case err != nil || s.report.New == 0 || s.report.Sent:
		return false, err
	case s.report.Inbox:
		if refused.Behind && s.Fetch(ctx) == nil { // so that the next push unites
			return false, s.Unite(ctx)
		}
		return false, nil
	case refused.Why != "" && !refused.Behind:
		return false, errors.New(refused.Why)
	}
	return true, nil
}

// Reason says in one line why sharing failed.
func Reason(ctx context.Context, err error) string {
	var fault *gitexec.Error
	var silent *gitexec.NoAnswerError
	if errors.As(err, &silent) {
		return silent.Error()
	}
	if errors.As(err, &fault) {
		for line := range strings.Lines(fault.Stderr) {
			for _, sign := range []string{"fatal: ", "error: ", "ERROR: ", "remote: error: "} {
				if rest, ok := strings.CutPrefix(line, sign); ok && !strings.Contains(rest, "failed to push some refs") {
					return strings.TrimSpace(rest)
				}
			}
		}
	}
	return explain.OneLine(explain.Error(ctx, err))
}

// Text says what was done, in a few words for the journal.
func (r Report) Text() string {
	switch {
	case r.Why != "":
		return "checkpoints are not shared: " + r.Why
	case r.New == 0:
		return "no new checkpoints to share"
	case r.Inbox:
		return fmt.Sprintf("shared %s with %s, in this clone's inbox; tries: %d", commits(r.New), r.To, r.Tries)
	case r.Sent:
		return fmt.Sprintf("shared %s with %s; tries: %d", commits(r.New), r.To, r.Tries)
	}
	return fmt.Sprintf("%s not shared with %s", commits(r.New), r.To)
}

// Said says it in a sentence for the user. preview: nothing was done.
func (r Report) Said(preview bool) string {
	switch {
	case r.Why != "":
		return "nothing is shared: " + r.Why
	case preview && r.New == 0 && r.United == 0:
		return "nothing is new here for " + r.To
	case preview && r.United > 0:
		return fmt.Sprintf("would unite %s here with what was fetched from %s, and push it", commits(r.New), r.To)
	case preview:
		return fmt.Sprintf("would push %s to %s", commits(r.New), r.To)
	case r.Sent:
		return fmt.Sprintf("pushed %s to %s", commits(r.New), r.To)
	case r.Inbox:
		return fmt.Sprintf("pushed %s to this clone's inbox on %s: others were faster on the branch, and the next push or sync unites it", commits(r.New), r.To)
	case r.Took:
		return "the branch here has what is new on " + r.To
	}
	return "nothing is new here, nor on " + r.To
}

func commits(n int) string {
	if n == 1 {
		return "1 commit of checkpoints"
	}
	return fmt.Sprintf("%d commits of checkpoints", n)
}

// Things counts what is damaged.
func Things(n int) string {
	if n == 1 {
		return "1 thing"
	}
	return fmt.Sprintf("%d things", n)
}
