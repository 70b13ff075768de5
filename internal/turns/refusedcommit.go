package turns

import (
	"context"
	"errors"

	"entire-plumb/gitexec"
	"entire-plumb/internal/workspace"
	"entire-plumb/shadow"
)

var errNoIdentity = errors.New("git doesn't know who you are (git config --global user.name, and user.email)")

// recoverFailedCommit rolls back the transaction of a commit that failed. It returns nil if the
// branch did not move, and the cause if it did, or if that cannot be known.
func recoverFailedCommit(ctx context.Context, run *workspace.Run, head gitexec.OID, cause error) error {
	if ctx.Err() != nil {
		return cause
	}
	if _, err := shadow.Recover(ctx, run.DB, run.Store); err != nil {
		return errors.Join(cause, err)
	}
	refs, err := run.Repo.Refs(ctx, run.Repo.Branch)
	if err != nil {
		return errors.Join(cause, err)
	}
	for _, r := range refs {
		if r.Name == run.Repo.Branch && r.ID != head {
			return cause
		}
	}
	return nil
}

// notCommitted is the notice why, and what becomes of the turn's changes. A commit that ends a
// merge, a pick or a rebase gets no link of its own.
func notCommitted(why string, linked bool) string {
	text := "nothing was committed: " + why + ". The turn's changes are kept as a checkpoint"
	if linked {
		text += "; your next commit of them will be linked"
	}
	return text
}

// interferenceError says what came in between.
type interferenceError struct{ why string }

func (e *interferenceError) Error() string { return e.why }

// cannotCommit says why no commit can be made now; empty: it can. linked says whether the user's
// next commit gets a link.
func cannotCommit(run *workspace.Run, t turn) (why string, linked bool) {
	if why, bisecting := run.Repo.Operation().UnderWay(); why != "" {
		return why, bisecting
	}
	switch {
	case t.snap.Conflict:
		return "the index has conflicts in it", true
	case run.Repo.Branch == "":
		return "HEAD is on no branch", true
	}
	return run.ConcurrentGit(), true
}
