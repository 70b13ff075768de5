package hooks

import (
	"context"
	"errors"

	"entire-plumb/gitexec"
	"entire-plumb/shadow"
)

var errNoIdentity = errors.New("git doesn't know who you are (git config --global user.name, and user.email)")

// recoverFailedCommit rolls back the transaction of a commit that failed. It returns nil if the
// branch did not move, and the cause if it did, or if that cannot be known.
func (p *turns) recoverFailedCommit(ctx context.Context, head gitexec.OID, cause error) error {
	if ctx.Err() != nil {
		return cause
	}
	if _, err := shadow.Recover(ctx, p.DB, p.Store); err != nil {
		return errors.Join(cause, err)
	}
	refs, err := p.Repo.Refs(ctx, p.Repo.Branch)
	if err != nil {
		return errors.Join(cause, err)
	}
	for _, r := range refs {
		if r.Name == p.Repo.Branch && r.ID != head {
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
func (p *turns) cannotCommit(t turn) (why string, linked bool) {
	if why, bisecting := p.Repo.Operation().UnderWay(); why != "" {
		return why, bisecting
	}
	switch {
	case t.snap.Conflict:
		return "the index has conflicts in it", true
	case p.Repo.Branch == "":
		return "HEAD is on no branch", true
	}
	return p.ConcurrentGit(), true
}
