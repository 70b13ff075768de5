package query

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"entire-plumb/gitexec"
	"entire-plumb/internal/sets"
)

// heldBy lists the commits whose lines are those of checkpoints, see Holders, newest first.
func heldBy(ctx context.Context, r *Reader, ids []string) ([]gitexec.Commit, error) {
	linking, err := r.LinkingEach(ctx, ids)
	if err != nil {
		return nil, err
	}
	holders, err := Holders(ctx, r, linking)
	all := slices.SortedFunc(maps.Values(holders), func(a, b gitexec.Commit) int {
		return cmp.Or(newestFirst(a, b), strings.Compare(string(a.ID), string(b.ID)))
	})
	return slices.CompactFunc(all, func(a, b gitexec.Commit) bool { return a.ID == b.ID }), err
}

// Holders chooses of the commits that link each checkpoint, newest first, the one whose lines are
// shown: the first in HEAD's history, since a later one brings them back, as the revert of a revert
// does; where that has none, the newest. One process, if there is a choice.
func Holders(ctx context.Context, r *Reader, linking map[string][]gitexec.Commit) (map[string]gitexec.Commit, error) {
	var several []gitexec.OID
	for _, id := range slices.Sorted(maps.Keys(linking)) {
		if all := linking[id]; len(all) > 1 {
			several = sets.With(several, gitexec.IDsOf(all)...)
		}
	}
	beyond := sets.Of(several)
	// On a branch without a commit nothing is in HEAD's history, and git has no name for it.
	if len(several) > 0 && r.Repo.Born() == nil {
		outside, err := r.Repo.NotInHistory(ctx, several, r.Repo.Head.ID)
		if err != nil {
			return nil, err
		}
		beyond = sets.Of(outside)
	}
	chosen := map[string]gitexec.Commit{}
	for id, all := range linking {
		for i, c := range all {
			// Newest first: the last one that is in the history stays, which is the first there.
			if i == 0 || !beyond[c.ID] {
				chosen[id] = c
			}
		}
	}
	return chosen, nil
}
