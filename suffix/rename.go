package suffix

import (
	"slices"

	"entire-plumb/gitexec"
)

const (
	// mostRenames limits the pairs of files that are compared, as git's diff.renameLimit does;
	// beyond it only equal files are renames.
	mostRenames = 1000
	// likeness is the part of the larger file, in percent, that two versions have in common if one
	// is a rename of the other: git's default.
	likeness = 50
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
	// Reset reports whether work, by its index, was in a commit that was reset, and with which the
	// worktree may have got an older version of a file back: nil: none was.
	Reset func(int) bool
	Gone  func(gitexec.Path) bool // the worktree lacks a file
	Texts Texts
}

// FollowRenames gives pieces of work the names that their files have in another version. A file is
// renamed if the worktree lacks it, and the version, or a commit since the work was done, adds one
// with the same content or, as for git, half of it, that no work is in, unless work removed the old
// one or went on from its very version in the new one. Else it is a copy, or two files that happen
// to be alike. That the version still has the old file is no reason against it: its removal may be
// staged later. Of a reset commit's file it is none that the worktree has an older version again,
// where work removed that of the commit, nor that work is in a new file with its content: whoever
// renamed it has it, once the removal is committed. It also returns the version's changes, in which
// a rename goes from the old file's version.
func FollowRenames(q Renaming) ([][]Change, []gitexec.Change, error) {
	works, version := q.Works, q.Version
	r := newRenames(q)
	if len(r.added) == 0 {
		return works, version, nil
	}
	byPath, added := NewWorktree(version), r.added
	gone := func(i int, last Change) bool {
		return q.Gone(last.Path) || q.Reset != nil && q.Reset(i) && r.removed[last.Path] && removes(works, last)
	}
	for i, w := range works { // one work's version of a file may show what another's doesn't
		for _, file := range ByFile(w) {
			last := file[len(file)-1]
			if byPath[last.Path].New.Exists() || !last.After.Exists() || !gone(i, last) {
				continue
			}
			if _, err := r.find(last.Path, last.After, q.Reset != nil && q.Reset(i)); err != nil {
				return nil, nil, err
			}
		}
	}
	for i, w := range works {
		for _, file := range ByFile(w) {
			last := file[len(file)-1]
			at, found := r.to[last.Path]
			if !found || !last.After.Exists() || !gone(i, last) {
				continue
			}
			if c, changed := byPath[last.Path]; changed {
				version = slices.Clone(version)
				version[slices.IndexFunc(version, func(other gitexec.Change) bool { return other.Path == added[at].Path })].Old = c.Old
			}
			works = slices.Clone(works)
			works[i] = renamed(works[i], last.Path, added[at].Path)
		}
	}
	return works, version, nil
}

// removes reports whether work removed a file in the version that a change made, or in a later one.
func removes(works [][]Change, made Change) bool {
	versions := []gitexec.Entry{made.After}
	for at := 0; at < len(versions); at++ {
		for _, w := range works {
			for _, c := range w {
				switch {
				case c.Path != made.Path || c.Before != versions[at]:
				case !c.After.Exists():
					return true
				case !slices.Contains(versions, c.After):
					versions = append(versions, c.After)
				}
			}
		}
	}
	return false
}

// FromOldFiles gives the files that a piece of work adds, and that it renamed, the versions before
// that: the lines that they had are not new. A file is renamed if the work removes one with the
// same content, or half of it.
func FromOldFiles(work []Change, texts Texts) ([]Change, error) {
	isAdded := func(c Change) bool { return !c.Before.Exists() && c.After.Exists() }
	var removed []gitexec.Change // the other way round: find looks for added files
	for _, c := range work {
		if c.Before.Exists() && !c.After.Exists() {
			removed = append(removed, gitexec.Change{Path: c.Path, New: c.Before})
		}
	}
	if len(removed) == 0 || !slices.ContainsFunc(work, isAdded) {
		return work, nil
	}
	r := newRenames(Renaming{Version: removed, Texts: texts})
	work = slices.Clone(work)
	for i, c := range work {
		if !isAdded(c) {
			continue
		}
		at, err := r.find(c.Path, c.After, false)
		if err != nil {
			return nil, err
		}
		if at >= 0 {
			work[i].Before = r.added[at].New
		}
	}
	return work, nil
}

// renamed gives the changes of a file another name.
func renamed(changes []Change, from, to gitexec.Path) []Change {
	changes = slices.Clone(changes)
	for i := range changes {
		if changes[i].Path == from {
			changes[i].Path = to
		}
	}
	return changes
}

// renames finds new names for files.
type renames struct {
	added    []gitexec.Change                 // files of the version
	known    map[gitexec.Path]bool            // files that work is in
	began    map[gitexec.Path][]gitexec.Entry // the versions that it began with
	removed  map[gitexec.Path]bool            // files that work removed
	texts    Texts
	to       map[gitexec.Path]int // found: the index of the added file
	sought   map[gitexec.Path][]gitexec.Entry
	compared int
}

func newRenames(q Renaming) *renames {
	r := &renames{known: map[gitexec.Path]bool{}, began: map[gitexec.Path][]gitexec.Entry{}, removed: map[gitexec.Path]bool{}, texts: q.Texts, to: map[gitexec.Path]int{},
		sought: map[gitexec.Path][]gitexec.Entry{}}
	for i, w := range q.Works {
		if q.InTurn != nil && q.InTurn(i) {
			continue
		}
		for _, c := range w {
			r.known[c.Path] = true
			r.began[c.Path] = append(r.began[c.Path], c.began()...)
			if c.Before.Exists() && !c.After.Exists() {
				r.removed[c.Path] = true
			}
		}
	}
	for _, c := range q.Version {
		if (!c.Old.Exists() || q.Since[c.Path]) && c.New.Exists() && (q.Reset != nil || !r.known[c.Path] || len(r.removed) > 0 || r.beganWithContent(c.Path)) {
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
	return !r.known[to] || r.removed[from] || slices.Contains(r.began[to], version)
}

// beganWithContent reports whether work on a file went on from somebody else's version.
func (r *renames) beganWithContent(path gitexec.Path) bool {
	return slices.ContainsFunc(r.began[path], gitexec.Entry.Exists)
}

// find returns the index of the added file that another one with this version was renamed to; -1 if
// there is none. The first of equal ones is taken, first of those that may be renames; where
// anyEqual is set, others are, too.
func (r *renames) find(path gitexec.Path, version gitexec.Entry, anyEqual bool) (int, error) {
	if at, ok := r.to[path]; ok {
		return at, nil
	}
	if slices.Contains(r.sought[path], version) {
		return -1, nil
	}
	r.sought[path] = append(r.sought[path], version)
	same := func(c gitexec.Change) bool { return c.New.ID == version.ID && r.may(path, version, c.Path) }
	best, most := slices.IndexFunc(r.added, same), likeness-1
	if best < 0 && anyEqual {
		best = slices.IndexFunc(r.added, func(c gitexec.Change) bool { return c.New.ID == version.ID })
	}
	if best < 0 && r.compared+len(r.added) <= mostRenames {
		r.compared += len(r.added)
		before, ok, err := r.texts.Lines(version)
		if err != nil {
			return -1, err
		}
		for i, c := range r.added {
			if !ok || len(before) == 0 {
				break
			}
			if !r.may(path, version, c.Path) {
				continue
			}
			after, isText, err := r.texts.Lines(c.New)
			if err != nil {
				return -1, err
			}
			if alike := inCommon(before, after); isText && alike > most {
				best, most = i, alike
			}
		}
	}
	if best >= 0 {
		r.to[path] = best
	}
	return best, nil
}

// inCommon is how much of the larger of two texts is in both, in percent of its bytes. Each line
// counts as often as it is in both.
func inCommon(a, b []string) int {
	times := map[string]int{}
	size := func(lines []string) (n int) {
		for _, line := range lines {
			n += len(line) + 1
		}
		return n
	}
	for _, line := range a {
		times[line]++
	}
	common := 0
	for _, line := range b {
		if times[line] > 0 {
			times[line]--
			common += len(line) + 1
		}
	}
	return 100 * common / max(1, size(a), size(b))
}

// renames gives a stream's work the names that its files have in the worktree.
func (w Worktree) renames(s Stream, texts Texts) ([]Change, Worktree, error) {
	work := s.Changes
	elsewhere := func(c Change) bool { v, ok := w[c.Path]; return !ok || !v.New.Exists() }
	if !slices.ContainsFunc(work, elsewhere) {
		return work, w, nil
	}
	gone := func(path gitexec.Path) bool { // what did not change is as in the commit
		_, changed := w[path]
		first := slices.IndexFunc(work, func(c Change) bool { return c.Path == path })
		return changed || !work[first].Before.Exists() || s.Removed[path]
	}
	works, changes, err := FollowRenames(Renaming{Works: [][]Change{work}, Version: w.Changes(), Since: s.Added, Gone: gone, Texts: texts})
	if err != nil {
		return nil, nil, err
	}
	return works[0], NewWorktree(changes), nil
}
