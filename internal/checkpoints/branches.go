package checkpoints

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"

	"entire-plumb/gitexec"
	"entire-plumb/internal/conversation"
	"entire-plumb/shadow"
)

// fetchedRefs are the branches of the checkpoints as last fetched, of all remotes, the inboxes, and
// the checkpoints with refs of their own.
var fetchedRefs = []string{"refs/remotes/**/entire/checkpoints/v1", fetchedHere, ownRefs}

// fetchedHere begins the refs of what this program fetched.
const fetchedHere = shadow.Private + "remotes/"

// fetched are the branches of remotes, beside the one that a Branch was read from, that of "origin"
// first, and the checkpoints with refs of their own. They are read when a checkpoint is not on that
// branch: it costs a process.
type fetched struct {
	refs func() []gitexec.Ref          // as fetchedRefs says; nil: they were not asked for
	all  func() ([]gitexec.Ref, error) // see ListedRefs; nil likewise
	read func() ([]Branch, ownCheckpoints)
	more bool // there are other branches than that of "origin"

	purged *PurgedList // of the branch itself: what it took out is not read from others; nil: not read yet
}

// ReadBranches reads the branch as ReadBranch does, for commands that only read: with what is kept
// here, see KeptRef. A checkpoint that it does not hold is looked up on the remote-tracking
// branches, too. Refs with other prefixes are listed with these, see ListedRefs.
func ReadBranches(ctx context.Context, repo *gitexec.Repo, db *gitexec.ODB, others ...string) (Branch, error) {
	tip, err := shadow.CheckpointsTip(repo, db)
	if err != nil {
		return Branch{}, err
	}
	b, err := ReadBranch(db, tip)
	if err != nil {
		return b, err
	}
	b.side = &sideLinks{tops: map[gitexec.OID]gitexec.Tree{}, shards: map[gitexec.OID]gitexec.Tree{}}
	// The branch as it is: what is kept here makes another tree of it, which no remote has.
	known := b.Tree
	refs, all := readRefs(ctx, repo, others)
	b.fetched = &fetched{more: repo.MayHaveRefs(fetchedHere), refs: refs, all: all,
		read: sync.OnceValues(func() ([]Branch, ownCheckpoints) { return readFetched(db, refs, known) })}
	b.Tree = withKept(db, b.Tree)
	return b, nil
}

// readRefs reads the refs of what was fetched, and those with other prefixes, once. One process.
func readRefs(ctx context.Context, repo *gitexec.Repo, others []string) (theirs func() []gitexec.Ref, all func() ([]gitexec.Ref, error)) {
	all = sync.OnceValues(func() ([]gitexec.Ref, error) { return repo.RefIDs(ctx, slices.Concat(fetchedRefs, others)...) })
	theirs = func() []gitexec.Ref {
		refs, _ := all()
		return slices.DeleteFunc(slices.Clone(refs), func(ref gitexec.Ref) bool { return !isFetched(ref.Name) })
	}
	return theirs, all
}

// isFetched reports whether a ref is one that fetchedRefs asks for.
func isFetched(ref string) bool {
	branch, _ := shadow.Tracked(ref)
	return branch == shadow.Checkpoints || strings.HasPrefix(ref, fetchedHere) || strings.HasPrefix(ref, ownRefs)
}

// ListedRefs are all refs that ReadBranches lists, with those of the prefixes that it was given.
// The branch is one that it read.
func (b Branch) ListedRefs() ([]gitexec.Ref, error) { return b.fetched.all() }

// ReadWithOrigin reads the branch as ReadBranch does, with that of "origin" as last fetched. No
// process.
func ReadWithOrigin(db *gitexec.ODB, tip gitexec.OID) (Branch, error) {
	b, err := ReadBranch(db, tip)
	if err != nil {
		return b, err
	}
	b.side = &sideLinks{tops: map[gitexec.OID]gitexec.Tree{}, shards: map[gitexec.OID]gitexec.Tree{}}
	b.fetched = &fetched{read: sync.OnceValues(func() ([]Branch, ownCheckpoints) {
		origin, err := ReadBranch(db, "")
		if err != nil || origin.Tree == "" || origin.Tree == b.Tree {
			return nil, nil
		}
		return []Branch{origin}, nil
	})}
	return b, nil
}

// mostFetched is how many remote-tracking branches are read: a remote may have many branches with
// such names, and each makes one more directory to look into for each checkpoint. A team has one on
// each remote.
const mostFetched = 100

// readFetched reads the remote-tracking branches whose trees differ from the one given, and lists
// the checkpoints with refs of their own. It skips what is no commit, or cannot be read.
func readFetched(db *gitexec.ODB, read func() []gitexec.Ref, known gitexec.OID) ([]Branch, ownCheckpoints) {
	if SignaturesRequired(db) {
		return nil, nil
	}
	// The order decides which branch a checkpoint is read from where several have it.
	refs := slices.SortedStableFunc(slices.Values(read()), func(a, b gitexec.Ref) int {
		switch {
		case a.Name == originRef:
			return -1
		case b.Name == originRef:
			return 1
		}
		return strings.Compare(a.Name, b.Name)
	})
	var all []Branch
	own := ownCheckpoints{}
	for _, ref := range refs {
		theirs := strings.HasPrefix(ref.Name, ownRefs) // here, where the `entire` CLI writes them
		if id, isOwn := ofRef(ref.Name); isOwn && (theirs || own[id] == "") {
			own[id] = ref.ID
		} else if isOwn || theirs || len(all) == mostFetched {
			continue
		} else if tree := treeOfCommit(db, ref.ID); tree != "" && tree != known &&
			!slices.ContainsFunc(all, func(o Branch) bool { return o.Tree == tree }) {
			all = append(all, Branch{Tip: ref.ID, Tree: tree})
		}
	}
	return all, own
}

// treeOfCommit is empty where there is no such commit.
func treeOfCommit(db *gitexec.ODB, id gitexec.OID) gitexec.OID {
	found, err := db.Readable(id)
	if err != nil || len(found) == 0 {
		return ""
	}
	return found[0].Tree
}

// fetchedBranches are the remotes' branches, if the branch was read by ReadBranches.
func (b Branch) fetchedBranches() []Branch {
	if b.fetched == nil {
		return nil
	}
	all, _ := b.fetched.read()
	return all
}

// own are the checkpoints with refs of their own, likewise.
func (b Branch) own() ownCheckpoints {
	if b.fetched == nil {
		return nil
	}
	_, own := b.fetched.read()
	return own
}

// Tips are the tips of the branch and of the remotes'.
func (b Branch) Tips() []gitexec.OID {
	var all []gitexec.OID
	for _, one := range append([]Branch{b}, b.fetchedBranches()...) {
		if one.Tip != "" {
			all = append(all, one.Tip)
		}
	}
	return all
}

// root is the tree that holds a checkpoint: the branch's own unless only a remote's holds it.
func (b Branch) root(db *gitexec.ODB, id string) gitexec.OID {
	if b.fetched == nil {
		return b.Tree
	}
	// What was purged here must not be read from others.
	if here, err := find(db, b.Tree, id); here.Exists() || err != nil || b.purged(db).gone(id) {
		return b.Tree
	}
	for _, other := range b.fetchedBranches() {
		if there, _ := find(db, other.Tree, id); there.Exists() {
			return other.Tree
		}
	}
	return cmp.Or(b.own().holdOne(db, id), b.Tree)
}

// withPrefix lists the IDs of the checkpoints with a prefix, sorted. An error is one of the
// branch's own directories.
func (b Branch) withPrefix(db *gitexec.ODB, prefix string) ([]string, error) {
	found, err := idsWithPrefix(db, b.Tree, prefix)
	// A whole ID that is here needs no other branch, whose refs take a process.
	if err != nil || slices.Contains(found, prefix) {
		return found, err
	}
	for _, other := range b.fetchedBranches() {
		more, _ := idsWithPrefix(db, other.Tree, prefix)
		found = append(found, slices.DeleteFunc(more, b.purged(db).gone)...)
	}
	found = append(found, slices.DeleteFunc(b.own().withPrefix(prefix), b.purged(db).gone)...)
	slices.Sort(found)
	return slices.Compact(found), nil
}

// idsWithPrefix lists the IDs with a prefix in a tree.
func idsWithPrefix(db *gitexec.ODB, root gitexec.OID, prefix string) (found []string, err error) {
	shard, err := readShard(db, root, prefix[:2])
	for name, e := range shard {
		if id := prefix[:2] + name; e.Exists() && ValidID(id) && strings.HasPrefix(id, prefix) {
			found = append(found, id)
		}
	}
	slices.Sort(found)
	return found, err
}

// branchShard is a directory of the first level, on the branch itself (0), or on one of the
// remotes'.
type branchShard struct {
	gitexec.Entry
	branch int
}

// shards lists the directories of the first level, by name, of the branch and of the remotes', each
// object once.
func (b Branch) shards(db *gitexec.ODB) (map[string][]branchShard, error) {
	all := map[string][]branchShard{}
	branches := append([]Branch{b}, b.fetchedBranches()...)
	branches = append(branches, Branch{Tree: b.own().hold(db, maps.Keys(b.own()))})
	for i, one := range branches {
		if one.Tree == "" {
			continue
		}
		root, err := conversation.Dir(db, gitexec.Entry{Mode: gitexec.ModeTree, ID: one.Tree}, shadow.Checkpoints)
		// Damage of what others have pushed keeps nothing of ours from being read.
		if err != nil && (i == 0 || !errors.Is(err, ErrDamaged)) {
			return nil, err
		}
		for name, e := range root {
			listed := slices.ContainsFunc(all[name], func(s branchShard) bool { return s.Entry == e })
			// Of our own branch also what is no directory: that is damage, and is named.
			if ValidShard(name) && !listed && (i == 0 || e.IsTree()) {
				all[name] = append(all[name], branchShard{e, i})
			}
		}
	}
	return all, nil
}
