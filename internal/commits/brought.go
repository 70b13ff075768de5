package commits

import (
	"context"
	"slices"

	"entire-plumb/gitexec"
	"entire-plumb/internal/decided"
	"entire-plumb/internal/message"
	"entire-plumb/internal/moves"
	"entire-plumb/internal/works"
	"entire-plumb/internal/workspace"
)

// finishUnlinked finishes a commit that was given no link. It is recorded as compared once that is
// so: if the hook is killed before, or fails, the next one or a command compares it. Where no
// session is known there is nothing to compare it with: it may bring lines of what others recorded,
// and is compared by content as if no hook had run, unless it amends a commit that was decided
// about. again: it was compared before.
func finishUnlinked(ctx context.Context, run *workspace.Run, none Result, again bool) (Result, error) {
	head, parent, err := withParent(run.DB, run.Head.ID)
	if err != nil {
		return none, err
	}
	amended, err := amendedUnseen(ctx, run, head)
	if err != nil {
		return none, err
	}
	if none.Outcome == NoLink && !run.Store.Any() {
		if _, known := decided.Open(run.Repo.SharedDir()).Links(amended.ID); !known {
			return Result{Outcome: NoLinkAlone}, moveSeenHead(run.Repo, []gitexec.OID{ParentOf(run.Repo, head), amended.ID}, head.ID)
		}
	}
	if !again {
		result, err := linkBrought(ctx, run, head, parent, amended)
		if err != nil {
			return none, err
		}
		if len(result.Links) > 0 {
			return result, recordSeen(run.Repo, head, amended.ID, true)
		}
	}
	return none, rememberUnlinked(run, head, amended.ID, none.Outcome)
}

// linkBrought keeps a link beside a commit that was given none, since no session has work, and that
// brings lines of linked commits back all the same: a file that the user has checked out from
// another branch, an old version of one, or what a commit took out that is reverted. It starts no
// process unless the commit does. Else the result has no links.
func linkBrought(
	ctx context.Context, run *workspace.Run, head gitexec.Commit, parent gitexec.OID, amended gitexec.Commit,
) (none Result, err error) {
	request, brings, err := broughtBy(run, head, parent, amended)
	if err != nil || !brings {
		return none, err
	}
	return reconcileLocked(ctx, run, request)
}

// broughtBy asks for a commit to be reconciled that was given no link, if it brings lines of linked
// commits back. It starts no process unless the commit does.
func broughtBy(
	run *workspace.Run, head gitexec.Commit, parent gitexec.OID, amended gitexec.Commit,
) (none Request, brings bool, err error) {
	if readHeadRecord(run.Repo.PrivateDir()).Declined == head.ID || len(head.Parents) > 1 || replaying(run) && !message.Reverts(head.Message) {
		return none, false, nil
	}
	states, err := run.Sessions()
	if err != nil {
		return none, false, err
	}
	changes, err := run.DB.DiffTrees(parent, head.Tree)
	if err != nil {
		return none, false, err
	}
	if changes, err = works.BroughtSince(run.DB, amended.Tree, changes); err != nil {
		return none, false, err
	}
	brought, err := works.Brought(run.DB, ParentOf(run.Repo, head), states, changes, nil)
	if err != nil || len(brought) == 0 {
		return none, false, err
	}
	unseen := moves.Unseen{Line: []gitexec.Commit{head}, Amends: amended.ID}
	return requestUnseen(run, Bringing, unseen, nil), true, nil
}

// amendedUnseen is the commit that HEAD replaces by an amend, by HEAD's reflog; the zero value if
// there is none. One process where the commit that a hook saw last has the same parents: it may
// also be a sibling on another branch.
func amendedUnseen(ctx context.Context, run *workspace.Run, head gitexec.Commit) (old gitexec.Commit, err error) {
	seen := ReadSeenHead(run.Repo.PrivateDir()).Head
	if seen == head.ID || slices.Contains(head.Parents, seen) {
		return old, nil
	}
	last, there, err := readCommit(run.DB, seen)
	if err != nil || !there || !slices.Equal(last.Parents, head.Parents) {
		return old, err
	}
	reflog, err := run.HeadMoves(ctx)
	if err != nil || moves.AmendedBy(moves.MadeHere(reflog), head.ID) == "" {
		return old, err
	}
	return last, nil
}
