package suffix

import (
	"slices"

	"entire-plumb/gitexec"
)

// mostBack limits the files of which the worktree's version is read.
const mostBack = 50

// fileVersion is a version of a file.
type fileVersion struct {
	path    gitexec.Path
	version gitexec.Entry
}

// absences tells which files of work the worktree lacks.
type absences struct {
	q       Renaming
	removed map[gitexec.Path]bool // files that work removed
	asked   map[fileVersion]bool  // what is known of q.Back
}

// of reports whether the worktree lacks a file of a piece of work, by its index, or has it again as
// it was before.
func (a absences) of(i int, file []Change) bool {
	last := file[len(file)-1]
	return a.q.Gone(last.Path) || a.q.Reset != nil && a.q.Reset(i) && a.removed[last.Path] && removes(a.q.Works, last) || a.back(file[0], last)
}

func (a absences) back(first, last Change) bool {
	if a.q.Back == nil || !first.Before.Exists() || first.Before == last.After {
		return false
	}
	before := fileVersion{first.Path, first.Before}
	if _, known := a.asked[before]; !known && len(a.asked) < mostBack {
		a.asked[before] = a.q.Back(first.Path, first.Before)
	}
	return a.asked[before]
}

// removes reports whether work removed a file in the version that a change made.
func removes(works [][]Change, made Change) bool {
	return slices.ContainsFunc(slices.Concat(works...), func(c Change) bool {
		return c.Path == made.Path && c.Before == made.After && !c.After.Exists()
	})
}
