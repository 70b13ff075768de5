package checkpoints

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"entire-plumb/gitexec"
	"entire-plumb/internal/conversation"
	"entire-plumb/shadow"
)

// fetchedRefs are the branches of the checkpoints as they were fetched last, of all remotes.
const fetchedRefs = "refs/remotes/**/entire/checkpoints/v1"

// fetched are the branches of remotes, beside the one that a Branch was read from, the one of
// "origin" first. They are looked up when a checkpoint is not on that one: it costs a process.
type fetched struct {
	read  func() []Branch
	asked bool
}

// ReadBranches reads the branch as ReadBranch does, for what only reads: a checkpoint that it
// doesn't hold is looked for on the remote-tracking branches, too.
func ReadBranches(ctx context.Context, repo *gitexec.Repo, db *gitexec.ODB) (Branch, error) {
	tip, err := shadow.CheckpointsTip(repo, db)
	if err != nil {
		return Branch{}, err
	}
	b, err := ReadBranch(db, tip)
	if err != nil {
		return b, err
	}
	b.fetched = &fetched{read: sync.OnceValue(func() []Branch { return readFetched(ctx, repo, db, b.Tree) })}
	return b, nil
}

// mostFetched is how many remote-tracking branches are read: a remote may have branches whose names
// look like them.
const mostFetched = 100

// readFetched reads the remote-tracking branches whose trees are others than the one given. What
// cannot be read there is as good as not fetched.
func readFetched(ctx context.Context, repo *gitexec.Repo, db *gitexec.ODB, known gitexec.OID) []Branch {
	refs, err := repo.Refs(ctx, fetchedRefs)
	if err != nil {
		return nil
	}
	slices.SortStableFunc(refs, func(a, b gitexec.Ref) int {
		switch {
		case a.Name == ofOrigin:
			return -1
		case b.Name == ofOrigin:
			return 1
		}
		return strings.Compare(a.Name, b.Name)
	})
	var all []Branch
	for _, ref := range refs[:min(mostFetched, len(refs))] {
		if ref.Type != "commit" {
			continue
		}
		commits, err := db.Commits(ref.ID)
		if err != nil || commits[0].Tree == known || slices.ContainsFunc(all, func(o Branch) bool { return o.Tree == commits[0].Tree }) {
			continue
		}
		all = append(all, Branch{Tip: ref.ID, Tree: commits[0].Tree})
	}
	return all
}

// others are the remotes' branches, if the branch was read together with them.
func (b Branch) others() []Branch {
	if b.fetched == nil {
		return nil
	}
	b.fetched.asked = true
	return b.fetched.read()
}

// Tips are the last commits of the branch and of the remotes'.
func (b Branch) Tips() []gitexec.OID {
	var all []gitexec.OID
	for _, one := range append([]Branch{b}, b.others()...) {
		if one.Tip != "" {
			all = append(all, one.Tip)
		}
	}
	return all
}

// Own is the branch without the remotes'.
func (b Branch) Own() Branch {
	b.fetched = nil
	return b
}

// root gives the tree that holds a checkpoint: the branch's own unless only a remote's has it.
func (b Branch) root(db *gitexec.ODB, id string) gitexec.OID {
	holds := func(tree gitexec.OID) (bool, error) {
		shard, err := readShard(db, tree, id[:2])
		return shard[id[2:]].Exists(), err
	}
	if b.fetched == nil {
		return b.Tree
	}
	if here, err := holds(b.Tree); here || err != nil {
		return b.Tree
	}
	for _, other := range b.others() {
		if there, _ := holds(other.Tree); there {
			return other.Tree
		}
	}
	return b.Tree
}

// withPrefix lists the IDs of the checkpoints that begin so, sorted. An error is one of the
// branch's own directories.
func (b Branch) withPrefix(db *gitexec.ODB, prefix string) ([]string, error) {
	found, err := idsIn(db, b.Tree, prefix)
	if err != nil || slices.Contains(found, prefix) {
		return found, err
	}
	for _, other := range b.others() {
		more, _ := idsIn(db, other.Tree, prefix)
		found = append(found, more...)
	}
	slices.Sort(found)
	return slices.Compact(found), nil
}

// idsIn lists the checkpoints of a tree whose IDs begin so.
func idsIn(db *gitexec.ODB, root gitexec.OID, prefix string) (found []string, err error) {
	shard, err := readShard(db, root, prefix[:2])
	for name, e := range shard {
		if id := prefix[:2] + name; e.Exists() && ValidID(id) && strings.HasPrefix(id, prefix) {
			found = append(found, id)
		}
	}
	slices.Sort(found)
	return found, err
}

// shardOf is a directory of the first level, on the branch itself, which is 0, or on one of the
// remotes'.
type shardOf struct {
	gitexec.Entry
	branch int
}

// shards gives the directories of the first level, by name, of the branch and of the remotes':
// those that are the same object once.
func (b Branch) shards(db *gitexec.ODB) (map[string][]shardOf, error) {
	all := map[string][]shardOf{}
	for i, one := range append([]Branch{b}, b.others()...) {
		if one.Tree == "" {
			continue
		}
		root, err := conversation.Dir(db, gitexec.Entry{Mode: gitexec.ModeTree, ID: one.Tree}, shadow.Checkpoints)
		if err != nil && (i == 0 || !errors.Is(err, ErrDamaged)) {
			return nil, err
		}
		for name, e := range root {
			known := slices.ContainsFunc(all[name], func(s shardOf) bool { return s.Entry == e })
			if ValidID(name+"0000000000") && !known && (i == 0 || e.IsTree()) {
				all[name] = append(all[name], shardOf{e, i})
			}
		}
	}
	return all, nil
}
