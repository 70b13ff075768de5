package works

import (
	"maps"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/shadow"
	"entire-plumb/suffix"
)

// Since is what commits did after the work on a stream, where they may have renamed its files.
type Since struct {
	Added   map[gitexec.Path]bool // files that the stream's base lacks
	Removed map[gitexec.Path]bool // files of the work
}

// SinceBase compares a stream's base with the version under changes, which go from that one to
// another, and in which the files of the work that are gone from the worktree don't occur. It reads
// nothing where there are none. Both maps are nil where the base isn't known, and empty where
// nothing of the kind was done.
func SinceBase(
	db *gitexec.ODB, s shadow.Stream, work []suffix.Change, changes []gitexec.Change, gone func(gitexec.Path) bool,
) (Since, error) {
	since := Since{Added: map[gitexec.Path]bool{}, Removed: map[gitexec.Path]bool{}}
	changed := map[gitexec.Path]bool{}
	var modified []gitexec.Path
	for _, c := range changes {
		changed[c.Path] = true
		// A file that the change adds is found by the search for renames anyway. One that is
		// modified may have come with a rename in an earlier commit, and looks like no new file.
		if c.Old.Exists() && c.New.Exists() {
			modified = append(modified, c.Path)
		}
	}
	if len(modified) == 0 {
		return since, nil
	}
	for _, c := range work {
		// The work's file is not in the change, and not in the worktree: a commit in between has
		// removed or renamed it.
		if !changed[c.Path] && c.After.Exists() && gone(c.Path) {
			since.Removed[c.Path] = true
		}
	}
	if len(since.Removed) == 0 {
		return since, nil
	}
	found, err := AtBase(db, s, modified)
	if err != nil || found == nil {
		return Since{}, err
	}
	for i, path := range modified {
		if !found[i].Exists() {
			since.Added[path] = true
		}
	}
	return since, nil
}

// AtBase looks files up in a stream's base, where none is there if the stream began before the
// first commit; nil where the base is not known.
func AtBase(db *gitexec.ODB, s shadow.Stream, paths []gitexec.Path) ([]gitexec.Entry, error) {
	history, err := s.History(db)
	switch {
	case err != nil:
		return nil, err
	case history[0].Before != "":
		return db.Lookup(history[0].Before, paths...)
	// Another program's stream doesn't say on which commit it began.
	case history[0].Foreign():
		return nil, nil
	}
	return make([]gitexec.Entry, len(paths)), nil
}

// Added lists the files that commits have added since the works were done: see SinceBase.
func Added(
	db *gitexec.ODB, works []condense.Work, changes []gitexec.Change, gone func(gitexec.Path) bool,
) (map[gitexec.Path]bool, error) {
	added := map[gitexec.Path]bool{}
	for _, w := range works {
		since, err := SinceBase(db, *w.Stream, w.Changes, changes, gone)
		if err != nil {
			return nil, err
		}
		maps.Copy(added, since.Added)
	}
	return added, nil
}
