package works

import (
	"bytes"
	"errors"
	"maps"
	"slices"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/ledger"
	"entire-plumb/internal/session"
	"entire-plumb/suffix"
)

// mostLinked is how many linked commits may have what a commit brings back, mostSources how many of them
// count, and mostCompared how many versions of its files are compared, up to so many bytes.
const mostLinked, mostSources, mostCompared, mostComparedBytes = 60, 20, 100, 8 << 20

// Brought lists the sessions' linked commits from which changes bring lines back, whatever command did
// it: git checkout or restore of a file, a cherry-pick or a squash without a commit, an old version of
// a file. Of what a stream has in the same version, its sessions' part is work of its own, and counts only
// as it was before. The latest commits come first.
func Brought(db *gitexec.ODB, states []*session.State, changes []gitexec.Change, streams []condense.Work) ([]gitexec.OID, error) {
	changes = slices.Clone(changes)
	var gone []gitexec.Entry // a new file may be one of these under another name
	for i, c := range changes {
		if changes[i].New = beforeWork(streams, c); !c.New.Exists() && len(gone) < mostGone {
			gone = append(gone, c.Old)
		}
	}
	changes = slices.DeleteFunc(changes, func(c gitexec.Change) bool { return !c.New.Exists() || c.New == c.Old })
	paths := make([]gitexec.Path, len(changes))
	for i, c := range changes {
		paths[i] = c.Path
	}
	commits, err := linkedCommits(db, states, paths)
	if err != nil || len(commits) == 0 {
		return nil, err
	}
	var sources []gitexec.OID
	compared, read := 0, 0
	files := make([]*broughtFile, len(changes))
	for _, commit := range commits {
		found, err := db.Files(commit.Tree, paths...)
		if missing := new(gitexec.MissingError); errors.As(err, &missing) { // of a partial clone
			continue
		}
		if err != nil {
			return nil, err
		}
		var made []int // the files that this commit may have changed to what is brought
		for i, e := range found {
			if !e.Exists() || e == changes[i].Old {
				continue
			}
			more := compared < mostCompared && read < mostComparedBytes
			if files[i] == nil && more {
				if files[i], err = readBrought(db, changes[i], gone); err != nil {
					return nil, err
				}
				read += files[i].size
			}
			if files[i] == nil {
				continue
			}
			brings, known := files[i].compared[e]
			if !known && more {
				size := 0
				if brings, size, err = files[i].brings(db, e); err != nil {
					return nil, err
				}
				compared, read, files[i].compared[e] = compared+1, read+size, brings
			}
			if brings {
				made = append(made, i)
			}
		}
		if len(made) == 0 {
			continue
		}
		before, err := before(db, commit, paths)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(made, func(i int) bool { return before == nil || before[i] != found[i] }) {
			sources = append(sources, commit.ID)
		}
		if len(sources) == mostSources {
			break
		}
	}
	return sources, nil
}

// beforeWork is the version that a change makes, before the work of a stream which has that very one.
func beforeWork(streams []condense.Work, c gitexec.Change) gitexec.Entry {
	for _, w := range streams {
		for _, of := range w.Changes {
			if of.Path == c.Path && of.After == c.New {
				return of.Before
			}
		}
	}
	return c.New
}

// OwnLines leaves of what a linked commit did the lines that the link records as the session's, in the
// version that it records: other new ones are of other sessions, or the human's.
func OwnLines(db *gitexec.ODB, w condense.Work) (condense.Work, error) {
	recorded, err := checkpoints.LinesOf(db, w.Link.Tree)
	if err != nil {
		return w, err
	}
	var own []suffix.Change
	for _, c := range w.Changes {
		f, known := recorded[c.Path]
		if !known {
			own = append(own, c)
			continue
		}
		version := gitexec.Entry{Mode: c.After.Mode, ID: f.Blob}
		data, ok, err := textOf(db, version)
		if err != nil {
			return w, err
		}
		if !ok {
			own = append(own, c)
			continue
		}
		c.After = version
		owners, _ := f.Spread(bytes.Count(data, []byte("\n")) + 1)
		var rest []byte
		n := 0
		for line := range bytes.Lines(data) {
			if n++; owners[n] == nil || owners[n].Session != w.Session.SessionID {
				rest = append(rest, line...)
			}
		}
		if len(rest) == len(data) {
			continue
		}
		if len(rest) > 0 || c.Before.Exists() {
			c.Before = c.After
			if c.Before.ID, err = db.WriteBlob(rest); err != nil {
				return w, err
			}
		}
		own = append(own, c)
	}
	w.Changes = own
	return w, nil
}

// linkedCommits are the latest ones of the sessions' that may concern some files, latest first. Those that
// git has pruned are omitted.
func linkedCommits(db *gitexec.ODB, states []*session.State, paths []gitexec.Path) ([]gitexec.Commit, error) {
	var links []session.Link
	for _, s := range states {
		for _, l := range s.Linked {
			if len(l.Files) == 0 || slices.ContainsFunc(paths, func(path gitexec.Path) bool { return slices.Contains(l.Files, path) }) {
				links = append(links, l)
			}
		}
	}
	slices.SortStableFunc(links, func(a, b session.Link) int { return b.When.Compare(a.When) })
	var ids []gitexec.OID
	for _, l := range links {
		if !slices.Contains(ids, l.Commit) && len(ids) < mostLinked {
			ids = append(ids, l.Commit)
		}
	}
	return Place{DB: db}.commits(ids...)
}

// before looks files up in a commit's parent; nil where that is missing.
func before(db *gitexec.ODB, commit gitexec.Commit, paths []gitexec.Path) ([]gitexec.Entry, error) {
	tree, err := db.ParentTree(commit)
	if missing := new(gitexec.MissingError); errors.As(err, &missing) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return db.Files(tree, paths...)
}

// broughtFile is a file's new version, and its lines that the old one hasn't, by how much they say.
type broughtFile struct {
	book     *ledger.Book
	now      gitexec.Entry
	new      map[ledger.ID]int
	came     map[ledger.ID]bool // of these: what commits have from which it brings lines
	size     int                // of both versions
	isText   bool
	isNew    bool                   // there was no file
	compared map[gitexec.Entry]bool // whether it brings lines of other versions
}

func readBrought(db *gitexec.ODB, c gitexec.Change, gone []gitexec.Entry) (*broughtFile, error) {
	f := &broughtFile{book: ledger.New(), now: c.New, new: map[ledger.ID]int{}, came: map[ledger.ID]bool{}, isNew: !c.Old.Exists(),
		compared: map[gitexec.Entry]bool{}}
	now, ok, err := textOf(db, c.New)
	if f.isText = ok; err != nil || !ok {
		return f, err
	}
	f.size = len(now)
	for _, id := range f.book.Text(now) {
		f.new[id] = f.book.Letters(id)
	}
	old := []gitexec.Entry{c.Old}
	if f.isNew {
		old = gone
	}
	for _, e := range old {
		was, _, err := textOf(db, e)
		if err != nil {
			return f, err
		}
		f.size += len(was)
		for _, id := range f.book.Text(was) {
			delete(f.new, id)
		}
	}
	return f, nil
}

// brings reports whether the new version may have lines of another one: two that say much, all of its
// new ones, everything, or some that came with a later version, which may have them from this one. A new
// file that says nothing, such as an empty one, may be anybody's. size is how much was read.
func (f *broughtFile) brings(db *gitexec.ODB, e gitexec.Entry) (brings bool, size int, err error) {
	if e == f.now && !(f.isText && f.isNew) {
		for id := range f.new {
			f.came[id] = true
		}
		return true, 0, nil
	}
	if len(f.new) == 0 {
		return false, 0, nil
	}
	data, ok, err := textOf(db, e)
	if err != nil || !ok {
		return false, 0, err
	}
	weight, came, seen := 0, 0, map[ledger.ID]bool{}
	for _, id := range f.book.Text(data) {
		letters, isNew := f.new[id]
		if !isNew || seen[id] {
			continue
		}
		weight, seen[id] = weight+letters, true
		if f.came[id] {
			came += letters
		}
	}
	if weight >= 2*ledger.Evidence || came >= ledger.Evidence || weight >= ledger.Evidence && len(seen) == len(f.new) {
		maps.Copy(f.came, seen)
		brings = true
	}
	return brings, len(data), nil
}
