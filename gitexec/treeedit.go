package gitexec

import (
	"sort"
	"strings"
)

// Edits are changes to a tree by path: an Entry to set, which may be a whole subtree, or the zero
// Entry to remove the file or directory.
type Edits map[Path]Entry

// EditTree applies edits to the tree root, and returns its new ID. It reads and writes only the
// directories on the edited paths, so its cost doesn't depend on the repository's size. If a file
// replaces a directory, or the reverse, the entry that is set wins. Empty directories are removed,
// as in git.
func (db *ODB) EditTree(root OID, edits Edits) (OID, error) {
	if len(edits) == 0 {
		return root, nil
	}
	top := &level{id: root, keep: true}
	for path, entry := range edits {
		top.add(string(path), entry)
	}
	levels := []*level{top}
	var all []*level
	for len(levels) > 0 {
		all = append(all, levels...)
		next, err := descend(db.Objects, levels)
		if err != nil {
			return "", err
		}
		levels = next
	}
	if err := writeLevels(db, all); err != nil {
		return "", err
	}
	return top.id, nil
}

// level is one directory on an edited path.
type level struct {
	id      OID // of the tree before, and after writeLevels of the edited one
	depth   int
	keep    bool             // the root stays even without entries
	puts    map[string]Entry // edits of this level's own entries
	below   map[string]*level
	entries Tree
	empty   bool
}

func (l *level) add(path string, entry Entry) {
	name, rest, deeper := strings.Cut(path, "/")
	if !deeper {
		if l.puts == nil {
			l.puts = map[string]Entry{}
		}
		l.puts[name] = entry
		return
	}
	if l.below == nil {
		l.below = map[string]*level{}
	}
	if l.below[name] == nil {
		l.below[name] = &level{depth: l.depth + 1}
	}
	l.below[name].add(rest, entry)
}

// hasPuts reports whether an entry is set here or below; removals alone create no directory.
func (l *level) hasPuts() bool {
	for _, e := range l.puts {
		if e.Exists() {
			return true
		}
	}
	for _, b := range l.below {
		if b.hasPuts() {
			return true
		}
	}
	return false
}

// descend reads the levels, applies their own edits, and returns the levels below with edits.
func descend(objects *Objects, levels []*level) ([]*level, error) {
	ids := make([]OID, len(levels))
	for i, l := range levels {
		ids[i] = l.id
	}
	trees, err := objects.Trees(ids...)
	if err != nil {
		return nil, err
	}
	var next []*level
	for i, l := range levels {
		l.entries = trees[i]
		l.apply()
		for name, below := range l.below {
			old := l.entries[name]
			// A file that is set here wins over edits below its name. Removals below a directory
			// that is not there change nothing.
			if put := l.puts[name]; put.Exists() && !put.IsTree() || !old.IsTree() && !below.hasPuts() {
				delete(l.below, name)
				continue
			}
			if old.IsTree() {
				below.id = old.ID
			}
			next = append(next, below)
		}
	}
	return next, nil
}

// apply applies the edits of the level's own entries.
func (l *level) apply() {
	for name, entry := range l.puts {
		if entry.Exists() {
			l.entries[name] = entry
			// A directory that is removed and has something set below it stays, for that.
		} else if below := l.below[name]; below == nil || !below.hasPuts() || !l.entries[name].IsTree() {
			delete(l.entries, name)
		}
	}
}

// takeBelow makes the edited directories below the level its entries.
func (l *level) takeBelow() {
	for name, below := range l.below {
		if below.empty {
			delete(l.entries, name)
		} else {
			l.entries[name] = Entry{Mode: ModeTree, ID: below.id}
		}
	}
}

// writeLevels stores the edited levels from the deepest up, all of one depth at once.
func writeLevels(db *ODB, all []*level) error {
	// A directory has the IDs of those below it: these are stored first.
	sort.SliceStable(all, func(i, j int) bool { return all[i].depth > all[j].depth })
	for len(all) > 0 {
		n := 0
		for n < len(all) && all[n].depth == all[0].depth {
			n++
		}
		var trees []Tree
		var stored []*level
		for _, l := range all[:n] {
			l.takeBelow()
			if l.empty = len(l.entries) == 0 && !l.keep; !l.empty {
				trees, stored = append(trees, l.entries), append(stored, l)
			}
		}
		ids, err := db.WriteTrees(trees...)
		if err != nil {
			return err
		}
		for i, l := range stored {
			l.id = ids[i]
		}
		all = all[n:]
	}
	return nil
}
