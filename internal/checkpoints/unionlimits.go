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
		// `git~1` is the short name of `.git` on Windows file systems.
		!strings.HasPrefix(strings.ToLower(name), "git~")
}

// Limits of what is adopted from the other side: levels of directories below a checkpoint's, which
// has four (<session>/tasks/<tool use>/checkpoints), and entries in it. The others are room for
// later formats. A tree that names one below twice, and so on, has billions of entries at the
// thirtieth level.
const mostLevels, mostAdopted = 8, 100_000

// validate reads the directories of what is adopted, all of one level at once, and drops what holds
// anything but files and directories with harmless names.
func (u *uniting) validate() error {
	var work []adoptedDir
	entries := map[gitexec.Path]int{}
	for _, path := range u.adopted {
		work = append(work, adoptedDir{path, u.edits[path].ID})
	}
	drop := func(path gitexec.Path, why any) {
		if _, there := u.edits[path]; there {
			delete(u.edits, path)
			u.skip(string(path), why)
		}
	}
	// Level by level, so that git is asked for many directories at once.
	for range mostLevels {
		var next []adoptedDir
		// So many directories are in memory at once; one round trip for each some is as slow.
		for some := range slices.Chunk(work, 4096) {
			trees, err := u.readDirs(some, drop)
			if err != nil {
				return err
			}
			for i, tree := range trees {
				of := some[i].of
				if entries[of] += len(tree); entries[of] > mostAdopted {
					drop(of, "too large")
					continue
				}
				// Read and written again, it would have another ID.
				if !tree.IsAsWritten(some[i].id) {
					drop(of, "git writes no such directory: its names are out of order, or one is there twice")
					continue
				}
				for name, e := range tree {
					if why := unadoptable(name, e); why != "" {
						drop(of, why)
					} else if e.IsTree() {
						next = append(next, adoptedDir{of, e.ID})
					}
				}
			}
		}
		work = slices.DeleteFunc(next, func(d adoptedDir) bool { _, there := u.edits[d.of]; return !there })
		if len(work) == 0 {
			return nil
		}
	}
	for _, d := range work {
		drop(d.of, "its directories are too deep")
	}
	return nil
}

// adoptedDir is a directory of what is adopted.
type adoptedDir struct {
	of gitexec.Path
	id gitexec.OID
}

// readDirs reads directories, and drops what holds one that cannot be read.
func (u *uniting) readDirs(dirs []adoptedDir, drop func(path gitexec.Path, why any)) ([]gitexec.Tree, error) {
	ids := make([]gitexec.OID, len(dirs))
	for i, d := range dirs {
		ids[i] = d.id
	}
	trees, err := u.db.TreesUpTo(conversation.MostDirectory, ids...)
	if err == nil {
		return trees, nil
	}
	if err := u.db.Canceled(); err != nil {
		return nil, err
	}
	trees = make([]gitexec.Tree, len(dirs)) // one of them cannot be read: find out which
	for i, d := range dirs {
		one, err := u.db.TreesUpTo(conversation.MostDirectory, d.id)
		if err != nil {
			drop(d.of, err)
			continue
		}
		trees[i] = one[0]
	}
	return trees, nil
}

// unadoptable is why a directory with an entry is not adopted; empty: nothing is wrong with it.
func unadoptable(name string, e gitexec.Entry) string {
	switch {
	case !harmlessName(name):
		return fmt.Sprintf("it holds the name %q", name)
	case !e.IsTree() && e.Mode != gitexec.ModeFile:
		return fmt.Sprintf("%s is not a file", name)
	}
	return ""
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
			if e == known[name] || seen[e.ID] {
				continue
			}
			if !namesTop(name, e) {
				return false, nil
			}
			seen[e.ID] = true
			if ok, err := onlyNamedIn(db, name, e); !ok || err != nil {
				return false, err
			}
		}
	}
	return true, nil
}

// onlyNamedIn is likewise for a directory at the top.
func onlyNamedIn(db *gitexec.ODB, name string, dir gitexec.Entry) (bool, error) {
	below, err := conversation.Dir(db, dir, name)
	if err != nil {
		return false, db.Canceled()
	}
	for rest, e := range below {
		if !namesBelow(name, rest, e) {
			return false, nil
		}
	}
	return true, nil
}

// namesTop reports whether an entry at the top of the branch is by its name one of checkpoints, of
// links, or of the list of what is purged.
func namesTop(name string, e gitexec.Entry) bool {
	return e.IsTree() && (ValidShard(name) || name == linksDir || name == purgedDir)
}

// namesBelow is likewise for an entry in one of these.
func namesBelow(name, rest string, e gitexec.Entry) bool {
	if ValidShard(name) {
		return e.IsTree() && ValidID(name+rest)
	}
	return e.IsTree() && ValidShard(rest)
}
