package shadow

import (
	"context"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/safefile"
)

// A lock that a killed git left, on the branch of the committed checkpoints, on a stream, or on
// packed-refs, blocks our refs until somebody removes it. What is to be written meanwhile is not
// held up: the objects are there, private refs keep them, and a list says where the blocked refs
// are to be. Whoever reads our refs sees them as if they were there already, so that one commit's
// checkpoint goes on from the other's; and the next transaction after the lock has gone moves them
// all.

// blockedRefs is where the private refs are that keep what blocked refs are to hold.
const blockedRefs = Private + "blocked/"

// Blocked lists our refs that could not be moved: from what git has, Old, to what they are to be,
// New. It starts no process.
func Blocked(repo *gitexec.Repo) []RefChange {
	data, err := safefile.Read(blockedFile(repo), mostIntent)
	if err != nil {
		return nil
	}
	var blocked []RefChange
	if json.Unmarshal(data, &blocked) != nil {
		return nil // written whole or not at all, so this is none of ours
	}
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

// Unblocked reports whether a ref that could not be moved can be tried again: its lock has gone. It
// starts no process.
func Unblocked(repo *gitexec.Repo) bool {
	return slices.ContainsFunc(Blocked(repo), func(c RefChange) bool { return heldLock(repo, c, time.Now()) == "" })
}

// BlockedBy names a lock file that is in the way; empty: there is none any more.
func BlockedBy(repo *gitexec.Repo) string {
	for _, c := range Blocked(repo) {
		if lock := lockOf(repo, c, func(time.Time) bool { return true }); lock != "" {
			return lock
		}
	}
	return ""
}

func blockedFile(repo *gitexec.Repo) string { return filepath.Join(repo.SharedDir(), blockedName) }

func writeBlocked(repo *gitexec.Repo, blocked []RefChange) error {
	if len(blocked) == 0 {
		err := os.Remove(blockedFile(repo))
		if os.IsNotExist(err) {
			return nil
		}
		return err
	}
	data, err := json.Marshal(blocked)
	if err != nil {
		return err
	}
	return safefile.Write(blockedFile(repo), data, 0o600)
}

// heldLock names the lock file that keeps a change from being made; empty: there is none. One that
// is younger than staleLock may be a living process's, and is left to git, which waits for it a
// moment.
func heldLock(repo *gitexec.Repo, c RefChange, now time.Time) string {
	return lockOf(repo, c, func(made time.Time) bool { return now.Sub(made) >= staleLock })
}

// lockOf names the lock file in the way of a change that is such, by the time when it was made;
// empty: there is none.
func lockOf(repo *gitexec.Repo, c RefChange, such func(made time.Time) bool) string {
	locks := []string{refLock(repo, c)}
	if c.New == "" {
		locks = append(locks, packedLock(repo))
	}
	for _, lock := range locks {
		if info, err := os.Lstat(lock); err == nil && such(info.ModTime()) {
			return lock
		}
	}
	return ""
}

// transaction is what a step changes in git's refs now, and what has to wait.
type transaction struct{ changes, blocked []RefChange }

// transactionOf brings the changes of a step together with those that wait already. refs go from
// what readers see; locked says which of git's refs cannot be moved now. A RefMovedError says that
// a reader saw something else.
func transactionOf(refs, waiting []RefChange, locked func(RefChange) bool) (transaction, error) {
	real := map[string]RefChange{}
	keepers := map[string]RefChange{} // from what each holds now
	for _, b := range waiting {
		if strings.HasPrefix(b.Ref, blockedRefs) { // whose deletion waits
			keepers[b.Ref] = RefChange{Ref: b.Ref, Old: b.Old}
			continue
		}
		real[b.Ref] = b
		if b.New != "" {
			keepers[keeper(b.Ref)] = RefChange{Ref: keeper(b.Ref), Old: b.New}
		}
	}
	for _, c := range refs {
		if b, waits := real[c.Ref]; waits {
			if b.New != c.Old {
				return transaction{}, &gitexec.RefMovedError{Cause: &gitexec.Error{Stderr: c.Ref + " waits to be moved to " + string(b.New) + ", but expected " + string(c.Old)}}
			}
			c.Old = b.Old
		}
		real[c.Ref] = c
	}
	var t transaction
	for _, ref := range slices.Sorted(maps.Keys(real)) {
		switch c := real[ref]; {
		case c.Old == c.New:
		case strings.HasPrefix(ref, Prefix) && locked(c):
			t.blocked = append(t.blocked, c)
			if c.New != "" {
				keepers[keeper(ref)] = RefChange{Ref: keeper(ref), Old: keepers[keeper(ref)].Old, New: c.New}
			}
		default:
			t.changes = append(t.changes, c)
		}
	}
	for _, ref := range slices.Sorted(maps.Keys(keepers)) {
		switch c := keepers[ref]; {
		case c.Old == c.New:
		case c.New == "" && locked(c):
			t.blocked = append(t.blocked, c)
		default:
			t.changes = append(t.changes, c)
		}
	}
	return t, nil
}

// keeper is the private ref that keeps what a blocked ref is to hold.
func keeper(ref string) string { return blockedRefs + strings.TrimPrefix(ref, Prefix) }

// seen gives what readers see of a ref that git has at an object: empty for none.
func seen(blocked []RefChange, ref string, at gitexec.OID) gitexec.OID {
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
	return seen(Blocked(repo), Checkpoints, tip[0].ID), nil
}

// reconcile brings the list of blocked refs to what git has after somebody else moved one of them:
// on the branch of the committed checkpoints both sides' files are united; another ref is left to
// whoever moved it.
func reconcile(ctx context.Context, repo *gitexec.Repo) error {
	blocked := Blocked(repo)
	var names []string
	for _, b := range blocked {
		names = append(names, b.Ref)
		if b.New != "" {
			names = append(names, keeper(b.Ref))
		}
	}
	found, err := repo.Refs(ctx, names...)
	if err != nil {
		return err
	}
	at := map[string]gitexec.OID{}
	for _, r := range found {
		at[r.Name] = r.ID
	}
	var left, keep []RefChange
	for _, b := range blocked {
		now, kept := at[b.Ref], at[keeper(b.Ref)]
		switch {
		case now == b.Old: // the ref that keeps it was moved or deleted
			left = append(left, b)
		case b.Ref != Checkpoints || now == b.New:
			b.New = ""
		case now == "":
			b.Old = ""
			left = append(left, b)
		default:
			if b.New, err = unite(ctx, repo, b, now); err != nil {
				return err
			}
			b.Old = now
			left = append(left, b)
		}
		if kept != b.New {
			keep = append(keep, RefChange{Ref: keeper(b.Ref), Old: kept, New: b.New})
		}
	}
	if len(keep) > 0 {
		if err := transact(ctx, repo, Reason, keep, nil); err != nil {
			return err
		}
	}
	return writeBlocked(repo, left)
}

// unite makes a commit of both sides of the checkpoints' branch: what was written here since b.Old
// goes on top of theirs.
func unite(ctx context.Context, repo *gitexec.Repo, b RefChange, theirs gitexec.OID) (gitexec.OID, error) {
	db := repo.ODB(ctx)
	defer db.Close()
	commits, err := db.Commits(theirs, b.New)
	if err != nil {
		return "", err
	}
	var base gitexec.OID
	if b.Old != "" {
		was, err := db.Commits(b.Old)
		if err != nil {
			return "", err
		}
		base = was[0].Tree
	}
	changes, err := db.DiffTrees(base, commits[1].Tree)
	if err != nil {
		return "", err
	}
	edits := gitexec.Edits{}
	for _, c := range changes {
		edits[c.Path] = c.New
	}
	tree, err := db.EditTree(commits[0].Tree, edits)
	if err != nil {
		return "", err
	}
	who := gitexec.Ident{Name: "entire-plumb", Email: "entire-plumb@localhost", When: commits[1].When}
	ids, err := db.CommitTree(gitexec.NewCommit{Tree: tree, Parents: []gitexec.OID{theirs, b.New}, Author: who, Committer: who, Message: "Merge checkpoints\n"})
	if err != nil {
		return "", err
	}
	return ids[0], nil
}
