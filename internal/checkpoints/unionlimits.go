package checkpoints

import (
	"fmt"
	"slices"
	"strings"

	"entire-plumb/gitexec"
	"entire-plumb/internal/conversation"
)

// harmlessName reports whether a directory may hold such a name on any system.
func harmlessName(name string) bool {
	return name != "" && name != "." && name != ".." && !strings.EqualFold(name, ".git") && !strings.ContainsAny(name, "/\\:\x00\n") &&
		!strings.HasPrefix(strings.ToLower(name), "git~")
}

// Limits of what is adopted from the other side: levels of directories below a checkpoint's, and
// entries in it.
const mostLevels, mostAdopted = 8, 100_000

// validate reads the directories of what is adopted, all of one level at once, and drops what holds
// anything but files and directories with harmless names.
func (u *uniting) validate() error {
	type dir struct {
		of gitexec.Path
		id gitexec.OID
	}
	var work []dir
	entries := map[gitexec.Path]int{}
	for _, path := range u.adopted {
		work = append(work, dir{path, u.edits[path].ID})
	}
	drop := func(path gitexec.Path, why any) {
		if _, there := u.edits[path]; there {
			delete(u.edits, path)
			u.skip(string(path), why)
		}
	}
	for range mostLevels {
		var next []dir
		for some := range slices.Chunk(work, 4096) {
			ids := make([]gitexec.OID, len(some))
			for i, d := range some {
				ids[i] = d.id
			}
			trees, err := u.db.TreesUpTo(conversation.MostDirectory, ids...)
			if err != nil { // one of them: find out which
				if err := u.db.Canceled(); err != nil {
					return err
				}
				trees = make([]gitexec.Tree, len(some))
				for i, d := range some {
					one, err := u.db.TreesUpTo(conversation.MostDirectory, d.id)
					if err != nil {
						drop(d.of, err)
						continue
					}
					trees[i] = one[0]
				}
			}
			for i, tree := range trees {
				of := some[i].of
				if entries[of] += len(tree); entries[of] > mostAdopted {
					drop(of, "too large")
					continue
				}
				for name, e := range tree {
					switch {
					case !harmlessName(name):
						drop(of, fmt.Sprintf("it holds the name %q", name))
					case e.IsTree():
						next = append(next, dir{of, e.ID})
					case e.Mode != gitexec.ModeFile:
						drop(of, fmt.Sprintf("%s is not a file", name))
					}
				}
			}
		}
		work = slices.DeleteFunc(next, func(d dir) bool { _, there := u.edits[d.of]; return !there })
		if len(work) == 0 {
			return nil
		}
	}
	for _, d := range work {
		drop(d.of, "its directories are too deep")
	}
	return nil
}

// OnlyNamed reports whether trees of the branch hold nothing but checkpoints, links and lists of
// what is purged, by the names of their directories; beside what the last of them has.
func OnlyNamed(db *gitexec.ODB, trees []gitexec.OID) (bool, error) {
	known, err := conversation.Dir(db, rootEntry(trees[len(trees)-1]), "")
	if err != nil {
		return false, db.Canceled()
	}
	seen := map[gitexec.OID]bool{}
	for _, id := range trees {
		top, err := conversation.Dir(db, rootEntry(id), "")
		if err != nil {
			return false, db.Canceled()
		}
		for name, e := range top {
			switch {
			case e == known[name] || seen[e.ID]:
				continue
			case !e.IsTree() || !ValidShard(name) && name != linksDir && name != purgedDir:
				return false, nil
			}
			seen[e.ID] = true
			below, err := conversation.Dir(db, e, name)
			if err != nil {
				return false, db.Canceled()
			}
			for rest, e := range below {
				if !e.IsTree() || ValidShard(name) && !ValidID(name+rest) || !ValidShard(name) && !ValidShard(rest) {
					return false, nil
				}
			}
		}
	}
	return true, nil
}
