package relink

import (
	"context"
	"slices"

	"entire-plumb/gitexec"
	"entire-plumb/internal/lineage"
)

// mostHistory is how many commits are read of the histories in which commits are looked for.
const mostHistory = 20_000

// pair is a checkpoint and a commit in which its work was found.
type pair struct {
	checkpoint string
	commit     gitexec.OID
}

// markOlder marks the commits that were found for a checkpoint though the checkpoint's own commits
// follow them, whatever their dates say. It reports whether there are any. One process, where a
// pair is new.
func (s *Search) markOlder(ctx context.Context, known []lineage.Checkpoint, commits []lineage.Unlinked, found [][]lineage.Found) (any bool, err error) {
	at := map[string]int{}
	for i, k := range known {
		at[k.ID] = i
	}
	var pairs []pair
	tips := map[string][]gitexec.OID{}
	var all []gitexec.OID
	for i, of := range found {
		for _, f := range of {
			p := pair{f.ID, commits[i].Commit}
			if s.compared[p] {
				continue
			}
			s.compared[p] = true
			if tips[f.ID] == nil {
				if tips[f.ID], err = s.origin(known[at[f.ID]]); err != nil {
					return false, err
				}
				all = append(all, tips[f.ID]...)
			}
			pairs = append(pairs, p)
		}
	}
	if len(all) == 0 {
		return false, nil
	}
	slices.Sort(all)
	parents, err := s.Repo.ParentsIn(ctx, slices.Compact(all), s.before, mostHistory)
	if err != nil {
		return false, err
	}
	for _, p := range pairs {
		if _, in := parents[p.commit]; !in || !followed(parents, tips[p.checkpoint], p.commit) {
			continue
		}
		k := &known[at[p.checkpoint]]
		if k.Older == nil {
			k.Older = map[gitexec.OID]bool{}
		}
		k.Older[p.commit], any = true, true
	}
	return any, nil
}

// followed reports whether all of some commits, and there are some, follow another one.
func followed(parents map[gitexec.OID][]gitexec.OID, tips []gitexec.OID, commit gitexec.OID) bool {
	return len(tips) > 0 && !slices.ContainsFunc(tips, func(tip gitexec.OID) bool {
		return tip == commit || !follows(parents, tip, commit)
	})
}

// origin lists the commits here that a checkpoint was made for; else the last one before them; else
// those in the history that link it.
func (s *Search) origin(k lineage.Checkpoint) ([]gitexec.OID, error) {
	own, err := s.here(k.Commits)
	if err != nil || len(own) > 0 {
		return own, err
	}
	after, err := s.here(k.After)
	if err != nil || len(after) > 0 {
		return after[:min(1, len(after))], err
	}
	return s.linking[k.ID], nil
}

// here lists those of some commits that the repository has.
func (s *Search) here(ids []gitexec.OID) (here []gitexec.OID, err error) {
	info, err := s.DB.Info(ids...)
	for i, o := range info {
		if o.Type == "commit" {
			here = append(here, ids[i])
		}
	}
	return here, err
}

// follows reports whether a commit is in the history of another one.
func follows(parents map[gitexec.OID][]gitexec.OID, tip, commit gitexec.OID) bool {
	seen := map[gitexec.OID]bool{tip: true}
	for queue := []gitexec.OID{tip}; len(queue) > 0; queue = queue[1:] {
		for _, p := range parents[queue[0]] {
			if p == commit {
				return true
			}
			if !seen[p] {
				seen[p], queue = true, append(queue, p)
			}
		}
	}
	return false
}
