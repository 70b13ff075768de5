package condense

import (
	"slices"

	"entire-plumb/gitexec"
	"entire-plumb/suffix"
)

// FollowRenames gives work the names that its files have in a commit: see [suffix.FollowRenames]. A
// work remembers the old names.
func FollowRenames(works []Work, changes []gitexec.Change, gone func(gitexec.Path) bool, texts suffix.Texts) ([]Work, []gitexec.Change, error) {
	values := make([][]suffix.Change, len(works))
	for i, w := range works {
		values[i] = w.Changes
	}
	inTurn := func(i int) bool { return works[i].Committing || works[i].InTurn }
	values, changes, err := suffix.FollowRenames(values, changes, inTurn, gone, texts)
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
