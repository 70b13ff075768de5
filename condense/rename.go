package condense

import (
	"slices"

	"entire-plumb/gitexec"
	"entire-plumb/suffix"
)

// FollowRenames gives work the names that its files have in a commit, whose changes q names: see
// [suffix.FollowRenames]. A work remembers the old names.
func FollowRenames(works []Work, q suffix.Renaming) ([]Work, []gitexec.Change, error) {
	q.Works = make([][]suffix.Change, len(works))
	for i, w := range works {
		q.Works[i] = w.Changes
	}
	q.InTurn = func(i int) bool { return works[i].Committing || works[i].InTurn }
	values, changes, err := suffix.FollowRenames(q)
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
