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
	var now gitexec.Entry
	for i, c := range line {
		var found []gitexec.Entry
		if found, err = db.Files(c.Tree, path); err != nil {
			break
		}
		if !found[0].Exists() {
			if i == 0 {
				break
			}
			// The commit after it added the file.
			if path, err = nameBefore(db, c.Tree, line[i-1].Tree, now); path == "" || err != nil {
				break
			}
			names = append(names, path)
			if found, err = db.Files(c.Tree, path); err != nil {
				break
			}
		}
		now = found[0]
	}
	if gitexec.IsMissing(err) { // of a shallow or partial clone
		err = nil
	}
	return names, err
}

// MostNamed is how many files' former names are sought for a commit or a turn, largestFormer how
// large a file may be that is compared, and mostFormerBytes how many bytes are for one name: the
// user waits.
const MostNamed, largestFormer, mostFormerBytes = 20, 1 << 20, 8 << 20

// formerNames are those of a file before the commit, where a side lacks it.
func formerNames(g *gathering, path gitexec.Path) (names []gitexec.Path, err error) {
	names, known := g.former[path]
	if known || len(g.former) >= MostNamed {
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
	read := 0
	for _, c := range changes[:min(len(changes), mostFormer)] {
		data, err := db.Blob(c.Old.ID, largestFormer)
		if read += len(data); err == nil && !gitexec.IsBinary(data) && read <= mostFormerBytes {
			gone = append(gone, book.Add(string(c.Path), string(c.Old.ID), data))
		}
	}
	if len(gone) == 0 {
		return "", nil
	}
	data, err := db.Blob(version.ID, largestFormer)
	if err != nil || gitexec.IsBinary(data) {
		return "", nil // it can't be compared
	}
	if v := book.Likest(data, nil, gone); v != nil {
		return gitexec.Path(v.Path), nil
	}
	return "", nil
}
