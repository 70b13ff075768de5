package shadow

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/ancestry"
	"entire-plumb/internal/idle"
	"entire-plumb/internal/lock"
	"entire-plumb/internal/safefile"
	"entire-plumb/internal/session"
)

// RefChange is one ref's part of a transaction: the full name of the ref, from Old, empty if it
// must not exist, to New, empty if it is deleted.
type RefChange struct {
	Ref string      `json:"ref"`
	Old gitexec.OID `json:"old,omitempty"`
	New gitexec.OID `json:"new,omitempty"`
}

// intent is written before a ref transaction, so that the next process can finish or discard what a
// killed one began, and knows its locks.
type intent struct {
	Refs    []RefChange      `json:"refs"`
	Blocked []RefChange      `json:"blocked,omitempty"` // refs that stay blocked: see Blocked
	States  []*session.State `json:"states"`
}

// Lock takes the lock under which refs and session states are read and written. There is one for
// the whole repository: update-ref with old values as conditions was seen to lose acknowledged
// updates beside git pack-refs. What its holder does may give a session work: the repository is
// idle no more.
func Lock(ctx context.Context, repo *gitexec.Repo) (unlock func(), err error) {
	if unlock, err = lock.Take(ctx, filepath.Join(repo.SharedDir(), "lock")); err != nil {
		return nil, err
	}
	if err = idle.End(repo.SharedDir()); err != nil {
		unlock()
		return nil, err
	}
	return unlock, nil
}

// Apply moves refs in one transaction and saves the states that go with it: both, even if this
// process is killed in between, since the next Recover finishes it. The caller holds the lock. A
// gitexec.RefMovedError says that another process moved one of the refs, and that nothing was
// changed.
func Apply(ctx context.Context, db *gitexec.ODB, store session.Store, refs []RefChange, states []*session.State) error {
	return ApplyCommit(ctx, db, store, Reason, refs, states, nil)
}

// ApplyCommit is Apply for a commit on the user's branch, with its own reason for reflogs. The
// user's index is written when the refs are locked, just before they move: a process that is killed
// in between has only staged something.
func ApplyCommit(
	ctx context.Context, db *gitexec.ODB, store session.Store,
	reason string, refs []RefChange, states []*session.State, index *IndexChange,
) error {
	repo := db.Repo()
	if repo.Aside() {
		return applyAside(db, store, refs, states)
	}
	// Refs that an earlier transaction could not move, since a lock held them up, are tried again
	// with this one.
	waiting := Blocked(repo)
	// No ref moves: the states alone are saved, each file by itself, and no intent is needed.
	if len(refs)+len(waiting) == 0 {
		if err := db.Settle(); err != nil {
			return err
		}
		return saveStates(repo, store, states)
	}
	in, err := moveRefs(ctx, db, reason, refs, waiting, states, index)
	if err != nil {
		lost, pruned := new(gitexec.RefMovedError), new(gitexec.PrunedError)
		if errors.As(err, &lost) || errors.As(err, &pruned) || errors.Is(err, errAbandoned) {
			os.Remove(intentFile(repo)) // after other errors a part may be done, which Recover finds out
			if len(waiting) > 0 && lost.Cause != nil {
				err = errors.Join(err, reconcile(ctx, db))
			}
		}
		return err
	}
	// The refs have moved: objects that a gc deleted meanwhile are stored again before it is said
	// to be done.
	return errors.Join(db.Settle(), in.finish(repo, store), noteDeleted(repo, refs))
}

// lockTries is how often git waits for a lock before it counts as left behind: by
// core.filesRefLockTimeout, 100 ms each by default. Another program holds one for some
// milliseconds.
const lockTries = 3

// moveRefs moves the refs that can be moved, and returns what to record for the others.
func moveRefs(
	ctx context.Context, db *gitexec.ODB,
	reason string, refs, waiting []RefChange, states []*session.State, index *IndexChange,
) (intent, error) {
	repo := db.Repo()
	held := map[string]bool{} // lock files that were not released
	for try := 1; ; try++ {
		now := time.Now()
		t, err := planTransaction(refs, waiting, func(c RefChange) bool {
			return heldLock(repo, c, now) != "" || held[refLock(repo, c)] || c.New == "" && held[packedLock(repo)]
		})
		if err != nil {
			return intent{}, err
		}
		in := intent{Refs: t.changes, Blocked: t.blocked, States: states}
		// All that is to move is blocked: nothing is asked of git, and what waits is recorded by
		// finish.
		if len(t.changes) == 0 {
			return in, nil
		}
		// Objects before the intent, the intent before the refs: whatever is there after a kill,
		// what it names is there.
		if err := errors.Join(db.Flush(), in.save(repo)); err != nil {
			return in, err
		}
		err = transact(ctx, db, reason, t.changes, index)
		var moved *gitexec.RefMovedError
		// Done, another failure, or a lock that was given up already.
		if !errors.As(err, &moved) || moved.Lock == "" || held[moved.Lock] {
			return in, err
		}
		// A lock that is still there counts as held from now on: the plan is made again, and leaves
		// its ref as blocked. For packed-refs.lock git waits longest: once is enough.
		if packed := packedLock(repo); moved.Lock == packed || try >= lockTries {
			held[moved.Lock] = true
			try = 0
		}
	}
}

// IndexChange is a commit's change of the user's index, by path.
type IndexChange struct {
	Old, New gitexec.Edits
	// Check runs last, with the refs locked: its error abandons the commit.
	Check func() error
}

// errAbandoned says that nothing was changed.
var errAbandoned = errors.New("abandoned")

// Reason is the reason in reflogs.
const Reason = "entire-plumb"

func (in intent) save(repo *gitexec.Repo) error {
	data, err := json.Marshal(in)
	if err != nil {
		return err
	}
	// Recover would not read it, and take it for a file that is not ours.
	if len(data) > mostIntent {
		return fmt.Errorf("a transaction of %d refs and %d sessions is larger than this program can finish if it is killed",
			len(in.Refs), len(in.States))
	}
	return safefile.Write(intentFile(repo), data, 0o600)
}

// finish records the result of a transaction.
func (in intent) finish(repo *gitexec.Repo, store session.Store) error {
	if err := writeBlocked(repo, in.Blocked); err != nil {
		return err
	}
	return saveStates(repo, store, in.States)
}

func transact(ctx context.Context, db *gitexec.ODB, reason string, refs []RefChange, index *IndexChange) error {
	repo := db.Repo()
	u, err := repo.StartRefUpdate(ctx, reason)
	if err != nil {
		return err
	}
	defer u.Abort()
	for _, c := range refs {
		if err := c.queue(u); err != nil {
			return err
		}
	}
	var next *gitexec.NextIndex
	if index != nil {
		// The copy of the index is made before the refs are locked, so that they are locked for a
		// short time.
		next, err = repo.NextIndex(ctx, index.New)
		defer repo.UnlockIndex()
	}
	if err == nil {
		err = u.Prepare()
	}
	if err != nil {
		return err
	}
	// Last before the refs move: a gc may have pruned an object that a checkpoint takes over from
	// an older one.
	if err := db.Relies(); err != nil {
		return err
	}
	if index == nil {
		return u.Commit()
	}
	// Check first: what it forbids leaves the index as it was.
	if err = index.Check(); err == nil {
		err = next.Install()
	}
	if err != nil {
		return errors.Join(errAbandoned, err)
	}
	// The index has the new entries by now: if no ref moved, they are taken out again.
	if err := u.Commit(); err != nil {
		return errors.Join(err, index.undoUnmoved(context.WithoutCancel(ctx), repo, refs))
	}
	return nil
}

// queue adds the change to a transaction.
func (c RefChange) queue(u *gitexec.RefUpdate) error {
	switch {
	// The private ref of a deleted stream has its commit in its name: whoever kept it before has
	// kept the same.
	case keeps(c):
		return u.Update(c.Ref, c.New, "")
	case c.Old == "":
		return u.Create(c.Ref, c.New)
	case c.New == "":
		return u.Delete(c.Ref, c.Old)
	}
	return u.Update(c.Ref, c.New, c.Old)
}

// undoUnmoved restores the index, if none of the refs has moved: else the commit may be made, and
// Recover finishes the rest.
func (c *IndexChange) undoUnmoved(ctx context.Context, repo *gitexec.Repo, refs []RefChange) error {
	// The transaction failed as a whole, or git was killed in the middle of it: only the refs tell.
	if _, moved, err := unmovedRefs(ctx, repo, refs); moved || err != nil {
		return err
	}
	before, err := repo.NextIndex(ctx, c.Old)
	if err == nil {
		err = before.Install()
	}
	return err
}

func saveStates(repo *gitexec.Repo, store session.Store, states []*session.State) error {
	for _, s := range states {
		if err := store.Save(s); err != nil {
			return err
		}
	}
	// At last: until all states are saved, Recover saves them again.
	if err := os.Remove(intentFile(repo)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Recover finishes what a process that was killed in Apply began. If none of its refs had moved,
// the intent is discarded; else the others are moved, too. The caller holds the lock. Without an
// intent it starts no process.
func Recover(ctx context.Context, db *gitexec.ODB, store session.Store) error {
	repo := db.Repo()
	in, ours, err := readIntent(repo)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	// A file that is no intent would hold up each hook.
	if !ours {
		return os.Remove(intentFile(repo))
	}
	// Before refs are read: git with a lock in its way can't finish the rest.
	if err := removeStaleLocks(ctx, repo, in); err != nil {
		return err
	}
	unmoved, moved, err := unmovedRefs(ctx, repo, in.Refs)
	if err != nil {
		return err
	}
	// No ref has moved: it is as if the process had been killed before.
	if !moved {
		return os.Remove(intentFile(repo))
	}
	if len(unmoved) > 0 {
		if err := transact(ctx, db, Reason, unmoved, nil); err != nil {
			return err
		}
	}
	return in.finish(repo, store)
}

// readIntent reads the intent. What is no regular file, or no intent, was not written by a
// transaction of ours, which writes it atomically.
func readIntent(repo *gitexec.Repo) (in intent, ours bool, err error) {
	data, err := safefile.ReadOwn(intentFile(repo), mostIntent)
	if unusable := new(safefile.Error); errors.As(err, &unusable) && unusable.Kind != safefile.Directory {
		return in, false, nil
	}
	if err != nil {
		return in, false, err
	}
	err = json.Unmarshal(data, &in)
	return in, err == nil && !slices.Contains(in.States, nil), nil
}

// Unfinished reports whether Recover, or the next transaction, has something to finish: a
// transaction is in progress or its process was killed, and states and refs may not agree; or the
// lock that blocked a ref was removed.
func Unfinished(repo *gitexec.Repo) bool {
	_, err := os.Lstat(intentFile(repo))
	return err == nil || Unblocked(repo)
}

// MayBeUnfinished reports so by the files' existence only, for a shared directory of ours.
func MayBeUnfinished(sharedDir string) bool {
	return slices.ContainsFunc([]string{intentName, blockedName}, func(name string) bool {
		_, err := os.Lstat(filepath.Join(sharedDir, name))
		return err == nil
	})
}

// unmovedRefs returns the changes that a transaction did not make, and whether it made any. Git
// makes the updates first and the deletions after. A ref that another process has moved since is
// omitted.
func unmovedRefs(ctx context.Context, repo *gitexec.Repo, refs []RefChange) (unmoved []RefChange, moved bool, err error) {
	current, err := refsNow(ctx, repo, namesOf(refs))
	if err != nil {
		return nil, false, err
	}
	for _, c := range refs {
		switch at := current[c.Ref]; {
		case at == c.New:
			moved = moved || !keeps(c) // the same deleted stream may have been kept before
		// Not made: a ref that was to be created is absent, and one that was to be deleted is
		// there.
		case at == c.Old:
			unmoved = append(unmoved, c)
		case c.New != "" && at != "": // moved after our change, or instead of it
			// The user may have committed on top since: then the commit was made.
			further, err := repo.InHistory(ctx, c.New, at)
			if err != nil {
				return nil, false, err
			}
			moved = moved || further
		}
	}
	return unmoved, moved, nil
}

// namesOf are arguments that list the refs: all of ours are below one.
func namesOf(refs []RefChange) []string {
	// Of thousands of streams each by its name would not fit into a command line.
	names := []string{Prefix}
	for _, c := range refs {
		if !strings.HasPrefix(c.Ref, Prefix) {
			names = append(names, c.Ref)
		}
	}
	return names
}

// refsNow are the objects of the refs that are there.
func refsNow(ctx context.Context, repo *gitexec.Repo, names []string) (map[string]gitexec.OID, error) {
	found, err := repo.Refs(ctx, names...)
	now := map[string]gitexec.OID{}
	for _, r := range found {
		now[r.Name] = r.ID
	}
	return now, err
}

// staleLock is the age at which a lock file counts as left behind. The caller's lock proves that
// the process that wrote the intent has exited; its git may live a moment longer, and longer on a
// busy machine. After a kill the next hook waits for so long.
const staleLock = 2 * time.Second

// removeStaleLocks removes the lock files of a transaction whose git was killed with SIGKILL. They
// would block the user's own git, too. It waits until they are removed or old enough: without the
// intent, nothing proves that they are ours.
func removeStaleLocks(ctx context.Context, repo *gitexec.Repo, in intent) error {
	begun, err := os.Stat(intentFile(repo))
	if err != nil {
		return err
	}
	since := deletionLockTime(repo, in, begun.ModTime())
	// The lock of packed-refs is ours only if a deletion of ours began, or is all but done: updates
	// don't take it.
	if since.IsZero() {
		since = lastLockTime(repo, in, begun.ModTime())
	}
	if !since.IsZero() {
		if err := removeStale(ctx, packedLock(repo), since, func() bool { return packedLockHolder(repo) != "" }); err != nil {
			return err
		}
	}
	// Below Prefix and Private no other program moves refs: a lock there that is no older than the
	// intent is ours.
	alone := func() bool { return false } // only we move these refs
	repo.UnlockIndex()
	for _, c := range in.Refs {
		if err := removeStale(ctx, refLock(repo, c), begun.ModTime(), alone); err != nil {
			return err
		}
		if !strings.HasPrefix(c.Ref, Prefix) && !strings.HasPrefix(c.Ref, Private) { // the user's branch: git locks HEAD, too, for its reflog
			if err := removeStale(ctx, filepath.Join(repo.GitDir, "HEAD.lock"), begun.ModTime(), alone); err != nil {
				return err
			}
		}
	}
	return nil
}

// deletionLockTime is when the transaction took the lock of a ref that it deletes; zero: never. Git
// takes packed-refs.lock after those: if it is older, it is another process's.
func deletionLockTime(repo *gitexec.Repo, in intent, begun time.Time) (since time.Time) {
	for _, c := range in.Refs {
		// A time before the intent's is another process's lock, which was there already.
		info, err := os.Lstat(refLock(repo, c))
		if c.New == "" && err == nil && !info.ModTime().Before(begun) && info.ModTime().After(since) {
			since = info.ModTime()
		}
	}
	return since
}

// lastLockTime is when packed-refs.lock was taken, if it is all that is left of the transaction's
// locks; else zero. Git deletes a ref, removes its lock, and packed-refs.lock at last: one that was
// taken after the removal is another process's.
func lastLockTime(repo *gitexec.Repo, in intent, begun time.Time) time.Time {
	packed, err := os.Lstat(packedLock(repo))
	if err != nil || packed.ModTime().Before(begun) {
		return time.Time{}
	}
	for _, c := range in.Refs {
		// Updates do not take this lock.
		if c.New == "" && deletedSince(repo, c, packed.ModTime()) {
			return packed.ModTime()
		}
	}
	return time.Time{}
}

// deletedSince reports whether a ref is gone, and its lock was removed no earlier than a time.
func deletedSince(repo *gitexec.Repo, c RefChange, since time.Time) bool {
	lock := refLock(repo, c)
	for _, file := range []string{lock, strings.TrimSuffix(lock, ".lock")} {
		if _, err := os.Lstat(file); !errors.Is(err, fs.ErrNotExist) {
			return false
		}
	}
	// A directory's time is that of the last file that came or went in it.
	dir, err := os.Lstat(filepath.Dir(lock))
	return err == nil && !dir.ModTime().Before(since)
}

// lockingVerbs are the git commands that hold packed-refs.lock for long where there are many refs.
var lockingVerbs = []string{"pack-refs", "refs", "gc", "maintenance", "update-ref", "fetch", "pull", "push", "receive-pack",
	"remote", "branch", "tag", "fast-import", "filter-branch", "replace", "notes"}

// packedLockHolder is the verb of a running git command that may hold packed-refs.lock; empty:
// none. Those that called this process hold none, as they wait for it.
func packedLockHolder(repo *gitexec.Repo) string {
	// A git of another repository has another packed-refs.
	tops := append(ReadWorktrees(repo).Tops, cmp.Or(repo.MainTop(), repo.Top))
	return ancestry.RunningIn(tops, lockingVerbs, ancestry.Of()...)
}

// removeStale removes a lock file that is not older than since, as soon as it is stale and not
// held. It gives up on one that stays held, or is taken again and again: its holders live.
func removeStale(ctx context.Context, file string, since time.Time, held func() bool) error {
	// Twice the age at which a lock is stale: so one that was taken just before the kill is waited
	// for.
	for end := time.Now().Add(2 * staleLock); time.Now().Before(end); {
		info, err := os.Lstat(file)
		missing := errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) // a branch named entire leaves no directory
		if missing || err == nil && info.ModTime().Before(since) {
			return nil
		}
		if err == nil && time.Since(info.ModTime()) >= staleLock && !held() {
			if err = os.Remove(file); err == nil || errors.Is(err, fs.ErrNotExist) {
				return nil
			}
		}
		if err != nil {
			return fmt.Errorf("a killed process left a lock that cannot be removed: %w", err)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(10 * time.Millisecond): // two hundred times at most: see staleLock
		}
	}
	return nil
}

func refLock(repo *gitexec.Repo, c RefChange) string {
	return filepath.Join(repo.CommonDir, filepath.FromSlash(c.Ref)+".lock")
}

func packedLock(repo *gitexec.Repo) string { return filepath.Join(repo.CommonDir, "packed-refs.lock") }

// mostIntent is the most bytes that an intent may have: a few states, and a line for each ref. All
// 99,999 streams of a base deleted at once need some 15 MB.
const mostIntent = 128 << 20

const intentName, blockedName = "intent.json", "blocked.json"

func intentFile(repo *gitexec.Repo) string { return filepath.Join(repo.SharedDir(), intentName) }
