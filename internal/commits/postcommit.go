package commits

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
	"entire-plumb/internal/workspace"
	"entire-plumb/shadow"
)

// PostCommit condenses what the commit at HEAD holds of the sessions' work, if it has a link, and
// carries the remainder forward. Eight processes, ten with a remainder. Pending links of earlier
// commits come first. A commit without a link for which prepare-commit-msg didn't run is looked at
// again: see finishUnlinked.
func PostCommit(ctx context.Context, run *workspace.Run) (string, error) {
	pending := current(ReadPending(run.Repo.PrivateDir()))
	again := ReadSeenHead(run.Repo.PrivateDir()).Head == run.Head.ID // by a command, or as before an amend that changes nothing
	outcome, err := condenseHead(ctx, run, pending)
	if err != nil || pending.ID != "" || outcome != unlinkedCommit && outcome != replayedUnlinked {
		return outcome, err
	}
	return finishUnlinked(ctx, run, outcome, again)
}

// condenseHead fills the pending link of the commit at HEAD, after those of earlier commits.
func condenseHead(ctx context.Context, run *workspace.Run, pending PendingLink) (string, error) {
	err := finishLate(ctx, run)
	outcome := ""
	if err == nil {
		outcome, err = condenseCommit(ctx, run, run.Head.ID, pending)
	}
	if replaying(run) && !pending.replays() && len(pending.Sides) == 0 { // the pending link is of another commit
		return outcome, err
	}
	switch {
	case err != nil && pending.ID != "":
		err = postpone(ctx, run, pending, run.Head.ID, err)
	case err == nil:
		os.Remove(templateFile(run.Repo.PrivateDir()))
		if pending.ID != "" { // without one, the queue may hold another commit's link
			err = removePending(ctx, run.Repo, pending)
		}
	}
	return outcome, err
}

// condenseCommit condenses what a commit holds of the sessions' work, under the lock.
func condenseCommit(ctx context.Context, run *workspace.Run, commit gitexec.OID, pending PendingLink) (outcome string, err error) {
	err = run.Locked(ctx, func() error {
		if pending.ID != "" && len(pending.Sessions) > 0 { // else nobody's state is needed
			if err := restoreLost(run, pending.Head); err != nil {
				run.WarnLater(explain.OneLine(err))
			}
		}
		sessions := run.Sessions
		if pending.ID != "" && (len(pending.Sessions) == 0 || len(pending.Replaces) > 0) {
			sessions = run.RecentSessions // an earlier commit's sessions may be at rest
		}
		states, err := sessions()
		if err != nil {
			return err
		}
		outcome, err = condenseLinked(ctx, run, commit, states, pending)
		return err
	})
	return outcome, err
}

// condenseLinked does so if the commit has a link whose checkpoint is not written.
func condenseLinked(ctx context.Context, run *workspace.Run, commit gitexec.OID, states []*session.State, pending PendingLink) (outcome string, err error) {
	list, stop, err := warmUp(ctx, run, states, pending)
	defer stop()
	if err != nil {
		return "", err
	}
	head, parent, err := withParent(run.DB, commit)
	if err != nil {
		return "", err
	}
	if err := warnOfConversation(run, head, parent); err != nil {
		return "", err
	}
	links, beside := pending.linksOf(head, run.Settings.Links())
	if err := RecordCommit(run.Repo, head, pending, len(links) > 0); err != nil {
		return "", err
	}
	if len(links) == 0 {
		return unlinked(run, head, pending)
	}
	defer func() {
		if err == nil {
			Remember(run, decided.Links(head.ID, links))
		}
	}()
	if err := RecordSeen(run.Repo, head, pending.Head, true); err != nil {
		return "", err
	}
	if pending.ID == "" && run.Store.Rested(run.Now().Add(-session.KeptFor)) {
		if states, err = run.RecentSessions(); err != nil { // the links may be of earlier commits
			return "", err
		}
	}
	c := LinkedCommit{Head: head, Links: links, States: states, Beside: beside, ParentTree: parent}
	if len(beside) > 0 {
		c.How = checkpoints.Chosen
	}
	if list == nil {
		list = func() (shadow.Listing, error) {
			return shadow.Probe(run.Repo, run.DB, append(condense.Bases(ParentOf(run.Repo, head), states), head.ID)...)
		}
	}
	if c.Listing, err = list(); err != nil {
		return "", err
	}
	if c.Branch, err = checkpoints.ReadBranch(run.DB, c.Listing.Checkpoints); err != nil {
		return "", err
	}
	return fillCommit(ctx, run, c, pending)
}

// warmUp starts the processes that the checkpoint of a pending link needs, while others run. list
// lists the streams; it is nil where the process that reads the stash will do so, or no link is
// pending. No process outlives stop.
func warmUp(ctx context.Context, run *workspace.Run, states []*session.State, pending PendingLink) (
	list func() (shadow.Listing, error), stop func(), err error,
) {
	var stops []func()
	stop = func() {
		for _, s := range slices.Backward(stops) {
			s()
		}
	}
	if pending.ID == "" {
		return nil, stop, nil
	}
	if !shadow.MayHaveStashes(run.Repo) {
		list = gitexec.InBackground(func() (shadow.Listing, error) { return shadow.List(ctx, run.Repo) })
		stops = append(stops, func() { _, _ = list() })
	}
	if err := run.DB.Warm(); err != nil {
		return list, stop, err
	}
	run.DB.WarmCommits()
	if !manyFiles(states) {
		discard := run.Repo.WarmPatchTrees(ctx, nil)
		stops = append(stops, func() { _ = discard() })
	}
	discard := run.Repo.WarmRefUpdate(ctx, shadow.Reason)
	stops = append(stops, func() { _ = discard() })
	return list, stop, nil
}

// unlinked is the outcome for a commit without a link.
func unlinked(run *workspace.Run, head gitexec.Commit, pending PendingLink) (string, error) {
	outcome := unlinkedCommit
	if replays(run.Repo, head) {
		outcome = replayedUnlinked
	}
	if pending.ID == "" { // it may bring lines: see finishUnlinked
		return outcome, nil
	}
	return outcome, rememberUnlinked(run, head, pending.Head, outcome)
}

// fillCommit writes the checkpoint of one of the commit's links, if one lacks it.
func fillCommit(ctx context.Context, run *workspace.Run, c LinkedCommit, pending PendingLink) (string, error) {
	held, err := c.Branch.Holds(run.DB, c.Links...)
	if err != nil {
		return "", err
	}
	c.ID = linkToFill(c.Links, held, pending)
	switch {
	case c.ID == "" && len(c.Beside) > 0:
		return linkOnlyBeside(ctx, run, c)
	case c.ID == "":
		return "the commit's link is an earlier checkpoint", recordCopiedLinks(ctx, run, c.Head, c.Links, c.States)
	}
	pending = pending.filling(c.ID, c.Head)
	run.Entry.Link = c.ID
	c.Agents, c.Partial, c.sides = pending.Agents, pending.Partial, pending.Sides
	if c.Changes, err = run.DB.DiffTrees(c.ParentTree, c.Head.Tree); err != nil {
		return "", err
	}
	if pending.ID == "" {
		c.Agents = committers(run, c.States)
	}
	if err := decideCommit(ctx, run, &c, pending); err != nil {
		return "", err
	}
	switch {
	case len(c.matches) == 0 && len(c.plan.From) == 0 && !held[c.ID]:
		return "no session's work is in the commit", nil
	case c.keepsLinks() && len(c.Beside) == 0:
		recordLinks(c.States, c.Links, c.Head.ID, nil, run.Now())
		return keepsLinks, shadow.Apply(ctx, run.DB, run.Store, nil, c.States)
	}
	if manyFiles(c.States) {
		c.paths = paths(c, func(path gitexec.Path) bool { return NotInWorktree(run.Repo, path) })
	}
	return writeCheckpoint(ctx, run, c)
}

// rememberUnlinked records that a commit has no link. before is what HEAD was when it was begun, if
// that is known.
func rememberUnlinked(run *workspace.Run, head gitexec.Commit, before gitexec.OID, outcome string) error {
	if outcome == replayedUnlinked {
		Remember(run, decided.Made(head.ID))
	} else {
		Remember(run, decided.Links(head.ID, nil))
	}
	return RecordSeen(run.Repo, head, before, false)
}

// RecordSeen records that the commit that a hook is called for was compared.
func RecordSeen(repo *gitexec.Repo, head gitexec.Commit, before gitexec.OID, linked bool) error {
	from := []gitexec.OID{ParentOf(repo, head), before}
	if err := moveSeenHead(repo, from, head.ID); err != nil || !linked && replays(repo, head) {
		return err
	}
	carriesOn := func(gitexec.OID) bool { return len(head.Parents) < 2 } // what a merge brings was not compared
	return relink.Advance(repo.SharedDir(), from, head.ID, carriesOn)
}

// recordCopiedLinks records a commit that has only links of others, for example a cherry-picked
// one, in the sessions' states: it may be reset and committed again. In a rebase post-rewrite does
// so.
func recordCopiedLinks(ctx context.Context, run *workspace.Run, head gitexec.Commit, links []string, states []*session.State) error {
	if !linkedElsewhere(states, links, head.ID) || run.Repo.Operation().RebasedBranch() != "" {
		return nil
	}
	recordLinks(states, links, head.ID, nil, run.Now())
	return shadow.Apply(ctx, run.DB, run.Store, nil, states)
}

// linkedElsewhere reports whether sessions know one of the links of another commit.
func linkedElsewhere(states []*session.State, links []string, commit gitexec.OID) bool {
	return slices.ContainsFunc(states, func(s *session.State) bool {
		return slices.ContainsFunc(s.Linked, func(l session.Link) bool { return slices.Contains(links, l.ID) && l.Commit != commit })
	})
}

// warnOfConversation warns a user who has committed a session's metadata, as a squash of a shadow
// branch does.
func warnOfConversation(run *workspace.Run, head gitexec.Commit, parent gitexec.OID) error {
	holds, err := shadow.AddsConversation(run.DB, head, parent)
	if holds {
		run.WarnLater(fmt.Sprintf("commit %s holds a session's conversation in %s; pushes of it are refused\n"+
			"hint: git rm -rq --cached %[2]s && git commit --amend --no-edit removes it",
			head.ID.Short(), shadow.MetadataDir))
	}
	return err
}

// withParent reads a commit and its first parent's tree: the empty tree for a root commit.
func withParent(db *gitexec.ODB, commit gitexec.OID) (head gitexec.Commit, parentTree gitexec.OID, err error) {
	commits, err := db.Commits(commit)
	if err != nil {
		return head, "", err
	}
	parentTree, err = db.ParentTree(commits[0])
	return commits[0], parentTree, err
}

// writeCheckpoint writes the checkpoint and the remainder, and moves all refs in one transaction.
func writeCheckpoint(ctx context.Context, run *workspace.Run, c LinkedCommit) (string, error) {
	w, err := PrepareCheckpoint(ctx, run, c)
	if err != nil {
		return "", err
	}
	return w.Outcome, shadow.Apply(ctx, run.DB, run.Store, w.Refs, w.States)
}

// readCommit reads a commit; there is false if it isn't here, as of an empty ID.
func readCommit(db *gitexec.ODB, id gitexec.OID) (c gitexec.Commit, there bool, err error) {
	if id == "" || id.IsZero() {
		return c, false, nil
	}
	found, err := db.Any(id)
	if err != nil || found[0].Type != "commit" {
		return c, false, err
	}
	c, err = gitexec.ParseCommit(found[0].ID, found[0].Data)
	return c, err == nil, err
}

// ParentOf is a commit's first parent; all zeros for a root commit.
func ParentOf(repo *gitexec.Repo, c gitexec.Commit) gitexec.OID {
	if len(c.Parents) == 0 {
		return repo.Format.Zero()
	}
	return c.Parents[0]
}
