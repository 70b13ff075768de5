package hooks

import (
	"context"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
)

// reading is a repository opened to read what is recorded in it.
type reading struct {
	env    Env
	repo   *gitexec.Repo
	db     *gitexec.ODB
	branch condense.Branch
}

// read opens the repository for a command that prints what is recorded, and changes nothing. The caller closes it.
func (e Env) read(ctx context.Context) (*reading, error) {
	// Objects are read through a git that finds the repository by itself, which comes up beside the one that tells where it is.
	here := gitexec.Here(e.Dir, e.Tracer)
	r := &reading{env: e, db: here.ODB(ctx)}
	if err := r.db.Objects.Warm(); err != nil {
		return nil, err
	}
	repo, err := gitexec.Discover(ctx, e.Dir, e.Tracer)
	if err == nil {
		err = repo.Born()
	}
	if err == nil {
		r.repo, here.Format = repo, repo.Format
		r.branch, err = condense.ReadBranches(ctx, repo, r.db)
	}
	if err != nil {
		r.close()
		return nil, err
	}
	return r, nil
}

func (r *reading) close() { r.db.Close() }

// catchUp is CatchUp for a command that reads: what it has read already is read again if anything was finished, and done says so.
func (r *reading) catchUp(ctx context.Context) (done bool, err error) {
	if !r.env.CatchUp(ctx, r.repo) {
		return false, nil
	}
	r.db.Close()
	r.db = r.repo.ODB(ctx)
	r.branch, err = condense.ReadBranches(ctx, r.repo, r.db)
	return true, err
}
