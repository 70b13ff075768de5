package hooks

import (
	"context"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/explain"
	"entire-plumb/internal/journal"
	"entire-plumb/shadow"
)

// CatchUp finishes what hooks of ours that were killed, or never came, have left undone: see
// finishPending and finalizeLost. It is called at the entry of a command. What it cannot do costs
// the command nothing but a line on stderr. It starts no process where nothing is owed, changes
// nothing that another program uses, and reports whether there was anything to finish.
func (e Env) CatchUp(ctx context.Context, repo *gitexec.Repo) bool {
	if repo.Born() != nil {
		return false
	}
	p, err := e.owed(ctx, repo)
	if p == nil {
		return false
	}
	p.Store.ReadOnly = false
	begun := time.Now()
	outcome := "finished what hooks left undone"
	if err == nil {
		if shadow.Unfinished(repo) {
			err = p.Locked(ctx, func() error { return nil })
		}
		if err == nil {
			err = p.finishPending(ctx)
		}
		if err == nil {
			err = p.finalizeLost(ctx, "")
		}
	}
	if err = p.Finish(journal.Entry{Hook: "command", Commit: string(repo.Head.ID), Outcome: outcome}, begun, err); err != nil {
		e.Warn("what a hook left undone cannot be finished now: " + explain.OneLine(explain.Error(ctx, err)))
	}
	return true
}

// owed opens the repository if there is something to finish; else it is nil. The error is what
// hindered finding out.
func (e Env) owed(ctx context.Context, repo *gitexec.Repo) (*condenser, error) {
	w := e.Of(ctx, repo)
	if w == nil {
		return nil, nil
	}
	p := &in(w).condenser
	lost, err := p.lost("")
	if err == nil && len(lost) == 0 && len(readPending(w.Repo.PrivateDir())) == 0 && !shadow.Unfinished(w.Repo) {
		return nil, nil
	}
	return p, err
}
