package hooks

import (
	"context"
	"slices"

	"entire-plumb/gitexec"
	"entire-plumb/internal/decided"
	"entire-plumb/internal/lineage"
	"entire-plumb/internal/message"
	"entire-plumb/internal/works"
)

// finishUnlinked finishes a commit that was given no link. It is recorded as compared once that is
// so: if the hook is killed before, or fails, the next one or a command compares it. Where no
// session is known there is nothing to compare it with: it may bring lines of what others recorded,
// and is compared by content as if no hook had run, unless it amends a commit that was decided
// about. again: it was compared before.
func (p *finder) finishUnlinked(ctx context.Context, outcome string, again bool) (string, error) {
	head, parent, err := p.withParent(p.Head.ID)
	if err != nil {
		return outcome, err
	}
	amended, err := p.amendedUnseen(ctx, head)
	if err != nil {
		return outcome, err
	}
	if outcome == unlinkedCommit && !p.Store.Any() {
		if _, known := decided.Open(p.Repo.SharedDir()).Links(amended.ID); !known {
			return noSession, p.moveSeenHead([]gitexec.OID{p.parentOf(head), amended.ID}, head.ID)
		}
	}
	if !again {
		result, linked, err := p.linkBrought(ctx, head, parent, amended, outcome)
		if err != nil {
			return result, err
		}
		if linked {
			return result, p.recordSeen(head, amended.ID, true)
		}
	}
	return outcome, p.rememberUnlinked(head, amended.ID, outcome)
}

// linkBrought keeps a link beside a commit that was given none, since no session has work, and that
// brings lines of linked commits back all the same: a file that the user has checked out from
// another branch, an old version of one, or what a commit took out that is reverted. It starts no
// process unless the commit does. Else the outcome stays.
func (p *finder) linkBrought(
	ctx context.Context, head gitexec.Commit, parent gitexec.OID, amended gitexec.Commit, outcome string,
) (result string, linked bool, err error) {
	if readHeadRecord(p.Repo.PrivateDir()).Declined == head.ID || len(head.Parents) > 1 || p.replaying() && !message.Reverts(head.Message) {
		return outcome, false, nil
	}
	states, err := p.Sessions()
	if err != nil {
		return outcome, false, err
	}
	changes, err := p.DB.DiffTrees(parent, head.Tree)
	if err != nil {
		return outcome, false, err
	}
	if changes, err = works.BroughtSince(p.DB, amended.Tree, changes); err != nil {
		return outcome, false, err
	}
	brought, err := works.Brought(p.DB, states, changes, nil)
	if err != nil || len(brought) == 0 {
		return outcome, false, err
	}
	h := hookless{commit: head, amends: amended.ID, brings: true, line: []gitexec.Commit{head}}
	err = p.Locked(ctx, func() error {
		links, made, err := p.condenseHookless(ctx, h, nil)
		if linked = len(links) > 0 && err == nil; linked {
			outcome = made
			p.remember(decided.Links(head.ID, links))
		}
		return err
	})
	return outcome, linked, err
}

// amendedUnseen is the commit that HEAD replaces by an amend, by HEAD's reflog; the zero value if
// there is none. One process where the commit that a hook saw last has the same parents: it may
// also be a sibling on another branch.
func (p *finder) amendedUnseen(ctx context.Context, head gitexec.Commit) (old gitexec.Commit, err error) {
	seen := readSeenHead(p.Repo.PrivateDir()).Head
	if seen == head.ID || slices.Contains(head.Parents, seen) {
		return old, nil
	}
	last, there, err := p.commit(seen)
	if err != nil || !there || !slices.Equal(last.Parents, head.Parents) {
		return old, err
	}
	moves, err := p.headMoves(ctx)
	if err != nil || lineage.AmendedBy(lineage.MadeHere(moves), head.ID) == "" {
		return old, err
	}
	return last, nil
}
