package turns

import (
	"context"
	"errors"
	"slices"

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
	if err := shadow.Recover(ctx, run.DB, run.Store); err != nil {
		return errors.Join(cause, err)
	}
	refs, err := run.Repo.Refs(ctx, run.Repo.Branch)
	if err != nil {
		return errors.Join(cause, err)
	}
	if slices.ContainsFunc(refs, func(r gitexec.Ref) bool { return r.Name == run.Repo.Branch && r.ID != head }) {
		return cause
	}
	return nil
}

// refusal is why no commit is made of a turn.
type refusal struct {
	why    string
	linked bool // the user's next commit of the changes gets a link; not one that ends a merge, a pick or a rebase
}

// notice says what becomes of the turn's changes.
func (r refusal) notice() string {
	text := "nothing was committed: " + r.why + ". The turn's changes are kept as a checkpoint"
	if r.linked {
		text += "; your next commit of them will be linked"
	}
	return text
}

func (r refusal) outcome() outcome { return outcome{"not committed: " + r.why} }

// interferenceError says what came in between.
type interferenceError struct{ why string }

func (e *interferenceError) Error() string { return e.why }

// cannotCommit says why no commit can be made now; nil: it can.
func cannotCommit(run *workspace.Run, conflict bool) *refusal {
	if why, bisecting := run.Repo.Operation().UnderWay(); why != "" {
		return &refusal{why, bisecting}
	}
	switch {
	case conflict:
		return &refusal{"the index has conflicts in it", true}
	case run.Repo.Branch == "":
		return &refusal{"HEAD is on no branch", true}
	}
	if why := run.ConcurrentGit(); why != "" {
		return &refusal{why, true}
	}
	return nil
}

// refusedBy is the refusal that an error means which came before the branch moved; nil: the branch
// may have moved.
func refusedBy(err error) *refusal {
	if interference, ok := errors.AsType[*interferenceError](err); ok {
		return &refusal{interference.why, true}
	}
	if errors.As(err, new(*gitexec.RefMovedError)) {
		return &refusal{"the branch moved meanwhile", true}
	}
	for _, known := range []error{errNoIdentity, gitexec.ErrIndexLocked, gitexec.ErrIndexChanged} {
		if errors.Is(err, known) {
			return &refusal{known.Error(), true}
		}
	}
	return nil
}
