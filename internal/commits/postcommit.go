package commits

import (
	"context"
	"fmt"
	"os"

	"entire-plumb/gitexec"
	"entire-plumb/internal/decided"
	"entire-plumb/internal/idle"
	"entire-plumb/internal/message"
	"entire-plumb/internal/relink"
	"entire-plumb/internal/workspace"
	"entire-plumb/shadow"
)

// PostCommit condenses what the commit at HEAD holds of the sessions' work, if it has a link, and
// carries the remainder forward. Pending links of earlier commits come first. A commit without a
// link is looked at again: see finishUnprepared and finishUnlinked. Five processes, eight with a
// remainder.
func PostCommit(ctx context.Context, run *workspace.Run) (string, error) {
	if _, err := finishIdle(ctx, run); err != nil {
		return "", err
	}
	pending, err := currentPrepared(ctx, run)
	if err != nil {
		return "", err
	}
	again := ReadSeenHead(run.Repo.PrivateDir()).Head == run.Head.ID // by a command, or as before an amend that changes nothing
	result, err := reconcileHead(ctx, run, pending)
	if err == nil && pending.ID == "" && result.Outcome.unlinked() {
		result, err = finishWithoutLink(ctx, run, result, again)
	}
	if err == nil { // else it is tried again
		idle.Started(run.Repo.PrivateDir())
	}
	run.Entry.Kind = result.Outcome.kind()
	return result.String(), err
}

// currentPrepared is the link of the commit at HEAD. It is dropped where prepare-commit-msg did not
// come to its end, and the message is without: the user has not removed what was never there.
func currentPrepared(ctx context.Context, run *workspace.Run) (pending PendingLink, err error) {
	dir := run.Repo.PrivateDir()
	pending = current(ReadPending(dir))
	if pending.ID == "" || len(pending.Beside) > 0 || replaying(run) || idle.IsPrepared(dir, pending.Head) {
		return pending, nil
	}
	head, there, err := readCommit(run.DB, run.Head.ID)
	if err != nil || !there || !pending.isOf(head) || len(message.Links(head.Message)) > 0 {
		return pending, err
	}
	return PendingLink{}, removePending(ctx, run.Repo, pending)
}

// finishWithoutLink finishes a commit for which no link waits. again: it was compared before.
func finishWithoutLink(ctx context.Context, run *workspace.Run, none Result, again bool) (Result, error) {
	if none.Outcome == NoLink && !again {
		links, known, err := finishUnprepared(ctx, run)
		switch {
		case err != nil:
			return none, err
		case !known:
			run.Entry.Commit = "" // as if no hook had run
			return none, nil
		case len(links) > 0:
			return Result{Outcome: Linked, Links: links}, nil
		}
	}
	result, err := finishUnlinked(ctx, run, none, again)
	if err == nil && len(result.Links) == 0 {
		err = beginIdle(ctx, run)
	}
	return result, err
}

// finishUnprepared compares a commit with the sessions' work that prepare-commit-msg has not
// judged, as one that no hook ran for: that hook may have been killed, and JGit, as in Eclipse, has
// none. It returns the links that the commit has now; known is false where that is found out later.
// It starts no process where the hook has judged the commit.
func finishUnprepared(ctx context.Context, run *workspace.Run) (links []string, known bool, err error) {
	head, _, err := readCommit(run.DB, run.Head.ID)
	dir := run.Repo.PrivateDir()
	if err != nil || idle.IsPrepared(dir, ParentOf(run.Repo, head)) {
		return nil, true, err
	}
	amended, err := amendedUnseen(ctx, run, head)
	if err != nil || amended.ID != "" && idle.IsPrepared(dir, amended.ID) {
		return nil, true, err
	}
	if _, err := linkUnseen(ctx, run); err != nil {
		return nil, false, err
	}
	links, _ = decided.Open(run.Repo.SharedDir()).Links(head.ID)
	return links, ReadSeenHead(dir).Head == head.ID, nil
}

// reconcileHead fills the pending link of the commit at HEAD, after those of earlier commits.
func reconcileHead(ctx context.Context, run *workspace.Run, pending PendingLink) (result Result, err error) {
	if err = finishLate(ctx, run); err == nil {
		result, err = reconcileLocked(ctx, run, Request{Way: WithHook, Commit: run.Head.ID, Pending: pending})
	}
	if replaying(run) && !pending.replays() && len(pending.Sides) == 0 { // the pending link is of another commit
		return result, err
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
	return result, err
}

func reconcileLocked(ctx context.Context, run *workspace.Run, r Request) (result Result, err error) {
	err = run.Locked(ctx, func() error {
		result, err = Reconcile(ctx, run, r)
		return err
	})
	return result, err
}

// warmUp starts the processes that the checkpoint of a link that a hook gave out needs, while
// others run. No process outlives stop.
func (c *linkedCommit) warmUp(ctx context.Context, run *workspace.Run) (stop func(), err error) {
	stop = func() {}
	if c.Way != WithHook || c.Pending.ID == "" {
		return stop, nil
	}
	if err := run.DB.Warm(); err != nil {
		return stop, err
	}
	patches, refs := run.Repo.WarmPatchTrees(ctx), run.Repo.WarmRefUpdate(ctx, shadow.Reason)
	return func() { _, _ = refs(), patches() }, nil
}

// rememberUnlinked records that a commit has no link. before is what HEAD was when it was begun, if
// that is known.
func rememberUnlinked(run *workspace.Run, head gitexec.Commit, before gitexec.OID, outcome Outcome) error {
	if outcome == NoLinkReplayed {
		Remember(run, decided.Made(head.ID))
	} else {
		Remember(run, decided.Links(head.ID, nil))
	}
	return recordSeen(run.Repo, head, before, false)
}

// recordSeen records that the commit that a hook is called for was compared.
func recordSeen(repo *gitexec.Repo, head gitexec.Commit, before gitexec.OID, linked bool) error {
	from := []gitexec.OID{ParentOf(repo, head), before}
	if err := moveSeenHead(repo, from, head.ID); err != nil || !linked && replays(repo, head) {
		return err
	}
	carriesOn := func(gitexec.OID) bool { return len(head.Parents) < 2 } // what a merge brings was not compared
	return relink.Advance(repo.SharedDir(), from, head.ID, carriesOn)
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
	c, err := db.Commit(commit)
	if err != nil {
		return head, "", err
	}
	parentTree, err = db.ParentTree(c)
	return c, parentTree, err
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
