package relink

import (
	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/lineage"
)

// markOlder marks the commits that were found for a checkpoint though the checkpoint's own commits
// follow them: see checkpoints.Follows. It reports whether there are any that were not marked
// before.
func (s *Search) markOlder(known []lineage.Checkpoint, commits []lineage.Unlinked, found [][]lineage.Found) (any bool) {
	at := map[string]int{}
	for i, k := range known {
		at[k.ID] = i
	}
	for i, of := range found {
		for _, f := range of {
			k := &known[at[f.ID]]
			if k.Older[commits[i].Commit] || !checkpoints.Follows(s.DB, *k, commits[i].Commit, commits[i].When) {
				continue
			}
			if k.Older == nil {
				k.Older = map[gitexec.OID]bool{}
			}
			k.Older[commits[i].Commit], any = true, true
		}
	}
	return any
}
