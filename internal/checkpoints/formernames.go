package checkpoints

import (
	"slices"

	"entire-plumb/gitexec"
	"entire-plumb/internal/ledger"
)

// mostFormer is how many commits are looked at for renames of a file, and how many of the files
// that one of them takes away: as many as branches may be behind whose version is sought.
const mostFormer = 50

// FormerNames are the names that a file of a commit had in its first-parent history, the latest
// first: a commit there took one away and added the next one, which is like it. They end where
// trees are missing.
func FormerNames(db *gitexec.ODB, commit gitexec.OID, path gitexec.Path) (names []gitexec.Path, err error) {
	if commit == "" || commit.IsZero() {
		return nil, nil
	}
	line, err := db.Ancestors(commit, mostFormer)
	if err != nil {
		return nil, err
	}
	var now gitexec.Entry
	for i, c := range line {
		found, err := db.Files(c.Tree, path)
		if gitexec.IsMissing(err) || i == 0 && !found[0].Exists() {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		if !found[0].Exists() { // the commit after it added the file
			if path, err = nameBefore(db, c.Tree, line[i-1].Tree, now); path == "" || err != nil {
				return names, err
			}
			names = append(names, path)
			if found, err = db.Files(c.Tree, path); err != nil {
				return names, err
			}
		}
		now = found[0]
	}
	return names, nil
}

// mostNamed is how many files' former names are sought for a commit: each takes up to mostFormer
// look-ups, and the user waits.
const mostNamed = 100

// formerNames are those of a file before the commit, where a side lacks it.
func formerNames(g *gathering, path gitexec.Path) (names []gitexec.Path, err error) {
	names, known := g.former[path]
	if known || len(g.former) >= mostNamed {
		return names, nil
	}
	if g.former == nil {
		g.former = map[gitexec.Path][]gitexec.Path{}
	}
	names, err = FormerNames(g.db, g.before, path)
	g.former[path] = names
	return names, err
}

// nameBefore is the name of the file that a commit took away and that has become another one. It is
// empty if there is none.
func nameBefore(db *gitexec.ODB, before, tree gitexec.OID, version gitexec.Entry) (gitexec.Path, error) {
	changes, err := db.DiffTrees(before, tree)
	if err != nil || !version.IsFile() {
		return "", err
	}
	book, gone := ledger.New(), []*ledger.Version(nil)
	changes = slices.DeleteFunc(changes, func(c gitexec.Change) bool { return c.New.Exists() || !c.Old.IsFile() })
	for _, c := range changes[:min(len(changes), mostFormer)] {
		data, err := db.Blob(c.Old.ID, LargestCompared)
		if err == nil && !gitexec.IsBinary(data) {
			gone = append(gone, book.Add(string(c.Path), string(c.Old.ID), data))
		}
	}
	if len(gone) == 0 {
		return "", nil
	}
	data, err := db.Blob(version.ID, LargestCompared)
	if err != nil || gitexec.IsBinary(data) {
		return "", nil // it can't be compared
	}
	if v := book.Likest(data, nil, gone); v != nil {
		return gitexec.Path(v.Path), nil
	}
	return "", nil
}
