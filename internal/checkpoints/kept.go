package checkpoints

import (
	"maps"

	"entire-plumb/gitexec"
	"entire-plumb/internal/conversation"
	"entire-plumb/shadow"
)

// KeptRef holds, as the branch does, the checkpoints that were here and that a union with others
// has taken out or changed, until the user accepts that. Readers prefer them; they are never
// pushed.
const KeptRef = shadow.Private + "kept"

// withKept is a tree of the branch with what is kept in the place of what it has, held in memory.
func withKept(db *gitexec.ODB, root gitexec.OID) gitexec.OID {
	kept := treeOfCommit(db, KeptRef)
	if kept == "" {
		return root
	}
	all, err := overlaid(db, root, kept)
	// Where what is kept cannot be read, the branch is read as it is.
	if err != nil {
		return root
	}
	return all
}

func overlaid(db *gitexec.ODB, root, kept gitexec.OID) (gitexec.OID, error) {
	top := gitexec.Tree{}
	if root != "" {
		read, err := conversation.Dir(db, rootEntry(root), shadow.Checkpoints)
		if err != nil {
			return "", err
		}
		top = maps.Clone(read)
	}
	own, err := conversation.Dir(db, rootEntry(kept), KeptRef)
	if err != nil {
		return "", err
	}
	for name, e := range own {
		// Only checkpoints are kept: links and the list are the branch's own.
		if !ValidShard(name) || !e.IsTree() {
			continue
		}
		over, err := conversation.Dir(db, e, name)
		if err != nil {
			continue
		}
		shard := maps.Clone(over)
		if top[name].IsTree() {
			below, err := conversation.Dir(db, top[name], name)
			if err != nil {
				continue // other commands name the damage
			}
			shard = maps.Clone(below)
			maps.Copy(shard, over)
		}
		id, err := db.Hold(shard)
		if err != nil {
			return "", err
		}
		top[name] = gitexec.Entry{Mode: gitexec.ModeTree, ID: id}
	}
	return db.Hold(top)
}

// Keeping changes what is kept: Lost are checkpoints of a tree of the branch before, which are
// added.
type Keeping struct {
	Kept   gitexec.OID // the tree of what was kept; empty: nothing was
	Before gitexec.OID
	Lost   []string
	Now    gitexec.OID // the tree of the branch; what it has all of isn't kept any more
	Accept bool        // what is on its list of what is purged isn't either
}

// Keep returns the tree of what is kept, empty: nothing is, and the checkpoints of which a purge
// was accepted.
func Keep(db *gitexec.ODB, k Keeping) (tree gitexec.OID, accepted []string, err error) {
	edits := gitexec.Edits{}
	had, err := idsIn(db, k.Kept)
	if err != nil {
		return "", nil, err
	}
	purged, err := ReadPurged(db, k.Now)
	if err != nil {
		return "", nil, err
	}
	list := &uniting{db: db, Sides: Sides{Ours: k.Now}}
	all := map[string]bool{}
	for _, id := range had {
		// The branch has it again, whole: there is nothing to keep.
		gone := hasCheckpoint(db, k.Now, k.Kept, id)
		if !gone && k.Accept {
			if gone, err = listed(db, purged, list, k.Kept, id); err != nil {
				return "", nil, err
			}
			if gone {
				accepted = append(accepted, id)
			}
		}
		if gone {
			edits[gitexec.Path(Dir(id))] = gitexec.Entry{}
		} else {
			all[id] = true
		}
	}
	for _, id := range k.Lost {
		if all[id] {
			continue // what was here first stays
		}
		found, err := db.Lookup(k.Before, gitexec.Path(Dir(id)))
		if err != nil {
			return "", nil, err
		}
		edits[gitexec.Path(Dir(id))] = found[0]
		all[id] = true
	}
	// The ref goes, and not an empty tree of it.
	if len(all) == 0 {
		return "", accepted, nil
	}
	root := k.Kept
	if root == "" {
		if root, err = db.WriteTree(gitexec.Tree{}); err != nil {
			return "", nil, err
		}
	}
	tree, err = db.EditTree(root, edits)
	return tree, accepted, err
}

// idsIn lists the checkpoints of a tree.
func idsIn(db *gitexec.ODB, root gitexec.OID) (ids []string, err error) {
	if root == "" {
		return nil, nil
	}
	err = eachShard(db, Branch{Tree: root}, func(shard string, _ gitexec.Tree, names []string, _ error) error {
		for _, name := range names {
			ids = append(ids, shard+name)
		}
		return nil
	})
	return ids, err
}

// listed reports whether a checkpoint, or a file in it, is on the list of what is purged.
func listed(db *gitexec.ODB, purged *PurgedList, list *uniting, root gitexec.OID, id string) (bool, error) {
	if p, err := purged.Get(id); err == nil && p != nil {
		return true, nil
	}
	found, err := db.Lookup(root, gitexec.Path(Dir(id)))
	if err != nil {
		return false, err
	}
	return list.holdsPurged(gitexec.Tree{"": found[0]}, mostLevels)
}
