package checkpoints

import (
	"context"

	"entire-plumb/gitexec"
	"entire-plumb/internal/session"
)

// ForeseenID is the ID of the checkpoint of a commit that is only foreseen.
const ForeseenID = "000000000000"

// Foreseen is the commit that `git add -A` and `git commit -m` would make of a worktree now, with
// what would be recorded of it, in a temporary directory beside the repository's objects.
type Foreseen struct {
	Repo   *gitexec.Repo
	DB     *gitexec.ODB
	Head   gitexec.Head   // what HEAD is
	Commit gitexec.Commit // its ID is empty where there is nothing to commit
	Edits  gitexec.Edits  // of the checkpoints' branch: with what would be recorded
	Fault  error          // why that cannot be said; nil: it can
	// LeftOut are files that a snapshot omits, as too large or unreadable.
	LeftOut []session.LeftOut
	Close   func() // removes the directory
}

// Branch is the checkpoints' branch as it would be after the commit, for readers.
func (f *Foreseen) Branch(ctx context.Context) (Branch, error) {
	b, err := ReadBranches(ctx, f.Repo, f.DB)
	if err != nil || len(f.Edits) == 0 {
		return b, err
	}
	b.Tree, err = f.DB.EditTree(b.Tree, f.Edits)
	return b, err
}
