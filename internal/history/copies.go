package history

import (
	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/workspace"
)

// Copy is a remote-tracking branch of ours. The remote has what is taken out here until its branch
// is replaced, if it was pushed.
type Copy struct {
	Ref  string      `json:"ref"`
	ID   gitexec.OID `json:"id"`
	More bool        `json:"more"` // it has checkpoints that the branch here has not: a replacement would drop them
	Has  bool        `json:"has"`  // it has what is taken out, or may have
}

// copiesOf lists them. A copy whose history differs only by what was purged here has no more.
func (r *rewriting) copiesOf(w *workspace.Workspace, ours, copies []gitexec.Ref) ([]Copy, error) {
	all := []Copy{}
	at := checkpointsRef(ours)
	for _, ref := range copies {
		c := Copy{Ref: ref.Name, ID: ref.ID, Has: r.commits[ref.ID] != ref.ID} // an older commit that stays as it is has nothing of it
		// The union is what a push would make of both. If that is more than the branch here, then
		// replacing the remote's would lose others' checkpoints.
		if onBranch(ref.Name) && (at < 0 || ours[at].ID != ref.ID) {
			// Without a branch here all that the copy has is more.
			own := w.Repo.Format.EmptyTree()
			stored, err := w.DB.Commit(ref.ID)
			if err != nil {
				return nil, err
			}
			if at >= 0 {
				mine, err := w.DB.Commit(ours[at].ID)
				if err != nil {
					return nil, err
				}
				own = mine.Tree
			}
			u, err := checkpoints.Unite(w.DB, checkpoints.Sides{Ours: own, Theirs: stored.Tree})
			if err != nil {
				return nil, err
			}
			c.More = u.Tree != own
		}
		all = append(all, c)
	}
	return all, nil
}
