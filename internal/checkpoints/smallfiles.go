package checkpoints

import (
	"strings"

	"entire-plumb/gitexec"
	"entire-plumb/internal/conversation"
)

// SmallFiles lists the blobs of a tree of the branch without those of conversations, each once:
// metadata, lines, hashes, and the links beside commits. seen are the objects that are listed
// already. It skips what cannot be read.
func SmallFiles(db *gitexec.ODB, root gitexec.OID, seen map[gitexec.OID]bool) (blobs []gitexec.OID, err error) {
	return files(db, rootEntry(root), seen, false)
}

// files lists the blobs of a directory, each once: without those of conversations, or all.
func files(db *gitexec.ODB, dir gitexec.Entry, seen map[gitexec.OID]bool, all bool) (blobs []gitexec.OID, err error) {
	var walk func(path string, e gitexec.Entry, levels int) error
	walk = func(path string, e gitexec.Entry, levels int) error {
		if seen[e.ID] {
			return nil
		}
		seen[e.ID] = true
		tree, err := conversation.Dir(db, e, path)
		// The levels bound what a hostile tree can make us read.
		if err != nil || levels == 0 {
			return db.Canceled()
		}
		for name, below := range tree {
			switch {
			case below.IsTree() && (all || name != "tasks"):
				if err := walk(path+"/"+name, below, levels-1); err != nil {
					return err
				}
			case below.Mode == gitexec.ModeFile && (all || !strings.HasPrefix(name, "full.jsonl")) && !seen[below.ID]:
				seen[below.ID] = true
				blobs = append(blobs, below.ID)
			}
		}
		return nil
	}
	err = walk("", dir, mostLevels)
	return blobs, err
}

// Bring brings to a partial clone what it lacks of checkpoints, and of other objects, in one
// request. whole: with the conversations.
func Bring(db *gitexec.ODB, b Branch, ids []string, whole bool, others ...gitexec.OID) {
	if !db.Repo().Partial() {
		return
	}
	var dirs []gitexec.Entry
	for _, id := range ids {
		if dir, err := find(db, b.root(db, id), id); err == nil && dir.Exists() {
			dirs = append(dirs, dir)
		}
	}
	bring(db, dirs, whole, others...)
}

func bring(db *gitexec.ODB, dirs []gitexec.Entry, whole bool, others ...gitexec.OID) {
	if !db.Repo().Partial() {
		return
	}
	// To list what is missing reads all directories: that leaves the limit to what reads the files.
	defer db.Apart()()
	seen := map[gitexec.OID]bool{}
	for _, dir := range dirs {
		more, err := files(db, dir, seen, whole)
		if err != nil {
			return // it was canceled
		}
		others = append(others, more...)
	}
	db.Bring(others...)
}

// BringLinks brings to a partial clone what it lacks of the links beside commits.
func BringLinks(db *gitexec.ODB, b Branch, commits []gitexec.Commit) {
	if !db.Repo().Partial() {
		return
	}
	paths := make([]gitexec.Path, len(commits))
	for i, c := range commits {
		paths[i] = sideLinkPath(c.ID)
	}
	var blobs []gitexec.OID
	for _, root := range b.sideLinkRoots(db) {
		found, _ := db.Files(root, paths...)
		for _, e := range found {
			if e.Exists() {
				blobs = append(blobs, e.ID)
			}
		}
	}
	db.Bring(blobs...)
}
