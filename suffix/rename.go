package suffix

import (
	"cmp"
	"slices"

	"entire-plumb/gitexec"
)

const (
	// mostRenames limits the pairs of files that are compared in one search; beyond it only equal
	// files are renames. It is some 30 files that are gone by 30 new ones. Git's diff.renameLimit
	// of 1,000 is for each side, a million pairs; here a commit waits, and a pair may be read from
	// two blobs of 4 MiB. It is not measured: half of it or double changes no case.
	mostRenames = 1000
	// likeness is how much of the old file, in percent, the new one has if it is a rename: git's
	// default (diff -M). With 25 a new file that shares its head with one that is gone is a rename;
	// with 100 none is that was edited (TestFollowRenames).
	likeness = 50
	// mostBack limits the files of which the worktree's version is read, each of up to 1 MiB.
	// Beyond it a file counts as not back, so that work in it is not followed to a new name.
	mostBack = 50
)

// Renaming asks for the names that the files of pieces of work have in another version.
type Renaming struct {
	Works   [][]Change
	Version []gitexec.Change // from the version under it
	// Since are files of the version under it that commits have added since the work was done.
	Since map[gitexec.Path]bool
	// InTurn reports whether work, by its index, may have made the rename itself: that it is in the
	// new file is no reason against it. nil: none may.
	InTurn func(int) bool
	Gone   func(gitexec.Path) bool // the worktree lacks a file
	// Back reports whether the worktree has a file again in the version before the work, as after a
	// reset or a stash of its removal: then the work is in the new file alone. nil: not known.
	Back  func(gitexec.Path, gitexec.Entry) bool
	Texts Texts
}

// FollowRenames gives pieces of work the names that their files have in another version. A file is
// renamed if the worktree lacks it, or has it as it was before the work, and the version, or a
// commit since the work was done, adds one with the same content, or half of it, and that no work
// is in, unless work removed the old one or went on from its very version in the new one. Else it
// is a copy, or two files that happen to be alike. That the version still has the old file is no
// reason against it: its removal may be staged later. It also returns the version's changes, in
// which a rename goes from the old file's version: that of the work, or one that the version itself
// renames to the same file. Both results have the order and the lengths of q's. Its errors are
// those of the texts.
func FollowRenames(q Renaming) ([][]Change, []gitexec.Change, error) {
	works, version := q.Works, q.Version
	r := newRenames(q)
	if len(r.added) == 0 {
		return works, version, nil
	}
	byPath, gone := gitexec.ByPath(version), q.gone()
	// This round finds the names, by the version of each work. The next one gives them to all
	// works: a second session may have changed the file beyond recognition.
	for _, w := range works { // one work's version of a file may show what another's doesn't
		for _, file := range ByFile(w) {
			last := file[len(file)-1]
			// A file that the version itself still changes, that the work deleted, or that is still
			// there is no rename.
			if byPath[last.Path].New.Exists() || !last.After.Exists() || !gone(file) {
				continue
			}
			if _, err := r.find(last.Path, last.After); err != nil {
				return nil, nil, err
			}
		}
	}
	var itself []Change // the version, with its own renames
	before := map[gitexec.Path]gitexec.Entry{}
	works = slices.Clone(works)
	for i, w := range works {
		names := map[gitexec.Path]gitexec.Path{}
		for _, file := range ByFile(w) {
			last := file[len(file)-1]
			at, found := r.to[last.Path]
			if !found || !last.After.Exists() || !gone(file) {
				continue
			}
			to := r.added[at].Path
			names[last.Path] = to
			// The version removes the old file: the new one goes from its version. Lines that it
			// had are not new.
			if c, changed := byPath[last.Path]; changed {
				before[to] = c.Old
				continue
			}
			if itself == nil { // an earlier commit may have renamed the work's file to one that this version renames
				var err error
				if itself, err = FromOldFiles(ChangesOf(version), q.Texts); err != nil {
					return nil, nil, err
				}
			}
			before[to] = itself[slices.IndexFunc(itself, func(c Change) bool { return c.Path == to })].Before
		}
		works[i] = renamed(w, names)
	}
	version = slices.Clone(version)
	for i, c := range version {
		if old, known := before[c.Path]; known {
			version[i].Old = old
		}
	}
	return works, version, nil
}

// gone reports of files of work whether the worktree lacks them, or has them again as they were
// before. It reads at most mostBack of them.
func (q Renaming) gone() func(file []Change) bool {
	asked := map[gitexec.Change]bool{}
	return func(file []Change) bool {
		first, last := file[0], file[len(file)-1]
		// A file that the work added can't be back, and one that it left as it was always looks as
		// if it were: of these only whether the worktree lacks them counts.
		if q.Gone(last.Path) || q.Back == nil || !first.Before.Exists() || first.Before == last.After {
			return q.Gone(last.Path)
		}
		before := gitexec.Change{Path: first.Path, Old: first.Before}
		if _, known := asked[before]; !known && len(asked) < mostBack {
			asked[before] = q.Back(first.Path, first.Before)
		}
		return asked[before]
	}
}

// renamed gives the files of changes other names.
func renamed(changes []Change, names map[gitexec.Path]gitexec.Path) []Change {
	changes = slices.Clone(changes)
	for i, c := range changes {
		if name, ok := names[c.Path]; ok {
			changes[i].Path, changes[i].Was = name, cmp.Or(c.Was, c.Path)
		}
	}
	return changes
}

// renames finds new names for files.
type renames struct {
	added    []gitexec.Change                 // files of the version
	equal    map[gitexec.OID][]int            // their indexes, by content
	known    map[gitexec.Path]bool            // files that work is in
	began    map[gitexec.Path][]gitexec.Entry // the versions that it began with
	removed  map[gitexec.Path]bool            // files that work removed
	texts    Texts
	to       map[gitexec.Path]int // found: the index of the added file
	sought   map[gitexec.Path][]gitexec.Entry
	compared int

	backwards bool // from new files to old ones
}

func newRenames(q Renaming) *renames {
	r := &renames{known: map[gitexec.Path]bool{}, began: map[gitexec.Path][]gitexec.Entry{}, removed: map[gitexec.Path]bool{}, texts: q.Texts, to: map[gitexec.Path]int{},
		equal: map[gitexec.OID][]int{}, sought: map[gitexec.Path][]gitexec.Entry{}}
	for i, w := range q.Works {
		// A turn in progress may have renamed the file itself: then it has the new file among its
		// changes.
		if q.InTurn != nil && q.InTurn(i) {
			continue
		}
		for _, c := range w {
			r.known[c.Path] = true
			r.began[c.Path] = append(r.began[c.Path], c.began()...)
			if !c.After.Exists() {
				r.removed[c.Path] = true
			}
		}
	}
	for _, c := range q.Version {
		// New in this version, or since the work was done.
		if (!c.Old.Exists() || q.Since[c.Path]) && c.New.Exists() {
			r.equal[c.New.ID] = append(r.equal[c.New.ID], len(r.added))
			r.added = append(r.added, c)
		}
	}
	return r
}

// began lists the versions that a change went on from, and those that it carries forward.
func (c Change) began() []gitexec.Entry {
	all := []gitexec.Entry{c.Before}
	for _, of := range c.Of {
		all = append(all, of.began()...)
	}
	return all
}

// may reports whether a version of a file may have been renamed to an added one.
func (r *renames) may(from gitexec.Path, version gitexec.Entry, to gitexec.Path) bool {
	// No work is in the new file; or an agent removed the old one, or went on in the new one from
	// this very version.
	return !r.known[to] || r.removed[from] || slices.Contains(r.began[to], version)
}

// find returns the index of the added file that another one with this version was renamed to; -1 if
// there is none. The first of equal ones is taken.
func (r *renames) find(path gitexec.Path, version gitexec.Entry) (int, error) {
	if at, ok := r.to[path]; ok {
		return at, nil
	}
	// Sought in vain: another work may still have another version of the file.
	if slices.Contains(r.sought[path], version) {
		return -1, nil
	}
	r.sought[path] = append(r.sought[path], version)
	// The same content decides, whatever others have in common with it. The mode may differ.
	best, most, equal := -1, likeness-1, r.equal[version.ID]
	if at := slices.IndexFunc(equal, func(i int) bool { return r.may(path, version, r.added[i].Path) }); at >= 0 {
		best = equal[at]
	}
	// A search that would pass the limit isn't begun: to compare with some of the files could find
	// the wrong one.
	if best < 0 && r.compared+len(r.added) <= mostRenames {
		r.compared += len(r.added)
		before, _, err := r.texts.Lines(version)
		if err != nil {
			return -1, err
		}
		for i, c := range r.added {
			if len(before) == 0 {
				break
			}
			if !r.may(path, version, c.Path) {
				continue
			}
			after, _, err := r.texts.Lines(c.New)
			if err != nil {
				return -1, err
			}
			if alike := r.alike(before, after); alike > most {
				best, most = i, alike
			}
		}
	}
	if best >= 0 {
		r.to[path] = best
	}
	return best, nil
}

// renames gives a stream's work the names that its files have in the worktree.
func (w Worktree) renames(s Stream, texts Texts) ([]Change, Worktree, error) {
	work := s.Changes
	// The worktree lacks it where it differs from HEAD, where HEAD doesn't have it (the work added
	// it), or where a commit has removed it since.
	gone := func(path gitexec.Path) bool { // what did not change is as in the commit
		_, changed := w[path]
		first := slices.IndexFunc(work, func(c Change) bool { return c.Path == path })
		return changed || !work[first].Before.Exists() || s.Removed[path]
	}
	works, changes, err := FollowRenames(Renaming{Works: [][]Change{work}, Version: w.Changes(), Since: s.Added, Gone: gone, Texts: texts})
	if err != nil {
		return nil, nil, err
	}
	return works[0], gitexec.ByPath(changes), nil
}
