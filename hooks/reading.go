package hooks

import (
	"context"
	"time"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/journal"
	"entire-plumb/internal/redact"
	"entire-plumb/internal/session"
	"entire-plumb/internal/settings"
	"entire-plumb/shadow"
)

// reading is a repository opened to read what is recorded in it.
type reading struct {
	repo   *gitexec.Repo
	db     *gitexec.ODB
	branch condense.Branch

	caughtUp bool // something was made up for first: what was read before that may be out of date
}

// read opens the repository for a command that prints what is recorded, after what hooks left undone was made up for. The caller
// closes its object database.
func (e Env) read(ctx context.Context) (*reading, error) {
	// Objects are read through a git that finds the repository by itself, which comes up beside the one that tells where it is.
	here := gitexec.Here(e.Dir, e.Tracer)
	r := &reading{db: here.ODB(ctx)}
	if err := r.db.Objects.Warm(); err != nil {
		return nil, err
	}
	repo, err := gitexec.Discover(ctx, e.Dir, e.Tracer)
	if err == nil {
		err = repo.Born()
	}
	if err != nil {
		r.db.Close()
		return nil, err
	}
	r.repo, here.Format = repo, repo.Format
	if owed, _ := e.owed(ctx, repo); owed != nil {
		e.CatchUp(ctx, repo)
		r.caughtUp = true
		r.db.Close()
		r.db = repo.ODB(ctx)
	}
	if err := r.readBranch(); err != nil {
		r.db.Close()
		return nil, err
	}
	if legacy, err := shadow.MayHaveLegacy(r.db, repo.Head, repo.WorktreeID()); err == nil && legacy {
		r.caughtUp = e.adoptLegacy(ctx, repo) || r.caughtUp
	}
	return r, nil
}

// adoptLegacy gives streams on HEAD that have legacy names their suffix, lest they aren't shown, and reports whether it could.
func (e Env) adoptLegacy(ctx context.Context, repo *gitexec.Repo) bool {
	p, err := e.open(ctx, repo.Top)
	if err != nil {
		return false // not enabled here: nothing is written
	}
	defer p.db.Close()
	err = p.locked(ctx, func() error {
		listing, err := shadow.List(ctx, p.repo)
		if err == nil {
			_, err = p.adopt(ctx, listing)
		}
		return err
	})
	if err != nil {
		e.warn("streams with names of an older form stay as they are: " + OneLine(Explain(ctx, err)))
	}
	return err == nil
}

// readBranch reads the tip of the committed checkpoints' branch, if there is one.
func (r *reading) readBranch() error {
	tip, err := shadow.CheckpointsTip(r.repo, r.db)
	if err == nil {
		r.branch, err = condense.ReadBranch(r.db, tip)
	}
	return err
}

// CatchUp makes up for what hooks that were killed, or never came, have left undone: see finishPending and finalizeLost. What it cannot do costs
// a command nothing but a line on stderr. It starts no process where nothing is owed.
func (e Env) CatchUp(ctx context.Context, repo *gitexec.Repo) {
	if repo.Born() != nil {
		return
	}
	p, err := e.owed(ctx, repo)
	if p == nil {
		return
	}
	begun := time.Now()
	outcome := "made up for what hooks left undone"
	if err == nil {
		if shadow.Unfinished(repo) {
			err = p.locked(ctx, func() error { return nil })
		}
		if err == nil {
			err = p.finishPending(ctx)
		}
		if err == nil {
			err = p.finalizeLost(ctx, "")
		}
	}
	if err = p.close(journal.Entry{Hook: "command", Commit: string(repo.Head), Outcome: outcome}, begun, err); err != nil {
		e.warn("what a hook left undone cannot be made up for now: " + OneLine(Explain(ctx, err)))
	}
}

// owed tells what is there to be made up for, and what hindered the telling: nil if it is nothing.
func (e Env) owed(ctx context.Context, repo *gitexec.Repo) (*place, error) {
	chosen, err := settings.Load(ctx, repo)
	if err != nil {
		return nil, nil
	}
	secrets, err := redact.New(chosen.Redaction)
	if err != nil {
		return nil, nil
	}
	p := &place{Env: e, repo: repo, settings: chosen, store: session.Store{Dir: StateDir(repo), Warn: e.warn, Secrets: secrets}, db: repo.ODB(ctx)}
	lost, err := p.lost("")
	if err == nil && len(lost) == 0 && len(readPending(repo.PrivateDir())) == 0 && !shadow.Unfinished(repo) {
		return nil, nil
	}
	return p, err
}
