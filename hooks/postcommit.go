package hooks

import (
	"context"
	"fmt"
	"os"
	"slices"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/decided"
	"entire-plumb/internal/explain"
	"entire-plumb/internal/relink"
	"entire-plumb/internal/session"
	"entire-plumb/shadow"
)

// postCommit condenses what the commit at HEAD holds of the sessions' work, if it has a link, and
// carries the remainder forward. Eight processes, ten with a remainder. Pending links of earlier
// commits come first.
func (p *condenser) postCommit(ctx context.Context) (string, error) {
	pending := current(readPending(p.Repo.PrivateDir()))
	err := p.finishLate(ctx)
	outcome := ""
	if err == nil {
		outcome, err = p.condenseCommit(ctx, p.Head.ID, pending)
	}
	if p.replaying() && !pending.replays() && len(pending.Sides) == 0 { // the pending link is of another commit
		return outcome, err
	}
	switch {
	case err != nil && pending.ID != "":
		err = p.postpone(ctx, pending, p.Head.ID, err)
	case err == nil:
		os.Remove(templateFile(p.Repo.PrivateDir()))
		if pending.ID != "" { // without one, the queue may hold another commit's link
			err = p.removePending(ctx, pending)
		}
	}
	return outcome, err
}

// condenseCommit condenses what a commit holds of the sessions' work, under the lock.
func (p *condenser) condenseCommit(ctx context.Context, commit gitexec.OID, pending pendingLink) (outcome string, err error) {
	err = p.Locked(ctx, func() error {
		if pending.ID != "" && len(pending.Sessions) > 0 { // else nobody's state is needed
			if err := p.restoreLost(pending.Head); err != nil {
				p.WarnLater(explain.OneLine(err))
			}
		}
		sessions := p.Sessions
		if pending.ID != "" && (len(pending.Sessions) == 0 || len(pending.Replaces) > 0) {
			sessions = p.RecentSessions // an earlier commit's sessions may be at rest
		}
		states, err := sessions()
		if err != nil {
			return err
		}
		outcome, err = p.condenseLinked(ctx, commit, states, pending)
		return err
	})
	return outcome, err
}

// condenseLinked does so if the commit has a link whose checkpoint is not written.
func (p *condenser) condenseLinked(ctx context.Context, commit gitexec.OID, states []*session.State, pending pendingLink) (outcome string, err error) {
	var list func() (shadow.Listing, error)
	if pending.ID != "" { // all objects will be needed
		if !shadow.MayHaveStashes(p.Repo) { // else that process reads the stash
			list = gitexec.InBackground(func() (shadow.Listing, error) { return shadow.List(ctx, p.Repo) })
			defer list()
		}
		if err := p.DB.Warm(); err != nil {
			return "", err
		}
		p.DB.WarmCommits()
		if !manyFiles(states) {
			defer p.Repo.WarmPatchTrees(ctx, nil)()
		}
		defer p.Repo.WarmRefUpdate(ctx, shadow.Reason)()
	}
	head, parent, err := p.withParent(commit)
	if err != nil {
		return "", err
	}
	if err := p.warnOfConversation(head, parent); err != nil {
		return "", err
	}
	links, beside := pending.linksOf(head, p.Settings.Links())
	if err := p.recordCommit(head, pending, len(links) > 0); err != nil {
		return "", err
	}
	if len(links) == 0 {
		if outcome = unlinkedCommit; p.replays(head) {
			outcome = replayedUnlinked
		}
		if pending.ID == "" { // it may bring lines: see finishUnlinked
			return outcome, nil
		}
		return outcome, p.rememberUnlinked(head, pending.Head, outcome)
	}
	defer func() {
		if err == nil {
			p.remember(decided.Links(head.ID, links))
		}
	}()
	if err := p.recordSeen(head, pending.Head, true); err != nil {
		return "", err
	}
	if pending.ID == "" && p.Store.Rested(p.Now().Add(-session.KeptFor)) {
		if states, err = p.RecentSessions(); err != nil { // the links may be of earlier commits
			return "", err
		}
	}
	if list == nil {
		list = func() (shadow.Listing, error) {
			return shadow.Probe(p.Repo, p.DB, append(condense.Bases(p.parentOf(head), states), head.ID)...)
		}
	}
	listing, err := list()
	if err != nil {
		return "", err
	}
	branch, err := checkpoints.ReadBranch(p.DB, listing.Checkpoints)
	if err != nil {
		return "", err
	}
	held, err := branch.Holds(p.DB, links...)
	if err != nil {
		return "", err
	}
	id := linkToFill(links, held, pending)
	switch {
	case id == "" && len(beside) > 0:
		return p.linkOnlyBeside(ctx, linkedCommit{head: head, links: links, states: states, branch: branch, beside: beside, how: checkpoints.Chosen})
	case id == "":
		return "the commit's link is an earlier checkpoint", p.recordCopiedLinks(ctx, head, links, states)
	}
	switch {
	case id != pending.ID:
		pending = pendingLink{} // the pending link is of another commit
	case pending.replays() && !pending.isOf(head):
		pending.Replaces = nil
	}
	p.Entry.Link = id
	c := linkedCommit{
		head: head, id: id, links: links, states: states, listing: listing, branch: branch, parentTree: parent,
		agents: pending.Agents, partial: pending.Partial, beside: beside, sides: pending.Sides,
	}
	if len(beside) > 0 {
		c.how = checkpoints.Chosen
	}
	if c.changes, err = p.DB.DiffTrees(parent, head.Tree); err != nil {
		return "", err
	}
	if pending.ID == "" {
		c.agents = p.committers(states)
	}
	if err := p.decide(ctx, &c, pending); err != nil {
		return "", err
	}
	switch {
	case len(c.matches) == 0 && len(c.plan.From) == 0 && !held[id]:
		return "no session's work is in the commit", nil
	case c.keepsLinks() && len(beside) == 0:
		recordLinks(states, links, head.ID, nil, p.Now())
		return keepsLinks, shadow.Apply(ctx, p.DB, p.Store, nil, states)
	}
	if manyFiles(states) {
		c.paths = p.paths(c)
	}
	return p.writeCheckpoint(ctx, c)
}

// rememberUnlinked records that a commit has no link. before is what HEAD was when it was begun, if
// that is known.
func (p *condenser) rememberUnlinked(head gitexec.Commit, before gitexec.OID, outcome string) error {
	if outcome == replayedUnlinked {
		p.remember(decided.Made(head.ID))
	} else {
		p.remember(decided.Links(head.ID, nil))
	}
	return p.recordSeen(head, before, false)
}

// recordSeen records that the commit that a hook is called for was compared.
func (p *condenser) recordSeen(head gitexec.Commit, before gitexec.OID, linked bool) error {
	from := []gitexec.OID{p.parentOf(head), before}
	if err := p.moveSeenHead(from, head.ID); err != nil || !linked && p.replays(head) {
		return err
	}
	carriesOn := func(gitexec.OID) bool { return len(head.Parents) < 2 } // what a merge brings was not compared
	return relink.Advance(p.Repo.SharedDir(), from, head.ID, carriesOn)
}

// recordCopiedLinks records a commit that has only links of others, for example a cherry-picked
// one, in the sessions' states: it may be reset and committed again. In a rebase post-rewrite does
// so.
func (p *condenser) recordCopiedLinks(ctx context.Context, head gitexec.Commit, links []string, states []*session.State) error {
	known := slices.ContainsFunc(states, func(s *session.State) bool {
		return slices.ContainsFunc(s.Linked, func(l session.Link) bool { return slices.Contains(links, l.ID) && l.Commit != head.ID })
	})
	if !known || p.Repo.Operation().RebasedBranch() != "" {
		return nil
	}
	recordLinks(states, links, head.ID, nil, p.Now())
	return shadow.Apply(ctx, p.DB, p.Store, nil, states)
}

// warnOfConversation warns a user who has committed a session's metadata, as a squash of a shadow
// branch does.
func (p *condenser) warnOfConversation(head gitexec.Commit, parent gitexec.OID) error {
	holds, err := shadow.AddsConversation(p.DB, head, parent)
	if holds {
		p.WarnLater(fmt.Sprintf("commit %s holds a session's conversation in %s; pushes of it are refused\n"+
			"hint: git rm -rq --cached %[2]s && git commit --amend --no-edit removes it",
			head.ID.Short(), shadow.MetadataDir))
	}
	return err
}

// withParent reads a commit and its first parent's tree: the empty tree for a root commit.
func (p *hook) withParent(commit gitexec.OID) (head gitexec.Commit, parentTree gitexec.OID, err error) {
	commits, err := p.DB.Commits(commit)
	if err != nil {
		return head, "", err
	}
	parentTree, err = p.DB.ParentTree(commits[0])
	return commits[0], parentTree, err
}

// writeCheckpoint writes the checkpoint and the remainder, and moves all refs in one transaction.
func (p *condenser) writeCheckpoint(ctx context.Context, c linkedCommit) (string, error) {
	w, err := p.prepareCheckpoint(ctx, c)
	if err != nil {
		return "", err
	}
	return w.outcome, shadow.Apply(ctx, p.DB, p.Store, w.refs, w.states)
}

// commit reads a commit; there is false if it isn't here, as of an empty ID.
func (p *hook) commit(id gitexec.OID) (c gitexec.Commit, there bool, err error) {
	if id == "" || id.IsZero() {
		return c, false, nil
	}
	found, err := p.DB.Any(id)
	if err != nil || found[0].Type != "commit" {
		return c, false, err
	}
	c, err = gitexec.ParseCommit(found[0].ID, found[0].Data)
	return c, err == nil, err
}

// parentOf is a commit's first parent; all zeros for a root commit.
func (p *hook) parentOf(c gitexec.Commit) gitexec.OID {
	if len(c.Parents) == 0 {
		return p.Repo.Format.Zero()
	}
	return c.Parents[0]
}
