package hooks

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/message"
	"entire-plumb/internal/query"
	"entire-plumb/internal/session"
	"entire-plumb/internal/workspace"
)

// reading is a repository opened to read what is recorded in it.
type reading struct {
	env    Env
	repo   *gitexec.Repo
	db     *gitexec.ODB
	branch condense.Branch
}

// read opens the repository for a command that prints what is recorded, and changes nothing. The
// caller closes it.
func (e Env) read(ctx context.Context) (*reading, error) {
	// Objects are read through a git that finds the repository by itself, which comes up beside the
	// one that tells where it is.
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

// names looks up what a user types.
func (r *reading) names() query.Place {
	return query.Place{Repo: r.repo, DB: r.db, Branch: r.branch, States: session.Store{Dir: workspace.StateDir(r.repo), Warn: r.env.Warn, ReadOnly: true}}
}

// commitsNamed lists the commits of a revision or a range; or those that link a checkpoint, if that
// is what the name stands for, or one of a session or a turn.
func (r *reading) commitsNamed(ctx context.Context, name string) ([]gitexec.OID, error) {
	ids, err := r.repo.RevList(ctx, name)
	if err == nil {
		return ids, nil
	}
	err = fmt.Errorf("%q names no commits: %w\nhint: a commit, a checkpoint, a session, or a range as in main..feature", name, err)
	found, err2 := r.names().Resolve(ctx, name)
	var none *query.NotFoundError
	switch {
	case errors.As(err2, &none):
		return nil, err
	case err2 != nil:
		return nil, err2
	}
	var checkpoints []string
	switch {
	case found.Checkpoint != "":
		checkpoints = []string{found.Checkpoint}
	case found.Turn != nil:
		checkpoints = found.Turn.Checkpoints
	case found.Session != "":
		by, _, err := r.committedSessions()
		if err != nil {
			return nil, err
		}
		if s := by[found.Session]; s != nil {
			checkpoints = s.Checkpoints
		}
	default:
		return []gitexec.OID{found.Commit}, nil
	}
	if len(checkpoints) == 0 {
		return nil, err
	}
	return r.linking(ctx, checkpoints...)
}

// linking lists the commits on branches and tags that link any of the checkpoints, newest first.
// One process.
func (r *reading) linking(ctx context.Context, checkpoints ...string) ([]gitexec.OID, error) {
	texts := make([]string, len(checkpoints))
	for i, id := range checkpoints {
		texts[i] = message.LinkKey + ": " + id
	}
	ids, err := r.repo.FindCommits(ctx, texts)
	if err != nil {
		return nil, err
	}
	commits, err := r.db.Commits(ids...)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(ids, func(id gitexec.OID) bool {
		c := commits[slices.IndexFunc(commits, func(c gitexec.Commit) bool { return c.ID == id })]
		return !slices.ContainsFunc(message.Links(c.Message), func(link string) bool { return slices.Contains(checkpoints, link) })
	}), nil
}

func (r *reading) close() { r.db.Close() }

// catchUp is CatchUp for a command that reads: what it has read already is read again if anything
// was finished, and done says so.
func (r *reading) catchUp(ctx context.Context) (done bool, err error) {
	if !r.env.CatchUp(ctx, r.repo) {
		return false, nil
	}
	r.db.Close()
	r.db = r.repo.ODB(ctx)
	r.branch, err = condense.ReadBranches(ctx, r.repo, r.db)
	return true, err
}
