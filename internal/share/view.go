package share

import (
	"cmp"
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/safefile"
	"entire-plumb/internal/workspace"
	"entire-plumb/shadow"
)

// View is the refs of the checkpoints here, and of the target as far as it is known here.
type View struct {
	Target  Target
	w       *workspace.Workspace
	remotes Remotes
	refs    map[string]gitexec.OID
	byHand  bool          // the user waits for it
	trusts  bool          // what is fetched says what the target has, wherever pushes go
	looked  bool          // what was fetched into our own refs is as it is at the target
	unsure  bool          // it did not say which branches it has
	says    []gitexec.OID // what it said it has
	doubted []gitexec.OID // remote-tracking branches that it said it has not got

	ignored map[string]gitexec.OID // what was seen of it, and may be of another repository
}

// Refs. Of each target, by its key: what was fetched of its branches and of the inboxes, which hold
// what could not be united on the branch at once, one for each clone; and what was last pushed. Git
// prunes the former, so that the latter are not beside them.
const (
	known  = shadow.Private + "remotes/"
	inbox  = shadow.Private + "inbox/"
	Trails = shadow.Prefix + "trails/v1"
)

// OfCheckpoints reports whether a ref is the branch of the checkpoints, or what was fetched of one.
func OfCheckpoints(ref string) bool {
	branch, _ := shadow.Tracked(ref)
	return cmp.Or(branch, ref) == shadow.Checkpoints || strings.HasPrefix(ref, known) || strings.HasPrefix(ref, inbox)
}

// InOwnRepository reports whether a ref says what was seen of the branch in a repository of the
// checkpoints' own.
func InOwnRepository(ref string) bool {
	of, ok := strings.CutPrefix(ref, known+ownKey)
	return ok && strings.HasSuffix(of, "/heads/v1")
}

func (s *View) readRefs(ctx context.Context) error {
	refs, err := s.w.Repo.Refs(ctx, shadow.Checkpoints, Trails, checkpoints.KeptRef, known, s.tracking(shadow.Checkpoints), s.tracking(Trails))
	if err != nil {
		return err
	}
	// Another map: who holds the one before can compare.
	s.refs = map[string]gitexec.OID{}
	doubted := slices.Concat(s.doubted, s.readHeld().Lacks)
	for _, r := range refs {
		// Git's own ref may be of the repository that the remote was.
		if r.Name == s.tracking(shadow.Checkpoints) && slices.Contains(doubted, r.ID) {
			continue
		}
		// A ref that others have put on a tag or a blob is no branch.
		if r.Type == "commit" && s.ignored[r.Name] != r.ID {
			s.refs[r.Name] = r.ID
		}
	}
	return nil
}

// tracking is the remote-tracking ref of a branch, by git's default.
func (s *View) tracking(branch string) string {
	return "refs/remotes/" + s.Target.Elected + "/" + strings.TrimPrefix(branch, "refs/heads/")
}

// FetchedRef is where fetches of this program put a remote's branch of the checkpoints.
func FetchedRef(remote string) string { return known + key(remote) + "/heads/v1" }

func (s *View) seenRef() string   { return s.below() + "heads/v1" }
func (s *View) pushedRef() string { return s.below() + "pushed" }
func (s *View) inboxes() string   { return s.below() + "inbox/" }

// apart reports whether nothing that is fetched, and no remote-tracking branch, says what is where
// the target is pushed to.
func (s *View) apart() bool { return s.Target.Apart && !s.trusts }

// fetchedFrom is what git fetch is called with.
func (s *View) fetchedFrom() gitexec.Remote {
	if s.apart() {
		return gitexec.Remote{Name: s.Target.At, Exact: true}
	}
	return gitexec.Remote{Name: s.Target.Remote}
}

// PushesTo says to which remote, and to which address of it, git pushes, in its own words. Without
// an address it is known where the remote is one.
func (s *View) PushesTo(remote, address string) {
	if address == "" && remote != s.Target.Remote {
		address = s.remotes.replaced(remote, true)
	}
	if address != "" && s.Target.Remote != "" && !s.Target.Own {
		s.Target = s.remotes.at(s.Target, address)
	}
}

// below begins the refs of what is known of the target: of an address apart, those of a push.
func (s *View) below() string {
	if s.apart() {
		return known + s.Target.key() + "%" + hashed(s.Target.At) + "/"
	}
	return known + s.Target.key() + "/"
}

// sides are the target's branch as it was seen here, and the inboxes, each commit once.
func (s *View) sides() (branch, inboxes []gitexec.OID) {
	names := []string{s.seenRef()}
	if !s.Target.Own && !s.looked && !s.apart() { // git's own ref may be older: it stays when the branch is deleted there
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
	// Of too many the same ones each time, so that these are united and deleted.
	slices.Sort(others)
	for _, name := range others[:min(len(others), mostInboxes)] {
		if id := s.refs[name]; !slices.Contains(branch, id) && !slices.Contains(inboxes, id) {
			inboxes = append(inboxes, id)
		}
	}
	return branch, inboxes
}

// ignoreSeen forgets what was seen of the target, which may be another repository now, until it is
// fetched. The refs stay.
func (s *View) ignoreSeen() {
	s.looked, s.ignored = true, map[string]gitexec.OID{}
	for name, id := range s.refs {
		if strings.HasPrefix(name, s.below()) {
			s.ignored[name] = id
		}
	}
	maps.DeleteFunc(s.refs, func(name string, _ gitexec.OID) bool { return s.ignored[name] != "" })
}

// mostInboxes is how many inboxes are read. Each clone has one, and they are deleted once they are
// on the branch. A thousand clones at once would have to be slower than others; anybody can push
// more.
const mostInboxes = 1000

// trailsNew reports whether the branch of trails has changed. They go to the user's remote alone.
func (s *View) trailsNew() bool {
	id := s.refs[Trails]
	return id != "" && (id != s.refs[s.tracking(Trails)] || s.apart()) && id != s.refs[s.trailsRef()]
}

// trailsRef is what was last pushed of the trails.
func (s *View) trailsRef() string {
	if s.Target.Own {
		return known + key(s.Target.Elected) + "/trails"
	}
	return s.below() + "trails"
}

// note updates refs that say what is known of the target. goesOn: more is decided by them. Git push
// has changed those that git fetch would, and others may have since: then, and where one is deleted
// as it is, they are read again.
func (s *View) note(ctx context.Context, news map[string]gitexec.OID, goesOn bool) error {
	if len(news) == 0 {
		return nil
	}
	if goesOn || slices.Contains(slices.Collect(maps.Values(news)), "") {
		if err := s.readRefs(ctx); err != nil {
			return err
		}
	}
	u, err := s.w.Repo.StartRefUpdate(ctx, shadow.Reason)
	if err != nil {
		return err
	}
	defer u.Abort()
	for name, id := range news {
		// Git push has moved the remote-tracking ref already, or nothing has changed.
		if s.refs[name] == id {
			continue
		}
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
func (s *View) cloneFile() string { return filepath.Join(s.w.Repo.SharedDir(), "clone") }

func (s *View) cloneID() (string, error) {
	if data, err := safefile.ReadOwn(s.cloneFile(), 64); err == nil && checkpoints.ValidID(strings.TrimSpace(string(data))) {
		return strings.TrimSpace(string(data)), nil
	}
	id := workspace.RandomID()
	return id, safefile.Write(s.cloneFile(), []byte(id+"\n"), 0o600)
}

func (s *View) forgetID() error {
	return safefile.Write(s.cloneFile(), []byte(workspace.RandomID()+"\n"), 0o600)
}

// Elected reports whether a push goes to the elected remote.
func (s *View) Elected(remote string) bool {
	return s.Target.Elected != "" && s.remotes.Is(s.Target.Elected, remote)
}

// Named reports whether a push names a remote that could be elected.
func (s *View) Named(remote string) bool { return s.remotes.usable(remote) }

// PushTo is a remote as a command names it that pushes to it.
type PushTo struct {
	Name   string
	Mirror bool
}

// PushTo is a remote of the configuration, or an address.
func (r Remotes) PushTo(remote string) PushTo { return PushTo{remote, r.Mirrors[remote]} }

// PushTo is a remote of the configuration, or an address.
func (s *View) PushTo(remote string) PushTo { return s.remotes.PushTo(remote) }

// Takes reports whether a remote is where the checkpoints go.
func (s *View) Takes(remote string) bool { return !s.Target.Own && s.Elected(remote) }

// Allows reports whether the user lets them go to another remote, too.
func (s *View) Allows(remote string) bool { return s.remotes.Allows(remote) }

// Shown is the target as messages name it: of several addresses the one of a push, without a
// password.
func (s *View) Shown() string {
	if !s.Target.Alone && s.Target.At != "" && !s.trusts {
		return withoutPasswords(s.Target.At)
	}
	return s.Target.Shown()
}

// Shown is the target as messages name it: without a password.
func (t Target) Shown() string { return withoutPasswords(t.Remote) }

// near is how many of the last commits of a branch are read before git is asked for all: another
// clone mostly was one or two checkpoints faster. It saves a process.
const near = 4

// outside are those of some commits that are not in the history of a tip. No process where all are
// among its last ones, as after a push of this clone.
func (s *View) outside(ctx context.Context, commits []gitexec.OID, tip gitexec.OID) ([]gitexec.OID, error) {
	commits = slices.DeleteFunc(slices.Clone(commits), func(id gitexec.OID) bool { return id == tip })
	if len(commits) == 0 {
		return nil, nil
	}
	last, _ := s.w.DB.Ancestors(tip, near) // of what is missing git is asked
	for _, c := range last {
		commits = slices.DeleteFunc(commits, func(id gitexec.OID) bool { return id == c.ID })
	}
	if len(commits) == 0 {
		return nil, nil
	}
	return s.w.Repo.NotInHistory(ctx, commits, tip)
}
