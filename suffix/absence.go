package suffix

import "entire-plumb/gitexec"

// mostBack limits the files of which the worktree's version is read.
const mostBack = 50

// fileVersion is a version of a file.
type fileVersion struct {
	path    gitexec.Path
	version gitexec.Entry
}

// absences tells which files of work the worktree lacks.
type absences struct {
	q     Renaming
	asked map[fileVersion]bool // what is known of q.Back
}

// of reports whether the worktree lacks a file of a piece of work, or has it again as it was before.
func (a absences) of(file []Change) bool {
	first, last := file[0], file[len(file)-1]
	if a.q.Gone(last.Path) || a.q.Back == nil || !first.Before.Exists() || first.Before == last.After {
		return a.q.Gone(last.Path)
	}
	before := fileVersion{first.Path, first.Before}
	if _, known := a.asked[before]; !known && len(a.asked) < mostBack {
		a.asked[before] = a.q.Back(first.Path, first.Before)
	}
	return a.asked[before]
}
