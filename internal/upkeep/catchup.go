package upkeep

import (
	"context"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/commits"
	"entire-plumb/internal/explain"
	"entire-plumb/internal/journal"
	"entire-plumb/internal/turns"
	"entire-plumb/internal/workspace"
	"entire-plumb/shadow"
)

// CatchUp finishes what killed hooks, or hooks that never ran, left undone: see
// commits.FinishPending and turns.FinalizeUnfinished. Commands call it at their entry. A failure
// costs the command only a line on stderr. It starts no process where nothing is unfinished and
// HEAD did not move without our hooks, changes nothing that another program uses, and reports
// whether it recorded anything.
func CatchUp(ctx context.Context, e workspace.Env, repo *gitexec.Repo) bool {
	if repo.Born() != nil {
		return false
	}
	run, moved, err := openUnfinished(ctx, e, repo)
	if run == nil {
		return false
	}
	run.Store.ReadOnly = false
	begun := time.Now()
	outcome := "finished what hooks left undone"
	switch {
	case err != nil:
	case moved:
		var linked int
		// HEAD moves with each switch of branches: a line in the journal for each would push out
		// those that say something.
		if linked, err = commits.LinkHookless(ctx, run); err == nil && linked == 0 {
			run.DB.Close()
			return false
		}
	default:
		err = finish(ctx, run)
	}
	if err = run.Finish(journal.Entry{Hook: "command", Commit: string(repo.Head.ID), Outcome: outcome}, begun, err); err != nil && ctx.Err() == nil {
		e.Warn("what a hook left undone cannot be finished now: " + explain.OneLine(explain.Error(ctx, err)))
	}
	return true
}

// finish finishes transactions, commits and turns, each where there is one.
func finish(ctx context.Context, run *workspace.Run) error {
	if shadow.Unfinished(run.Repo) {
		if err := run.Locked(ctx, func() error { return nil }); err != nil {
			return err
		}
	}
	if err := commits.FinishPending(ctx, run); err != nil {
		return err
	}
	return turns.FinalizeUnfinished(ctx, run, "")
}

// openUnfinished opens the repository if there is something to finish; else it returns nil. moved
// says that nothing is known to be unfinished, but HEAD moved without our hooks. The error is why
// that could not be found out.
func openUnfinished(ctx context.Context, e workspace.Env, repo *gitexec.Repo) (run *workspace.Run, moved bool, err error) {
	w := e.OpenStates(ctx, repo)
	if w == nil {
		return nil, false, nil
	}
	run = w.Run()
	lost, err := turns.Unfinished(run, "")
	if err != nil || len(lost) > 0 || len(commits.ReadPending(w.Repo.PrivateDir())) > 0 || shadow.Unfinished(w.Repo) {
		return run, false, err
	}
	if seen := commits.ReadSeenHead(w.Repo.PrivateDir()); seen.Head == "" || seen.Head == repo.Head.ID || !w.Installed() {
		return nil, false, nil
	}
	return run, true, nil
}
