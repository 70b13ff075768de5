package hooks

import (
	"context"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/explain"
	"entire-plumb/internal/journal"
	"entire-plumb/internal/workspace"
	"entire-plumb/shadow"
)

// CatchUp finishes what killed hooks, or hooks that never ran, left undone: see finishPending and
// finalizeUnfinished. Commands call it at their entry. A failure costs the command only a line on
// stderr. It starts no process where nothing is unfinished and HEAD did not move without our hooks,
// changes nothing that another program uses, and reports whether it recorded anything.
func CatchUp(ctx context.Context, e workspace.Env, repo *gitexec.Repo) bool {
	if repo.Born() != nil {
		return false
	}
	p, moved, err := openUnfinished(ctx, e, repo)
	if p == nil {
		return false
	}
	p.Store.ReadOnly = false
	begun := time.Now()
	outcome := "finished what hooks left undone"
	if err == nil && moved {
		var linked int
		if linked, err = linkHookless(ctx, p); err == nil && linked == 0 {
			p.DB.Close()
			return false
		}
	} else if err == nil {
		if shadow.Unfinished(repo) {
			err = p.Locked(ctx, func() error { return nil })
		}
		if err == nil {
			err = finishPending(ctx, p)
		}
		if err == nil {
			err = finalizeUnfinished(ctx, p, "")
		}
	}
	if err = p.Finish(journal.Entry{Hook: "command", Commit: string(repo.Head.ID), Outcome: outcome}, begun, err); err != nil {
		e.Warn("what a hook left undone cannot be finished now: " + explain.OneLine(explain.Error(ctx, err)))
	}
	return true
}

// openUnfinished opens the repository if there is something to finish; else it returns nil. moved says
// that nothing is known to be unfinished, but HEAD moved without our hooks. The error is why that
// could not be found out.
func openUnfinished(ctx context.Context, e workspace.Env, repo *gitexec.Repo) (p *workspace.Run, moved bool, err error) {
	w := e.OpenStates(ctx, repo)
	if w == nil {
		return nil, false, nil
	}
	p = w.Run()
	lost, err := unfinishedTurns(p, "")
	if err != nil || len(lost) > 0 || len(readPending(w.Repo.PrivateDir())) > 0 || shadow.Unfinished(w.Repo) {
		return p, false, err
	}
	if seen := readSeenHead(w.Repo.PrivateDir()); seen.Head == "" || seen.Head == repo.Head.ID || !w.Installed() {
		return nil, false, nil
	}
	return p, true, nil
}
