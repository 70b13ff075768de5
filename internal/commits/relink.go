package commits

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/amount"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/decided"
	"entire-plumb/internal/explain"
	"entire-plumb/internal/journal"
	"entire-plumb/internal/message"
	"entire-plumb/internal/relink"
	"entire-plumb/internal/workspace"
	"entire-plumb/shadow"
)

// mostInHook is how many new commits a hook compares with the checkpoints; a command compares all.
// It is what a pull of some weeks brings; the first comparison of 100,000 commits takes seconds,
// for which no merge should wait.
const mostInHook = 500

// Relink finds the commits in HEAD's history that hold the work of linked commits which were
// squashed, rebased or picked where no hook of ours ran, and stores links beside them. Commands
// call it when they have opened the repository; db reads it. A failure costs the command only a
// line on stderr. It reports whether it stored a link.
func Relink(ctx context.Context, e workspace.Env, repo *gitexec.Repo, db *gitexec.ODB) bool {
	if repo.Born() != nil || !(&relink.Search{DB: db, Dir: repo.SharedDir(), Head: repo.Head.ID}).Needed() {
		return false
	}
	w := e.OpenStates(ctx, repo)
	if w == nil || !w.Installed() {
		return false
	}
	w.DB = db
	run := w.Run()
	run.Store.ReadOnly = false
	linked, err := relinkCommits(ctx, run, 0, e.Warn)
	w.PrintWarnings()
	if err != nil && ctx.Err() == nil { // a later command goes on where this one was interrupted
		e.Warn("commits cannot be compared with the checkpoints: " + explain.OneLine(explain.Error(ctx, err)))
	}
	if line := w.NotSigned(); line != "" {
		e.Warn(line)
	}
	return linked > 0
}

// sometimes calls a function at most every two seconds, and not in the first one.
func sometimes() func(say func()) {
	next := time.Now().Add(time.Second)
	return func(say func()) {
		if now := time.Now(); now.After(next) {
			say()
			next = now.Add(2 * time.Second)
		}
	}
}

// RelinkInHook is relinkCommits for hooks: a failure, or what takes long, is left to a command.
func RelinkInHook(ctx context.Context, run *workspace.Run) {
	if relink.Compared(run.Repo.SharedDir(), run.Head.ID) {
		return
	}
	if _, err := relinkCommits(ctx, run, mostInHook, func(string) {}); err != nil && !leftToCommand(err) {
		run.WarnLater("commits cannot be compared with the checkpoints: " + explain.OneLine(err))
	}
}

// leftToCommand reports whether a command can do what a hook could not: it has the time for it, and
// fetches what a partial clone lacks.
func leftToCommand(err error) bool {
	return errors.Is(err, relink.ErrTooMuch) || gitexec.IsUnfetched(err)
}

// PostMerge runs after a merge or a pull.
func PostMerge(ctx context.Context, run *workspace.Run) (string, error) {
	rememberMerge(ctx, run)
	linked, err := relinkCommits(ctx, run, mostInHook, func(string) {})
	switch {
	case leftToCommand(err):
		return "the new commits are compared with the checkpoints by the next command", nil
	case linked > 0:
		return fmt.Sprintf("linked %s that %s the work of linked ones", amount.Of(linked, "commit"), amount.ByNumber(linked, "holds", "hold")), err
	}
	return "no new commit holds the work of a linked one", err
}

// rememberMerge keeps that git made a merge here, for which no other hook ran.
func rememberMerge(ctx context.Context, run *workspace.Run) {
	head, err := run.DB.Commit(run.Head.ID)
	if err != nil || len(head.Parents) < 2 {
		return
	}
	moves, err := run.HeadMoves(ctx)
	if err == nil && len(moves) > 0 && moves[0].To == run.Head.ID && strings.Contains(moves[0].Why, ": Merge made by ") { // else it came from elsewhere
		Remember(run, decided.Made(run.Head.ID))
	}
}

// replays reports whether git makes the commit of others, also by a revert, which may leave no
// other mark than its subject.
func replays(repo *gitexec.Repo, c gitexec.Commit) bool {
	return repo.Operation().Replays() || repo.Operation().Concludes() || message.Reverts(c.Message)
}

// relinkCommits does it, and returns how many commits it linked. It says how far it is, where that
// takes long.
func relinkCommits(ctx context.Context, run *workspace.Run, most int, say func(string)) (linked int, err error) {
	tip, err := shadow.CheckpointsTip(run.Repo, run.DB)
	if err != nil {
		return 0, err
	}
	branch, err := checkpoints.ReadWithOrigin(run.DB, tip)
	if err != nil {
		return 0, err
	}
	now := sometimes()
	s := relink.Search{
		Repo: run.Repo, DB: run.DB, Branch: branch, Dir: run.Repo.SharedDir(), Head: run.Head.ID, Most: most,
		Decided: func() (func(gitexec.OID) bool, error) { return wasDecided(run.Repo) },
		Over:    func(ids []string) { warnOver(run, ids) },
		Progress: func(done, all int) {
			now(func() { say(fmt.Sprintf("compared %d of %s with the checkpoints", done, amount.Of(all, "commit"))) })
		},
		Reading: func(done int) {
			now(func() { say(fmt.Sprintf("read %s to compare commits with", amount.Of(done, "checkpoint"))) })
		},
	}
	if run.Head.ID.IsZero() || !s.Needed() || run.Repo.Operation().Replays() {
		return 0, nil
	}
	if err := s.Begin(ctx); err != nil {
		return 0, err
	}
	for more := true; more; {
		var links []checkpoints.SideLink
		var done func() error
		if links, done, more, err = s.Next(ctx); err != nil {
			return linked, err
		}
		if err := storeSideLinks(ctx, run, links); err != nil {
			return linked, err
		}
		linked += len(links)
		if err := done(); err != nil {
			return linked, err
		}
	}
	return linked, nil
}

// warnOver names checkpoints that no commit is compared with.
func warnOver(run *workspace.Run, ids []string) {
	named := strings.Join(ids[:min(3, len(ids))], ", ")
	if len(ids) > 3 {
		named += ", …"
	}
	run.WarnLater(fmt.Sprintf("commits are not compared with %s, which %s more lines than are read: %s", amount.Of(len(ids), "checkpoint"),
		amount.ByNumber(len(ids), "lists", "list"), named))
}

// storeSideLinks stores links beside commits, and a line in the journal for each commit.
func storeSideLinks(ctx context.Context, run *workspace.Run, links []checkpoints.SideLink) error {
	if len(links) == 0 {
		return nil
	}
	var refs []shadow.RefChange
	var b *batch
	err := run.Locked(ctx, func() (err error) {
		b = &batch{edits: gitexec.Edits{}}
		if b.branch, err = readBranch(run.Repo, run.DB); err != nil {
			return err
		}
		if b.states, err = run.RecentSessions(); err != nil { // a reset of these commits is one of the sessions' work
			return err
		}
		for _, l := range links {
			if _, err := Reconcile(ctx, run, Request{Way: ByContent, Commit: l.Commit, found: &l, batch: b}); err != nil {
				return err
			}
		}
		if refs, err = checkpoints.WriteBranch(run.DB, b.branch, b.edits, run.Author(nil), fmt.Sprintf("Link %s beside %s\n", amount.Of(len(links), "commit"), amount.ByNumber(len(links), "it", "them"))); err != nil {
			return err
		}
		return shadow.Apply(ctx, run.DB, run.Store, refs, b.changed)
	})
	if err != nil || len(refs) == 0 { // another command was faster
		return err
	}
	Remember(run, b.decided...)
	for _, l := range slices.Backward(links) {
		journal.Append(run.Repo.SharedDir(), journal.Entry{Time: run.Now().UTC(), Hook: journal.NoHook, Worktree: run.Repo.WorktreeID(),
			Commit: string(l.Commit), Link: l.Checkpoints[0], Outcome: l.Reason})
	}
	return nil
}
