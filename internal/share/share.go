package share

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/explain"
	"entire-plumb/internal/safefile"
	"entire-plumb/internal/workspace"
	"entire-plumb/shadow"
)

// Refs. Of each target, by its key: the branch as last seen there, what was last pushed to it, and
// the inboxes, which hold what could not be united on the branch at once, one for each clone.
const (
	known  = shadow.Private + "remotes/"
	inbox  = shadow.Private + "inbox/"
	Trails = shadow.Prefix + "trails/v1"
)

// Sharing is the checkpoints here and on the target, as far as it is known here.
type Sharing struct {
	w       *workspace.Workspace
	online  *gitexec.Repo
	Target  Target
	remotes Remotes
	refs    map[string]gitexec.OID
	report  Report
	begun   time.Time

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
	Skipped  []string `json:"skipped,omitempty"`  // what of others is damaged
	Rejoined bool     `json:"rejoined,omitempty"` // histories without a common commit were joined
}

// Open reads what is known. online is the workspace's repository where its commands may talk to
// remotes. Two processes.
func Open(ctx context.Context, w *workspace.Workspace, online *gitexec.Repo) (*Sharing, error) {
	s := &Sharing{w: w, online: online, begun: time.Now()}
	var err error
	if s.remotes, err = ReadRemotes(ctx, w.Repo); err != nil {
		return nil, err
	}
	s.Target = s.remotes.Target(w.Settings, strings.TrimPrefix(w.Repo.Branch, "refs/heads/"))
	s.report.To, s.report.Why = s.Shown(), s.Target.Why
	return s, s.readRefs(ctx)
}

func (s *Sharing) readRefs(ctx context.Context) error {
	refs, err := s.w.Repo.Refs(ctx, shadow.Checkpoints, Trails, known, s.tracking(shadow.Checkpoints), s.tracking(Trails))
	if err != nil {
		return err
	}
	s.refs = map[string]gitexec.OID{}
	for _, r := range refs {
		if r.Type == "commit" {
			s.refs[r.Name] = r.ID
		}
	}
	return nil
}

// tracking is the remote-tracking ref of a branch, by git's default.
func (s *Sharing) tracking(branch string) string {
	return "refs/remotes/" + s.Target.Elected + "/" + strings.TrimPrefix(branch, "refs/heads/")
}

func (s *Sharing) seenRef() string   { return known + s.Target.key() + "/v1" }
func (s *Sharing) pushedRef() string { return known + s.Target.key() + "/pushed" }
func (s *Sharing) inboxes() string   { return known + s.Target.key() + "/inbox/" }

// sides are the target's branch as it was seen here, and the inboxes, each commit once.
func (s *Sharing) sides() (branch, inboxes []gitexec.OID) {
	names := []string{s.seenRef()}
	if !s.Target.Own {
		names = append(names, s.tracking(shadow.Checkpoints))
	}
	for _, name := range names {
		if id := s.refs[name]; id != "" && !slices.Contains(branch, id) {
			branch = append(branch, id)
		}
	}
	var others []string
	for name := range s.refs {
		if strings.HasPrefix(name, s.inboxes()) {
			others = append(others, name)
		}
	}
	slices.Sort(others)
	for _, name := range others[:min(len(others), mostInboxes)] {
		if id := s.refs[name]; !slices.Contains(branch, id) && !slices.Contains(inboxes, id) {
			inboxes = append(inboxes, id)
		}
	}
	return branch, inboxes
}

// mostInboxes is how many inboxes are read. Each clone has one, and they are deleted once they are
// on the branch.
const mostInboxes = 1000

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
		local := s.refs[shadow.Checkpoints]
		branch, inboxes := s.sides()
		tip := local
		for _, side := range append(branch, inboxes...) {
			joined, err := s.join(ctx, tip, side)
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

// join is a commit that holds both what a tip of the branch and what another side holds: one of them
// where it holds all.
func (s *Sharing) join(ctx context.Context, tip, side gitexec.OID) (gitexec.OID, error) {
	if tip == side || side == "" {
		return tip, nil
	}
	db := s.w.DB
	if tip == "" {
		commits, err := db.Commits(side)
		if err != nil {
			return "", err
		}
		u, err := checkpoints.Unite(db, s.w.Repo.Format.EmptyTree(), commits[0].Tree, s.w.Repo.Format.EmptyTree())
		if err != nil {
			return "", err
		}
		return s.on(side, commits[0].Tree, u)
	}
	base, err := s.w.Repo.MergeBase(ctx, tip, side)
	if err != nil || base == side {
		return tip, err
	}
	ids := []gitexec.OID{tip, side}
	if base != "" {
		ids = append(ids, base)
	}
	commits, err := db.Commits(ids...)
	if err != nil {
		return "", err
	}
	lacking, extra, err := checkpoints.PurgedApart(db, commits[0].Tree, commits[1].Tree)
	if err != nil {
		return "", err
	}
	baseTree := gitexec.OID("")
	if base != "" {
		baseTree = commits[2].Tree
	}
	switch {
	case base == "" || lacking:
		// The side's history goes on, since ours holds what was purged there, or began by itself.
		s.report.Rejoined = s.report.Rejoined || base == ""
		return s.replay(ctx, tip, side, base)
	case extra:
		// The other way round: the side's history holds what was purged here.
		u, err := checkpoints.Unite(db, commits[0].Tree, commits[1].Tree, baseTree)
		if err != nil {
			return "", err
		}
		return s.on(tip, commits[0].Tree, u)
	}
	u, err := checkpoints.Unite(db, commits[0].Tree, commits[1].Tree, baseTree)
	if err != nil {
		return "", err
	}
	s.skipped(u)
	switch {
	case base == tip && u.Tree == commits[1].Tree:
		return side, nil
	case base == tip: // what is damaged there is removed
		return s.commit(u.Tree, "Remove what is no checkpoint", side)
	}
	s.report.United++
	return s.commit(u.Tree, "Unite checkpoints", tip, side)
}

func (s *Sharing) skipped(u checkpoints.Union) {
	for _, one := range u.Skipped {
		if !slices.Contains(s.report.Skipped, one) {
			s.report.Skipped = append(s.report.Skipped, one)
		}
	}
}

// on is a commit with the union's tree on another one, or that one if it has it.
func (s *Sharing) on(parent, tree gitexec.OID, u checkpoints.Union) (gitexec.OID, error) {
	if s.skipped(u); u.Tree == tree {
		return parent, nil
	}
	s.report.United++
	return s.commit(u.Tree, "Unite checkpoints", parent)
}

func (s *Sharing) commit(tree gitexec.OID, subject string, parents ...gitexec.OID) (gitexec.OID, error) {
	who := s.w.Author(nil)
	ids, err := s.w.DB.CommitTree(gitexec.NewCommit{Tree: tree, Parents: parents, Author: who, Committer: who, Message: subject + "\n"})
	if err != nil {
		return "", err
	}
	return ids[0], nil
}

// mostReplayed is how many commits are replayed one by one. More become one commit.
const mostReplayed = 1000

// replay puts the commits of ours that another side lacks onto its tip (seed 004,
// ReconcileDisconnectedMetadataBranch). Checkpoints have directories of their own, so that each
// applies.
func (s *Sharing) replay(ctx context.Context, tip, side, base gitexec.OID) (gitexec.OID, error) {
	db := s.w.DB
	graph, err := gitexec.Outgoing{Tips: []gitexec.OID{tip}, Has: []gitexec.OID{side}}.Parents(ctx, s.w.Repo)
	if err != nil {
		return "", err
	}
	if len(graph) > mostReplayed {
		graph = [][]gitexec.OID{{tip}}
		if base != "" {
			graph[0] = append(graph[0], base)
		}
	}
	onto := side
	for _, line := range graph {
		ids := append([]gitexec.OID{onto}, line[:min(2, len(line))]...)
		commits, err := db.Commits(ids...)
		if err != nil {
			return "", err
		}
		before := gitexec.OID("")
		if len(commits) > 2 {
			before = commits[2].Tree
		}
		u, err := checkpoints.Unite(db, commits[0].Tree, commits[1].Tree, before)
		if err != nil {
			return "", err
		}
		if s.skipped(u); u.Tree == commits[0].Tree {
			continue
		}
		who := s.w.Author(nil)
		if name, mail, ok := strings.Cut(strings.TrimSuffix(commits[1].Author, ">"), " <"); ok {
			who.Name, who.Email = name, mail
		}
		who.When = commits[1].When
		written, err := db.CommitTree(gitexec.NewCommit{Tree: u.Tree, Parents: []gitexec.OID{onto}, Author: who, Committer: who,
			Message: string(commits[1].Message)})
		if err != nil {
			return "", err
		}
		onto = written[0]
	}
	if onto != side {
		s.report.United++
	}
	return onto, nil
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
	return s.Push(ctx)
}

// Take fetches, and unites where something is recorded here.
func (s *Sharing) Take(ctx context.Context, unite bool) (Report, error) {
	if s.Target.Remote == "" {
		return s.report, nil
	}
	s.report.Why = "" // nothing leaves
	before := len(s.refs)
	if err := s.Fetch(ctx); err != nil || !unite {
		s.report.Took = len(s.refs) > before
		return s.report, err
	}
	local := s.refs[shadow.Checkpoints]
	err := s.Unite(ctx)
	s.report.Took = s.refs[shadow.Checkpoints] != local
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
	if s.Target.Why != "" {
		return s.report, nil
	}
	alone, err := s.alone(ctx)
	if err != nil {
		return s.report, err
	}
	if err := s.Unite(ctx); err != nil {
		return s.report, err
	}
	if s.report.New, err = s.New(ctx); err != nil || s.report.New == 0 && !s.trailsNew() {
		return s.report, err
	}
	for s.report.Tries < mostTries {
		id, err := s.cloneID()
		if err != nil {
			return s.report, err
		}
		specs, err := s.specs(ctx, id, alone)
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
		alone = false
		if err := s.Fetch(ctx); err != nil {
			return s.report, err
		}
		if err := s.Unite(ctx); err != nil {
			return s.report, err
		}
	}
	return s.report, ErrBusy
}

// alone reports whether nobody but this clone has pushed to the target's branch.
func (s *Sharing) alone(ctx context.Context) (bool, error) {
	branch, inboxes := s.sides()
	mine := s.refs[s.pushedRef()]
	inboxes = slices.DeleteFunc(inboxes, func(id gitexec.OID) bool { return id == mine })
	if len(branch)+len(inboxes) == 0 {
		return true, nil
	}
	if mine == "" || len(inboxes) > 0 {
		return false, nil
	}
	others, err := s.w.Repo.NotInHistory(ctx, branch, mine)
	return len(others) == 0, err
}

// specs are what to push: the branch, beside others the own inbox, trails, and the deletion of
// inboxes that the branch there is known to hold.
func (s *Sharing) specs(ctx context.Context, id string, alone bool) ([]gitexec.RefSpec, error) {
	specs, err := s.emptied(ctx, id, alone)
	if err != nil {
		return nil, err
	}
	local := s.refs[shadow.Checkpoints]
	if local != "" && s.report.New > 0 {
		specs = append(specs, gitexec.RefSpec{From: local, To: shadow.Checkpoints})
		if !alone {
			specs = append(specs, gitexec.RefSpec{From: local, To: inbox + id})
		}
	}
	if s.trailsNew() {
		specs = append(specs, gitexec.RefSpec{From: s.refs[Trails], To: Trails})
	}
	return specs, nil
}

// emptied are the deletions of the inboxes whose commits the branch there holds, as far as it is
// known here; of this clone's own where nobody else pushes.
func (s *Sharing) emptied(ctx context.Context, id string, alone bool) (specs []gitexec.RefSpec, err error) {
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
		if ok && !slices.Contains(outside, tip) && (of != id || alone) && len(specs) < mostEmptied {
			specs = append(specs, gitexec.RefSpec{To: inbox + of, Force: true, Had: tip})
		}
	}
	return specs, nil
}

// mostEmptied is how many inboxes one push deletes.
const mostEmptied = 20

// trailsNew reports whether the branch of trails has changed. They go to the user's remote alone.
func (s *Sharing) trailsNew() bool {
	id := s.refs[Trails]
	return id != "" && !s.Target.Own && id != s.refs[s.tracking(Trails)] && id != s.refs[known+s.Target.key()+"/trails"]
}

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
			news[known+s.Target.key()+"/trails"] = s.refs[Trails]
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

// note updates refs that say what is known of the target.
func (s *Sharing) note(ctx context.Context, news map[string]gitexec.OID) error {
	if len(news) == 0 {
		return nil
	}
	u, err := s.w.Repo.StartRefUpdate(ctx, shadow.Reason)
	if err != nil {
		return err
	}
	defer u.Abort()
	for name, id := range news {
		if id == "" {
			err = u.Delete(name, s.refs[name])
			delete(s.refs, name)
		} else {
			err = u.Update(name, id, "")
			s.refs[name] = id
		}
		if err != nil {
			return err
		}
	}
	return u.Commit()
}

// cloneFile holds the ID of this clone, for the name of its inbox.
func (s *Sharing) cloneFile() string { return filepath.Join(s.w.Repo.SharedDir(), "clone") }

func (s *Sharing) cloneID() (string, error) {
	if data, err := safefile.ReadOwn(s.cloneFile(), 64); err == nil && checkpoints.ValidID(strings.TrimSpace(string(data))) {
		return strings.TrimSpace(string(data)), nil
	}
	id := workspace.RandomID()
	return id, safefile.Write(s.cloneFile(), []byte(id+"\n"), 0o600)
}

func (s *Sharing) forgetID() error {
	return safefile.Write(s.cloneFile(), []byte(workspace.RandomID()+"\n"), 0o600)
}

// Reason says in one line why sharing failed.
func Reason(ctx context.Context, err error) string {
	var fault *gitexec.Error
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

// Elected reports whether a push goes to the elected remote.
func (s *Sharing) Elected(remote string) bool {
	return s.Target.Elected != "" && s.remotes.Is(s.Target.Elected, remote)
}

// Takes reports whether a remote is where the checkpoints go.
func (s *Sharing) Takes(remote string) bool { return !s.Target.Own && s.Elected(remote) }

// Allows reports whether the user lets them go to another remote, too.
func (s *Sharing) Allows(remote string) bool { return s.remotes.Allows(remote) }

// Shown is the target as messages name it: without a password.
func (s *Sharing) Shown() string { return shown(s.Target.Remote) }

func shown(remote string) string {
	scheme, rest, ok := strings.Cut(remote, "://")
	if !ok {
		return remote
	}
	host, path, _ := strings.Cut(rest, "/")
	if at := strings.LastIndexByte(host, '@'); at >= 0 {
		host = host[at+1:]
	}
	return scheme + "://" + host + "/" + path
}

// Things counts what is damaged.
func Things(n int) string {
	if n == 1 {
		return "1 thing"
	}
	return fmt.Sprintf("%d things", n)
}
