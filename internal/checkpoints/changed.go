package checkpoints

import (
	"slices"
	"strings"

	"entire-plumb/gitexec"
)

// The branch has entries: checkpoints, which are directories; links beside commits; what the list
// of purges names; and, at the top, what other programs may have put there.

// entryNames is how many names lead to the entries below a name at the top.
func entryNames(top string) int {
	switch {
	case ValidShard(top):
		return 2
	case top == linksDir || top == purgedDir:
		return 3
	}
	return 1
}

// EntryOf is the entry of the branch that a file is in.
func EntryOf(file gitexec.Path) gitexec.Path {
	names := strings.Split(string(file), "/")
	return gitexec.Path(strings.Join(names[:min(len(names), entryNames(names[0]))], "/"))
}

// EntryID is the ID of a checkpoint, given its entry; empty: the entry is another one.
func EntryID(entry gitexec.Path) string {
	shard, rest, _ := strings.Cut(string(entry), "/")
	if id := shard + rest; ValidShard(shard) && ValidID(id) {
		return id
	}
	return ""
}

// EntryCommit is the commit that a link is beside, given the link's entry; empty: the entry is
// another one.
func EntryCommit(entry gitexec.Path) gitexec.OID {
	names := strings.Split(string(entry), "/")
	if len(names) != 3 || names[0] != linksDir {
		return ""
	}
	if commit, ok := commitOfSideLink(names[1], names[2]); ok {
		return commit
	}
	return ""
}

// levelOf is a directory of two trees of the branch.
type levelOf struct {
	path     string // with a slash at its end; empty: the top
	names    int    // how many lead to an entry from here
	old, now gitexec.OID
}

// ChangedEntries lists the entries that differ between two trees of the branch, by path. It reads
// the directories above entries alone, and of those only what differs.
func ChangedEntries(db *gitexec.ODB, old, now gitexec.OID) (changes []gitexec.Change, err error) {
	levels := []levelOf{{old: old, now: now}}
	for len(levels) > 0 {
		var ids []gitexec.OID
		for _, l := range levels {
			ids = append(ids, l.old, l.now)
		}
		trees, err := db.Trees(ids...)
		if err != nil {
			return nil, err
		}
		var below []levelOf
		for i, l := range levels {
			for name := range merged(trees[2*i], trees[2*i+1]) {
				if was, is := trees[2*i][name], trees[2*i+1][name]; was != is {
					changes, below = l.compare(name, was, is, changes, below)
				}
			}
		}
		levels = below
	}
	slices.SortFunc(changes, func(a, b gitexec.Change) int { return strings.Compare(string(a.Path), string(b.Path)) })
	return changes, nil
}

// compare adds a name that differs to the changes, or, where it leads to entries, to the
// directories below.
func (l levelOf) compare(name string, was, is gitexec.Entry, changes []gitexec.Change, below []levelOf) ([]gitexec.Change, []levelOf) {
	left := l.names - 1
	if l.path == "" {
		left = entryNames(name) - 1
	}
	// A file in the place of a directory is one change: below it there are no entries.
	directories := (was.IsTree() || !was.Exists()) && (is.IsTree() || !is.Exists())
	if left == 0 || !directories {
		return append(changes, gitexec.Change{Path: gitexec.Path(l.path + name), Old: was, New: is}), below
	}
	return changes, append(below, levelOf{path: l.path + name + "/", names: left, old: was.ID, now: is.ID})
}

// NamedBeside are the checkpoints that each of some links names, as they are now, by the commit
// that it is beside. It skips what cannot be read.
func NamedBeside(db *gitexec.ODB, links []gitexec.Change) (map[gitexec.OID][]string, error) {
	var commits, blobs []gitexec.OID
	for _, c := range links {
		// Of a link that is deleted, or that is no file, nothing is read.
		if commit := EntryCommit(c.Path); commit != "" && c.New.Mode == gitexec.ModeFile {
			commits, blobs = append(commits, commit), append(blobs, c.New.ID)
		}
	}
	named := map[gitexec.OID][]string{}
	err := eachSideLink(db, commits, blobs, func(l *SideLink) { named[l.Commit] = l.Checkpoints })
	return named, err
}
