package hooks

import (
	"context"
	"slices"

	"entire-plumb/gitexec"
	"entire-plumb/internal/decided"
	"entire-plumb/internal/message"
	"entire-plumb/internal/works"
)

// finishUnlinked finishes a commit that was given no link. It is recorded as compared once that is so: if
// the hook is killed before, the next one or a command compares it. again: it was compared before.
func (p *finder) finishUnlinked(ctx context.Context, outcome string, again bool) (string, error) {
	head, parent, err := p.withParent(p.Head.ID)
	if err != nil {
		return outcome, err
	}
	linked := false
	if !again {
		if outcome, linked, err = p.linkBrought(ctx, head, parent, outcome); err != nil {
			return outcome, err
		}
	}
	if linked {
		return outcome, p.recordSeen(head, pendingLink{}, true)
	}
	return p.rememberUnlinked(head, pendingLink{}, outcome)
}

// linkBrought keeps a link beside a commit that was given none, since no session has work, and that
// brings lines of linked commits back all the same: a file that the user has checked out from another
// branch, an old version of one, or what a commit took out that is reverted. It starts no process unless
// the commit does. Else the outcome stays.
func (p *finder) linkBrought(ctx context.Context, head gitexec.Commit, parent gitexec.OID, outcome string) (result string, linked bool, err error) {
	if readHeadRecord(p.Repo.PrivateDir()).Declined == head.ID || len(head.Parents) > 1 || p.replaying() && !message.Reverts(head.Message) {
		return outcome, false, nil
	}
	amended, err := p.amendedUnseen()
	if err != nil {
		return outcome, false, err
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

// amendedUnseen is the commit that HEAD replaces by an amend, if a hook of ours has seen it; the zero
// value if there is none.
func (p *finder) amendedUnseen() (gitexec.Commit, error) {
	seen := readSeenHead(p.Repo.PrivateDir()).Head
	if seen == "" || seen.IsZero() || seen == p.Head.ID {
		return gitexec.Commit{}, nil
	}
	info, err := p.DB.Info(seen)
	if err != nil || info[0].Type != "commit" {
		return gitexec.Commit{}, err
	}
	commits, err := p.DB.Commits(seen, p.Head.ID)
	if err != nil || !slices.Equal(commits[0].Parents, commits[1].Parents) {
		return gitexec.Commit{}, err
	}
	return commits[0], nil
}
