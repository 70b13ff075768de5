package shadow

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"entire-plumb/gitexec"
	"entire-plumb/internal/lock"
	"entire-plumb/internal/session"
)

// Snapshot is the worktree at one moment: tracked files, and untracked ones that are not ignored.
type Snapshot struct {
	Tree    gitexec.OID  // as `git add -A` and `git write-tree` would write on a copy of the user's index
	Head    gitexec.Head // HEAD at that moment; it may have moved since discovery
	LeftOut []session.LeftOut
	Staged  []gitexec.Path // the paths where the index differs from HEAD
	// Index is the user's index as a tree, where versions are staged that neither HEAD nor the
	// worktree has; else empty.
	Index gitexec.OID
	// Conflict reports whether the index has conflicts.
	Conflict bool
}

// TakeSnapshot stores the worktree as a tree, to which no ref points. It is built from HEAD and the
// worktree only, never from an earlier checkpoint. Untracked files of more than largest bytes, and
// paths that git cannot add, are omitted and listed. The user's index is not touched: git updates a
// copy of ours.
//
// It costs one git process for a clean worktree, else five (status, update-index, ls-files,
// cat-file, hash-object).
func TakeSnapshot(ctx context.Context, repo *gitexec.Repo, db *gitexec.ODB, largest int64) (Snapshot, error) {
	// Two hooks of one worktree would write the same copy of the index.
	unlock, err := lock.Take(ctx, filepath.Join(repo.PrivateDir(), "snapshot.lock"))
	if err != nil {
		return Snapshot{}, err
	}
	defer unlock()
	index, entries, head, err := status(ctx, repo)
	if err != nil {
		return Snapshot{}, err
	}
	var snap Snapshot
	if snap.Head, err = headNow(db, repo.Head, head); err != nil {
		return Snapshot{}, err
	}
	if len(entries) == 0 {
		snap.Tree = snap.Head.Tree
		return snap, nil
	}
	if err := db.Warm(); err != nil { // they start while files are hashed
		return Snapshot{}, err
	}
	plan := newPlan(repo.Top, entries, largest)
	sparse := ""
	// Its .gitattributes may be left out of the worktree: git finds them in the index.
	if repo.SparseCheckout() {
		sparse = index
	}
	hashed, refused, err := db.HashInto(plan.seed, sparse, plan.hash)
	if err != nil {
		return Snapshot{}, err
	}
	plan.note(hashed, refused)
	snap.Tree, err = db.EditTree(snap.Head.Tree, plan.edits)
	// Those that git refuses come from a map.
	sort.Slice(plan.leftOut, func(i, j int) bool { return plan.leftOut[i].Path < plan.leftOut[j].Path })
	snap.LeftOut = plan.leftOut
	if err == nil {
		err = snap.readIndex(db, entries)
	}
	return snap, err
}

// headNow is HEAD as status found it. If a commit was made since discovery, what status omits is as
// in that commit.
func headNow(db *gitexec.ODB, found gitexec.Head, now gitexec.OID) (gitexec.Head, error) {
	if now == "" || now == found.ID {
		return found, nil
	}
	c, err := db.Commit(now)
	return gitexec.Head{ID: now, Tree: c.Tree}, err
}

// readIndex sets what the user's index has.
func (snap *Snapshot) readIndex(db *gitexec.ODB, entries []gitexec.StatusEntry) (err error) {
	for _, e := range entries {
		if e.Index != '.' && !e.Untracked() {
			snap.Staged = append(snap.Staged, e.Path)
		}
		snap.Conflict = snap.Conflict || e.Conflict
	}
	if !snap.Conflict {
		snap.Index, err = stagedOnly(db, snap.Head.Tree, entries)
	}
	return err
}

// stagedOnly writes the index as a tree, on HEAD's, if it has a version that neither HEAD nor the
// worktree has.
func stagedOnly(db *gitexec.ODB, head gitexec.OID, entries []gitexec.StatusEntry) (gitexec.OID, error) {
	edits, only := gitexec.Edits{}, false
	for _, e := range entries {
		if e.Untracked() || e.Index == '.' {
			continue
		}
		edits[e.Path] = e.Staged
		// A version that the worktree has as well is in its tree.
		only = only || e.Worktree != '.'
	}
	if !only {
		return "", nil
	}
	return db.EditTree(head, edits)
}

// StagedBefore lists those of a commit's changes, by their indexes, that an earlier snapshot's
// Index has, and its worktree had otherwise (began): they were staged then.
func StagedBefore(db *gitexec.ODB, index gitexec.OID, changes []gitexec.Change, began []gitexec.Entry) (staged []int, err error) {
	if index == "" {
		return nil, nil
	}
	info, err := db.Info(index)
	if err != nil || info[0].Type != "tree" { // no ref keeps it, and git may have pruned it
		return nil, err
	}
	then, err := db.Lookup(index, gitexec.PathsOf(changes)...)
	if err != nil {
		return nil, err
	}
	for i, c := range changes {
		if then[i] == c.New && began[i] != c.New {
			staged = append(staged, i)
		}
	}
	return staged, nil
}

// status asks git for the worktree's state, through the private index. A copy that git cannot read,
// for example after a crash of the machine, is replaced, once.
func status(ctx context.Context, repo *gitexec.Repo) (index string, entries []gitexec.StatusEntry, head gitexec.OID, err error) {
	index, used, err := privateIndex(repo)
	if err != nil {
		return "", nil, "", err
	}
	entries, head, err = repo.Status(ctx, index, used)
	if err == nil || ctx.Err() != nil || os.Remove(index) != nil {
		return index, entries, head, err
	}
	if index, _, err = privateIndex(repo); err != nil {
		return "", nil, "", err
	}
	entries, head, err = repo.Status(ctx, index, false)
	return index, entries, head, err
}

// snapshotPlan says what to do with each path that status named.
type snapshotPlan struct {
	edits   gitexec.Edits // against HEAD's tree
	hash    []gitexec.Path
	seed    map[gitexec.Path]gitexec.Entry
	leftOut []session.LeftOut
}

func newPlan(top string, entries []gitexec.StatusEntry, largest int64) *snapshotPlan {
	p := &snapshotPlan{edits: gitexec.Edits{}, seed: map[gitexec.Path]gitexec.Entry{}}
	for _, e := range entries {
		path := gitexec.Path(strings.TrimSuffix(string(e.Path), "/")) // a repository inside this one
		switch {
		case e.Untracked() && path != e.Path && gitexec.WorktreeOf(filepath.Join(top, string(path)), top) != top:
			// What is in another worktree of the repository is recorded there.
		case e.Untracked():
			if size, big := tooLarge(top, path, largest); big {
				p.leaveOut(path, fmt.Sprintf("untracked and %d bytes long, more than the setting max_untracked_bytes allows", size))
				continue
			}
			p.hash = append(p.hash, path)
		// No file in the worktree: it is deleted there, whatever the index has.
		case e.Mode == "":
			p.edits[path] = gitexec.Entry{}
		case e.Conflict || e.Worktree != '.':
			p.edits[path] = e.Staged // kept if git cannot add the file
			p.seed[path] = e.Staged
			p.hash = append(p.hash, path)
		default:
			p.edits[path] = e.Staged
		}
	}
	return p
}

// note takes what git made of the files.
func (p *snapshotPlan) note(hashed map[gitexec.Path]gitexec.Entry, refused map[gitexec.Path]string) {
	maps.Copy(p.edits, hashed)
	for path, reason := range refused {
		p.leaveOut(path, "git cannot add it: "+lastLine(reason))
	}
}

func (p *snapshotPlan) leaveOut(path gitexec.Path, reason string) {
	p.leftOut = append(p.leftOut, session.LeftOut{Path: path, Reason: reason})
}

func tooLarge(top string, path gitexec.Path, largest int64) (int64, bool) {
	info, err := os.Lstat(filepath.Join(top, string(path)))
	// A symbolic link is as long as its target's name.
	if err != nil || !info.Mode().IsRegular() {
		return 0, false
	}
	return info.Size(), info.Size() > largest
}

func lastLine(s string) string {
	s = strings.TrimSpace(s)
	return s[strings.LastIndexByte(s, '\n')+1:]
}
