// Package query answers questions about what was recorded, and resolves every name that a user may
// type: it writes nothing.
package query

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/message"
	"entire-plumb/internal/session"
	"entire-plumb/internal/workspace"
)

// Source is what questions are asked of: the repository of a directory.
type Source struct {
	workspace.Env
	// CatchUp finishes what hooks left undone, before anything is read, and reports whether there
	// was anything.
	CatchUp func(context.Context, *gitexec.Repo) bool
}

// Reader is a repository opened to read what is recorded in it.
type Reader struct {
	Env    workspace.Env
	Repo   *gitexec.Repo
	DB     *gitexec.ODB
	Branch checkpoints.Branch
	moved  bool // something was finished: what was read before it was opened may be old
}

// Open opens the repository. The caller closes it.
func (e Source) Open(ctx context.Context) (*Reader, error) {
	// Objects are read through a git that finds the repository by itself, which comes up beside the
	// one that says where it is.
	here := gitexec.Here(e.Dir, e.Tracer)
	r := &Reader{Env: e.Env, DB: here.ODB(ctx)}
	if err := r.DB.Objects.Warm(); err != nil {
		return nil, err
	}
	repo, err := gitexec.Discover(ctx, e.Dir, e.Tracer)
	if err == nil {
		err = repo.Born()
	}
	if err == nil {
		r.Repo, here.Format = repo, repo.Format
		if r.moved = e.CatchUp(ctx, repo); r.moved {
			r.DB.Close()
			r.DB = repo.ODB(ctx)
		}
		r.Branch, err = checkpoints.ReadBranches(ctx, repo, r.DB)
	}
	if err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// Close ends the processes that read for it.
func (r *Reader) Close() { r.DB.Close() }

// States are the session states on this machine.
func (r *Reader) States() session.Store {
	return session.Store{Dir: workspace.StateDir(r.Repo), Warn: r.Env.Warn, ReadOnly: true}
}

// commitsNamed lists the commits of a revision or a range; or those that link a checkpoint, if that
// is what the name stands for, or one of a session or a turn.
func (r *Reader) commitsNamed(ctx context.Context, name string) ([]gitexec.OID, error) {
	ids, err := r.Repo.RevList(ctx, name)
	if err == nil {
		return ids, nil
	}
	err = fmt.Errorf("%q names no commits: %w\nhint: a commit, a checkpoint, a session, or a range as in main..feature", name, err)
	found, err2 := r.Resolve(ctx, name)
	var none *NotFoundError
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
		by, _, err := r.CommittedSessions()
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
	linking, err := r.Linking(ctx, checkpoints...)
	ids = nil
	for _, c := range linking {
		ids = append(ids, c.ID)
	}
	return ids, err
}

// Linking gives the commits on branches and tags that link any of the checkpoints, newest first.
// One process.
func (r *Reader) Linking(ctx context.Context, checkpoints ...string) ([]gitexec.Commit, error) {
	texts := make([]string, len(checkpoints))
	for i, id := range checkpoints {
		texts[i] = message.LinkKey + ": " + id
	}
	ids, err := r.Repo.FindCommits(ctx, texts)
	if err != nil {
		return nil, err
	}
	commits, err := r.DB.Commits(ids...)
	return slices.DeleteFunc(commits, func(c gitexec.Commit) bool {
		return !slices.ContainsFunc(message.Links(c.Message), func(link string) bool { return slices.Contains(checkpoints, link) }) // it only speaks of one
	}), err
}

// with gives a list with the values that it doesn't have yet.
func with(list []string, values ...string) []string {
	for _, v := range values {
		if !slices.Contains(list, v) {
			list = append(list, v)
		}
	}
	return list
}
