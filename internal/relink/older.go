package relink

import (
	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/lineage"
)

// markOlder marks the commits that were found for a checkpoint though the checkpoint's own commits
// follow them, whatever their dates say. It reports whether there are any.
func (s *Search) markOlder(known []lineage.Checkpoint, commits []lineage.Unlinked, found [][]lineage.Found) (any bool) {
	at := map[string]int{}
	for i, k := range known {
		at[k.ID] = i
	}
	for i, of := range found {
		for _, f := range of {
			k := &known[at[f.ID]]
			if !checkpoints.Follows(s.DB, *k, commits[i].Commit, commits[i].When) {
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
