package query

import (
	"context"
	"maps"
	"slices"

	"entire-plumb/gitexec"
	"entire-plumb/internal/sets"
)

// withoutCopies leaves out copies of commits that link some checkpoints, as those of a branch that
// was squashed or rebased: their lines would count twice. Of each checkpoint those in one history
// stay: HEAD's, or else that of the newest commit that links it. One process for each history.
func withoutCopies(ctx context.Context, r *Reader, commits []gitexec.Commit, ids []string) ([]gitexec.Commit, error) {
	open := sets.Of(ids) // checkpoints that no history so far links
	links := func(c gitexec.Commit) bool {
		return slices.ContainsFunc(r.Branch.Links(r.DB, c), func(id string) bool { return open[id] })
	}
	kept := map[gitexec.OID]bool{}
	tip := r.Repo.Head.ID
	for rest := commits; len(rest) > 0; {
		if tip.IsZero() {
			tip = rest[0].ID
		}
		beyond, err := r.Repo.NotInHistory(ctx, idsOf(rest), tip)
		if err != nil {
			return nil, err
		}
		here := slices.DeleteFunc(slices.Clone(rest), func(c gitexec.Commit) bool { return slices.Contains(beyond, c.ID) })
		for _, c := range here {
			kept[c.ID] = true
		}
		for _, c := range here {
			for _, id := range r.Branch.Links(r.DB, c) {
				delete(open, id)
			}
		}
		rest = slices.DeleteFunc(slices.Clone(rest), func(c gitexec.Commit) bool { return kept[c.ID] || !links(c) })
		tip = ""
	}
	return slices.DeleteFunc(commits, func(c gitexec.Commit) bool { return !kept[c.ID] }), nil
}

// Holders chooses of the commits that link each checkpoint, newest first, the one whose lines are
// shown: the first in HEAD's history, since a later one brings them back, as the revert of a revert
// does; where that has none, the newest. One process, if there is a choice.
func Holders(ctx context.Context, r *Reader, linking map[string][]gitexec.Commit) (map[string]gitexec.Commit, error) {
	var several []gitexec.OID
	for _, id := range slices.Sorted(maps.Keys(linking)) {
		if all := linking[id]; len(all) > 1 {
			several = sets.With(several, idsOf(all)...)
		}
	}
	beyond := sets.Of(several)
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
			if i == 0 || !beyond[c.ID] {
				chosen[id] = c
			}
		}
	}
	return chosen, nil
}
