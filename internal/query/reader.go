// Package query answers questions about what was recorded, and resolves every name that a user may
// type: it writes nothing.
package query

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/message"
	"entire-plumb/internal/session"
	"entire-plumb/internal/workspace"
)

// Source is the repository of a directory, not yet opened.
type Source struct {
	workspace.Env
	// CatchUp finishes pending work of hooks before anything is read, and reports whether there was
	// any.
	CatchUp func(context.Context, workspace.Env, *gitexec.Repo) bool
	// Relink links commits that hold the work of linked ones, and reports whether there were any.
	Relink func(context.Context, workspace.Env, *gitexec.Repo, *gitexec.ODB) bool
}

// Reader is a repository, opened to read what is recorded in it.
type Reader struct {
	Env    workspace.Env
	Repo   *gitexec.Repo
	DB     *gitexec.ODB
	Branch checkpoints.Branch
	moved  bool // CatchUp changed something: what was read before Open may be outdated

	sources *checkpoints.Sources // nil: not asked for yet
}

// whose finds out whose word something is.
func (r *Reader) whose(ctx context.Context) *checkpoints.Sources {
	if r.sources == nil {
		r.sources = r.Branch.Sources(ctx, r.Repo, r.DB)
	}
	return r.sources
}

// Open opens the repository. The caller closes it.
func (e Source) Open(ctx context.Context) (*Reader, error) {
	// The git that reads objects finds the repository on its own, so that it starts concurrently
	// with the one that reports where the repository is.
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
		r.Repo = repo
		here.Found(repo)
		if e.CatchUp(ctx, e.Env, repo) {
			r.reopen(ctx)
		}
		if e.Relink(ctx, e.Env, repo, r.DB) {
			r.reopen(ctx)
		}
		r.Branch, err = checkpoints.ReadBranches(ctx, repo, r.DB)
	}
	if err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// reopen forgets what was read.
func (r *Reader) reopen(ctx context.Context) {
	r.moved = true
	r.DB.Close()
	r.DB = r.Repo.ODB(ctx)
}

// Close ends its git processes.
func (r *Reader) Close() { r.DB.Close() }

// States are the session states on this machine.
func (r *Reader) States() session.Store {
	return session.Store{Dir: workspace.StateDir(r.Repo), Warn: r.Env.Warn, ReadOnly: true}
}

// commitsNamed lists the commits of a revision or a range, or the commits that link a checkpoint,
// a session's or a turn's checkpoints.
func (r *Reader) commitsNamed(ctx context.Context, name string) ([]gitexec.Commit, error) {
	ids, err := r.Repo.RevList(ctx, name)
	if err == nil {
		return r.DB.Commits(ids...)
	}
	err = fmt.Errorf("%q names no commits: %w\nhint: give a commit, checkpoint, session or turn, or a range such as main..feature", name,
		err)
	found, err2 := r.Resolve(ctx, name)
	switch {
	case errors.As(err2, new(*NotFoundError)):
		return nil, err
	case err2 != nil:
		return nil, err2
	case found.Commit != "":
		return r.DB.Commits(found.Commit)
	}
	linked, err2 := r.checkpointsOf(found)
	if err2 != nil || len(linked) == 0 {
		return nil, cmp.Or(err2, err)
	}
	return r.Linking(ctx, linked...)
}

// last reads the last commits of a revision or a range.
func (r *Reader) last(ctx context.Context, most int, revs string) ([]gitexec.Commit, error) {
	ids, err := r.Repo.Latest(ctx, most, revs)
	if err != nil {
		return nil, err
	}
	return r.DB.Commits(ids...)
}

// checkpointsOf lists the committed checkpoints of what a name means, unless that is a commit.
func (r *Reader) checkpointsOf(n Named) ([]string, error) {
	switch {
	case n.Checkpoint != "":
		return []string{n.Checkpoint}, nil
	case n.Turn != nil:
		return n.Turn.Checkpoints, nil
	}
	by, _, err := r.CommittedSessions()
	if s := by[n.Session]; s != nil && err == nil {
		return s.Checkpoints, nil
	}
	return nil, err
}

// Linking lists the commits on branches and tags that link any of the checkpoints, newest first.
// One process, two if there are side links to them.
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
	if err != nil {
		return nil, err
	}
	links := func(id string) bool { return slices.Contains(checkpoints, id) }
	commits = slices.DeleteFunc(commits, func(c gitexec.Commit) bool { // the text may be no trailer
		return !slices.ContainsFunc(message.Links(c.Message), links)
	})
	beside, err := SideLinking(ctx, r, checkpoints...)
	if err != nil || len(beside) == 0 {
		return commits, err
	}
	for _, c := range beside {
		if !slices.ContainsFunc(commits, func(known gitexec.Commit) bool { return known.ID == c.ID }) {
			commits = append(commits, c)
		}
	}
	slices.SortStableFunc(commits, func(a, b gitexec.Commit) int { return b.When.Compare(a.When) })
	return commits, nil
}

// SideLinking lists the commits on branches and tags that have a side link to any of the
// checkpoints. One process, if there are any.
func SideLinking(ctx context.Context, r *Reader, checkpoints ...string) ([]gitexec.Commit, error) {
	linked, err := r.Branch.SideLinked(r.DB, checkpoints...)
	if err != nil || len(linked) == 0 {
		return nil, err
	}
	all := slices.Sorted(maps.Keys(linked))
	found, err := r.DB.Info(all...)
	if err != nil {
		return nil, err
	}
	var ids []gitexec.OID
	for i, o := range found {
		if o.Type == "commit" {
			ids = append(ids, all[i])
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	if ids, err = r.Repo.Reachable(ctx, ids); err != nil {
		return nil, err
	}
	return r.DB.Commits(ids...)
}

// with appends the values that a list doesn't have yet.
func with(list []string, values ...string) []string {
	for _, v := range values {
		if !slices.Contains(list, v) {
			list = append(list, v)
		}
	}
	return list
}
