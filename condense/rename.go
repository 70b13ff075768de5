package condense

import (
	"slices"

	"entire-plumb/gitexec"
	"entire-plumb/suffix"
)

// Renaming asks for the names that the files of works have in a commit: see [suffix.Renaming].
type Renaming struct {
	Works   []Work
	Changes []gitexec.Change        // the commit's
	Since   map[gitexec.Path]bool   // see Added
	Gone    func(gitexec.Path) bool // the worktree lacks a file
	Back    func(gitexec.Path, gitexec.Entry) bool
	Texts   suffix.Texts
}

// FollowRenames gives work the names that its files have in a commit: see [suffix.FollowRenames]. A
// work remembers the old names.
func FollowRenames(q Renaming) ([]Work, []gitexec.Change, error) {
	works := q.Works
	values := make([][]suffix.Change, len(works))
	for i, w := range works {
		values[i] = w.Changes
	}
	inTurn := func(i int) bool { return works[i].Committing || works[i].InTurn }
	values, changes, err := suffix.FollowRenames(suffix.Renaming{Works: values, Version: q.Changes, Since: q.Since, InTurn: inTurn,
		Gone: q.Gone, Back: q.Back, Texts: q.Texts})
	if err != nil {
		return nil, nil, err
	}
	works = slices.Clone(works)
	for i := range works {
		for k, c := range works[i].Changes {
			if c.Path != values[i][k].Path && !slices.Contains(works[i].OldNames, c.Path) {
				works[i].OldNames = append(works[i].OldNames, c.Path)
			}
		}
		works[i].Changes = values[i]
	}
	return works, changes, nil
}
