package hooks

import (
	"context"
	"slices"

	"entire-plumb/gitexec"
	"entire-plumb/internal/decided"
	"entire-plumb/internal/message"
	"entire-plumb/internal/works"
)

// linkBrought keeps a link beside a commit that was given none, since no session has work, and that
// brings lines of linked commits back all the same: a file that the user has checked out from another
// branch, an old version of one, or what a commit took out that is reverted. It starts no process unless
// the commit does. Else the outcome stays.
func (p *finder) linkBrought(ctx context.Context, outcome string) (string, error) {
	dir := p.Repo.PrivateDir()
	if readHeadRecord(dir).Declined == p.Head.ID {
		return outcome, nil
	}
	amended, err := p.amendedUnseen()
	if err != nil {
		return outcome, err
	}
	states, err := p.Sessions()
	if err != nil {
		return outcome, err
	}
	head, parent, err := p.withParent(p.Head.ID)
	if err != nil || len(head.Parents) > 1 || p.replaying() && !message.Reverts(head.Message) {
		return outcome, err
	}
	changes, err := p.DB.DiffTrees(parent, head.Tree)
	if err != nil {
		return outcome, err
	}
	if changes, err = p.broughtSince(amended.Tree, changes); err != nil {
		return outcome, err
	}
	brought, err := works.Brought(p.DB, states, changes, nil)
	if err != nil || len(brought) == 0 {
		return outcome, err
	}
	h := hookless{commit: head, amends: amended.ID, brings: true, line: []gitexec.Commit{head}}
	err = p.Locked(ctx, func() error {
		links, linked, err := p.condenseHookless(ctx, h, nil)
		if len(links) > 0 && err == nil {
			outcome = linked
			p.remember(decided.Links(head.ID, links))
		}
		return err
	})
	return outcome, err
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
