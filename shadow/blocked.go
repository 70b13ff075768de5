package shadow

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/safefile"
	"entire-plumb/internal/session"
)

// A lock of a killed git on the branch of the committed checkpoints, on a stream, or on packed-refs
// blocks our refs until it is removed. Writing continues meanwhile: private refs keep the objects,
// and a list has the values of the blocked refs. Readers of our refs see these values, so that each
// checkpoint builds on the one before; the first transaction after the lock was removed moves all
// refs.

// blockedRefs is the prefix of the private refs that keep the objects of blocked refs.
const blockedRefs = Private + "blocked/"

// Blocked lists our refs that could not be moved: from git's value, Old, to the one to be, New. Of
// a repository that is opened aside, all refs that were to be moved are among them. It starts no
// process.
func Blocked(repo *gitexec.Repo) []RefChange {
	blocked := readBlocked(blockedFile(repo))
	if !repo.Aside() {
		return blocked
	}
	aside := readBlocked(asideFile(repo))
	return append(slices.DeleteFunc(blocked, func(c RefChange) bool { return hasRef(aside, c.Ref) }), aside...)
}

func hasRef(changes []RefChange, ref string) bool {
	return slices.ContainsFunc(changes, func(c RefChange) bool { return c.Ref == ref })
}

func readBlocked(file string) []RefChange {
	blocked, _ := safefile.ReadPrivate[[]RefChange](file, mostIntent) // another one is not ours: we write it atomically
	return blocked
}

// BlockedRefs names the branches that could not be moved, sorted.
func BlockedRefs(repo *gitexec.Repo) []string {
	var names []string
	for _, b := range Blocked(repo) {
		if name, ok := strings.CutPrefix(b.Ref, "refs/heads/"); ok {
			names = append(names, name)
		}
	}
	return names
}

// Unblocked reports whether a ref that could not be moved can be tried again: its lock was removed.
// It starts no process.
func Unblocked(repo *gitexec.Repo) bool {
	// Of any: the next transaction tries all, and leaves those that are still locked.
	return slices.ContainsFunc(Blocked(repo), func(c RefChange) bool { return heldLock(repo, c, time.Now()) == "" })
}

// BlockedBy names a lock file that is in the way; empty: none.
func BlockedBy(repo *gitexec.Repo) string {
	for _, c := range Blocked(repo) {
		if lock := findLock(repo, c, func(time.Time) bool { return true }); lock != "" {
			return lock
		}
	}
	return ""
}

func blockedFile(repo *gitexec.Repo) string { return filepath.Join(repo.SharedDir(), blockedName) }

// asideFile lists the changes of refs in a repository that is opened aside.
func asideFile(repo *gitexec.Repo) string { return filepath.Join(repo.PrivateDir(), blockedName) }

// applyAside is Apply in a repository that is opened aside: only its readers see it. The store is
// another directory than the repository's own.
func applyAside(db *gitexec.ODB, store session.Store, refs []RefChange, states []*session.State) error {
	repo := db.Repo()
	if rel, err := filepath.Rel(repo.PrivateDir(), store.Dir); err != nil || !filepath.IsLocal(rel) {
		return errors.New("what is opened aside has no states that can be changed")
	}
	if len(refs) > 0 {
		earlier := slices.DeleteFunc(readBlocked(asideFile(repo)), func(c RefChange) bool { return hasRef(refs, c.Ref) })
		if err := safefile.WritePrivate(asideFile(repo), append(earlier, refs...)); err != nil {
			return err
		}
	}
	for _, s := range states {
		if err := store.Save(s); err != nil {
			return err
		}
	}
	return db.Settle()
}

func writeBlocked(repo *gitexec.Repo, blocked []RefChange) error {
	if len(blocked) == 0 {
		if err := os.Remove(blockedFile(repo)); !os.IsNotExist(err) {
			return err
		}
		return nil
	}
	return safefile.WritePrivate(blockedFile(repo), blocked)
}

// heldLock names the lock file that prevents a change; empty: none. One that is younger than
// staleLock may be a living process's: git waits for it a moment.
func heldLock(repo *gitexec.Repo, c RefChange, now time.Time) string {
	return findLock(repo, c, func(made time.Time) bool { return now.Sub(made) >= staleLock })
}

// findLock names the lock file in the way of a change whose time accept accepts; empty: none.
func findLock(repo *gitexec.Repo, c RefChange, accept func(made time.Time) bool) string {
	locks := []string{refLock(repo, c)}
	// Git takes it for deletions alone: the ref may be in that file, too.
	if c.New == "" {
		locks = append(locks, packedLock(repo))
	}
	for _, lock := range locks {
		if info, err := os.Lstat(lock); err == nil && accept(info.ModTime()) {
			return lock
		}
	}
	return ""
}

// transaction is what a step changes in git's refs now, and what stays blocked.
type transaction struct{ changes, blocked []RefChange }

// planTransaction joins the changes of a step with the blocked ones. refs start from the values
// that readers see; locked reports which of git's refs cannot be moved now. A RefMovedError says
// that a reader saw another value.
func planTransaction(refs, waiting []RefChange, locked func(RefChange) bool) (transaction, error) {
	changes, keepers := waitingChanges(waiting)
	for _, c := range refs {
		if b, blocked := changes[c.Ref]; blocked {
			// A reader sees the value to be, and starts from that.
			if b.New != c.Old {
				text := c.Ref + " is blocked and is to be moved to " + string(b.New) + ", but expected " + string(c.Old)
				return transaction{}, &gitexec.RefMovedError{Cause: &gitexec.Error{Stderr: text}}
			}
			// Git has still the value from before.
			c.Old = b.Old
		}
		changes[c.Ref] = c
	}
	var t transaction
	for _, ref := range slices.Sorted(maps.Keys(changes)) {
		c := changes[ref]
		// Nothing but its keeper has the object then: a gc would delete it.
		if blocked := t.add(c, strings.HasPrefix(ref, Prefix), locked); blocked && c.New != "" {
			keepers[keeper(ref)] = RefChange{Ref: keeper(ref), Old: keepers[keeper(ref)].Old, New: c.New}
		}
	}
	for _, ref := range slices.Sorted(maps.Keys(keepers)) {
		c := keepers[ref]
		// A keeper that is to be deleted may wait, one that is to be written may not: the object
		// has no other ref.
		t.add(c, c.New == "", locked)
	}
	return t, nil
}

// add adds what is a change to those of now or, if it may wait and is locked, to those that stay
// blocked.
func (t *transaction) add(c RefChange, mayWait bool, locked func(RefChange) bool) (blocked bool) {
	switch {
	case c.Old == c.New:
	case mayWait && locked(c):
		t.blocked = append(t.blocked, c)
		return true
	default:
		t.changes = append(t.changes, c)
	}
	return false
}

// waitingChanges are the blocked changes by their refs, and those that delete their keepers.
func waitingChanges(waiting []RefChange) (changes, keepers map[string]RefChange) {
	changes, keepers = map[string]RefChange{}, map[string]RefChange{}
	for _, b := range waiting {
		if strings.HasPrefix(b.Ref, blockedRefs) { // its deletion is blocked
			keepers[b.Ref] = RefChange{Ref: b.Ref, Old: b.Old}
			continue
		}
		changes[b.Ref] = b
		if b.New != "" {
			keepers[keeper(b.Ref)] = RefChange{Ref: keeper(b.Ref), Old: b.New}
		}
	}
	return changes, keepers
}

// keeper is the private ref that keeps the object of a blocked ref.
func keeper(ref string) string { return blockedRefs + strings.TrimPrefix(ref, Prefix) }

// visible is the value that readers see of a ref with a value in git; empty for none.
func visible(blocked []RefChange, ref string, at gitexec.OID) gitexec.OID {
	for _, b := range blocked {
		if b.Ref == ref {
			return b.New
		}
	}
	return at
}

// CheckpointsTip reads the tip of the committed checkpoints, as readers see it; empty where there
// are none. No process beside the object database's.
func CheckpointsTip(repo *gitexec.Repo, db *gitexec.ODB) (gitexec.OID, error) {
	tip, err := db.Info(gitexec.OID(Checkpoints))
	if err != nil {
		return "", err
	}
	return visible(Blocked(repo), Checkpoints, tip[0].ID), nil
}

// reconcile updates the list of blocked refs after another process moved one of them: on the branch
// of the committed checkpoints the files of both sides are merged; any other ref keeps the new
// value.
func reconcile(ctx context.Context, db *gitexec.ODB) error {
	repo := db.Repo()
	blocked := Blocked(repo)
	var names []string
	for _, b := range blocked {
		names = append(names, b.Ref)
		if b.New != "" {
			names = append(names, keeper(b.Ref))
		}
	}
	at, err := refsNow(ctx, repo, names)
	if err != nil {
		return err
	}
	var remaining, keepers []RefChange
	for _, b := range blocked {
		current, kept := at[b.Ref], at[keeper(b.Ref)]
		switch {
		case current == b.Old: // its keeper was moved or deleted
			remaining = append(remaining, b)
		// Any other ref keeps what the other process has written; or what waited is done.
		case b.Ref != Checkpoints || current == b.New:
			b.New = ""
		// The branch was deleted: what waits is all there is of it.
		case current == "":
			b.Old = ""
			remaining = append(remaining, b)
		default:
			if b.New, err = mergeCheckpoints(db, b, current); err != nil {
				return err
			}
			b.Old = current
			remaining = append(remaining, b)
		}
		if kept != b.New {
			keepers = append(keepers, RefChange{Ref: keeper(b.Ref), Old: kept, New: b.New})
		}
	}
	if len(keepers) > 0 {
		if err := transact(ctx, db, Reason, keepers, nil); err != nil {
			return err
		}
	}
	return writeBlocked(repo, remaining)
}

// mergeCheckpoints makes a merge commit of both sides of the checkpoints' branch: the changes here
// since b.Old are applied to theirs.
func mergeCheckpoints(db *gitexec.ODB, b RefChange, theirs gitexec.OID) (gitexec.OID, error) {
	commits, err := db.Commits(theirs, b.New, b.Old)
	if err != nil {
		return "", err
	}
	changes, err := db.DiffTrees(commits[2].Tree, commits[1].Tree)
	if err != nil {
		return "", err
	}
	// Each checkpoint has a directory of its own: both sides' changes mostly touch different files.
	edits := gitexec.Edits{}
	for _, c := range changes {
		edits[c.Path] = c.New
	}
	tree, err := db.EditTree(commits[0].Tree, edits)
	if err != nil {
		return "", err
	}
	who := gitexec.Ident{Name: "entire-plumb", Email: "entire-plumb@localhost", When: commits[1].When}
	return db.WriteCommits(gitexec.NewCommit{
		Tree: tree, Parents: []gitexec.OID{theirs, b.New}, Author: who, Committer: who, Message: "Merge checkpoints\n",
	})
}
