// Package query answers questions about what was recorded, and resolves every name that a user may
// type: it writes nothing but its index.
package query

import (
	"context"
	"slices"
	"strings"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/session"
	"entire-plumb/internal/workspace"
	"entire-plumb/shadow"
)

// Source is the repository of a directory, not yet opened.
type Source struct {
	workspace.Env
	// CatchUp finishes pending work of hooks before anything is read, and reports whether there was
	// any.
	CatchUp func(context.Context, workspace.Env, *gitexec.Repo) bool
	// Relink links commits that hold the work of linked ones, and reports whether there were any.
	Relink func(context.Context, workspace.Env, *gitexec.Repo, *gitexec.ODB) bool
	// Foresee makes the commit that the worktree would be now.
	Foresee func(context.Context, workspace.Env, *gitexec.Repo) (*checkpoints.Foreseen, error)
	// Whereabouts says where the work of each checkpoint on a stream is, also of the streams that
	// were deleted and are kept.
	Whereabouts func(context.Context, workspace.Env) map[gitexec.OID]OnAStream
}

// OnAStream is a checkpoint on a stream, and where its work is.
type OnAStream struct {
	Session, Turn string
	Subject       string // describes the turn's prompt
	Part          shadow.Part
	When          time.Time
	Work          string                // worktree, stash, dismissed
	Dismissed     string                // why no place has the agent's work; empty: one has it
	Files         map[gitexec.Path]bool // that it changed, where that is known: one of them has its work
}

// Present are the files of a session's work that are not all dismissed on its streams.
func Present(works map[gitexec.OID]OnAStream, session string, files []gitexec.Path) []gitexec.Path {
	has, known := map[gitexec.Path]bool{}, map[gitexec.Path]bool{}
	for _, k := range works {
		for path, there := range k.Files {
			if k.Session == session {
				known[path], has[path] = true, has[path] || there
			}
		}
	}
	return slices.DeleteFunc(append([]gitexec.Path{}, files...), func(path gitexec.Path) bool { return known[path] && !has[path] })
}

// Reader is a repository, opened to read what is recorded in it.
type Reader struct {
	Env    workspace.Env
	Repo   *gitexec.Repo
	DB     *gitexec.ODB
	Branch checkpoints.Branch
	moved  bool // CatchUp changed something: what was read before Open may be outdated
	still  bool // the index is not written either
	listed bool // the branch lists otherRefs, too

	transcripts bool // what is shown has whole transcripts

	limit gitexec.Pathspecs // files to which what is shown is limited; empty: all

	foresee func(context.Context, workspace.Env, *gitexec.Repo) (*checkpoints.Foreseen, error)
	ahead   *Uncommitted // nil: not asked for yet
	located func(context.Context, workspace.Env) map[gitexec.OID]OnAStream
	works   map[gitexec.OID]OnAStream // nil: not asked for yet

	sources *checkpoints.Sources // nil: not asked for yet
	changed *changers            // with them
	known   *catalogue           // nil: not asked for yet
	judged  judged               // nil: not asked for yet

	inMessages messageLinks
	agents     map[string]string // by session, as far as asked for
}

// whose finds out whose word something is.
func (r *Reader) whose(ctx context.Context) *checkpoints.Sources {
	if r.sources == nil {
		r.sources = r.Branch.Sources(ctx, r.Repo, r.DB)
		r.changed = &changers{caches: caches{r.Repo, r.DB, r.Env}}
		r.sources.Changers = func(tip gitexec.OID, path gitexec.Path) ([]gitexec.OID, error) { return r.changed.of(ctx, tip, path) }
	}
	return r.sources
}

// Whereabouts says where the work of each checkpoint on a stream is; of one that it doesn't have,
// that is not known.
func (r *Reader) Whereabouts(ctx context.Context) map[gitexec.OID]OnAStream {
	if r.works == nil && r.located != nil {
		r.works = r.located(ctx, r.Env)
	}
	return r.works
}

// asItIs is a source of what is recorded so far: nothing is finished before it is read.
func (e Source) asItIs() Source {
	e.CatchUp = func(context.Context, workspace.Env, *gitexec.Repo) bool { return false }
	e.Relink = func(context.Context, workspace.Env, *gitexec.Repo, *gitexec.ODB) bool { return false }
	return e
}

// Open opens the repository. The caller closes it.
func (e Source) Open(ctx context.Context) (*Reader, error) { return e.open(ctx, false) }

// OpenFor opens it for a selection. Only the name of HEAD needs a commit there: a selection without
// names is about a history that may have none.
func (e Source) OpenFor(ctx context.Context, s Selection) (*Reader, error) {
	// HEAD~2 and main..HEAD name it, too.
	ofHead := func(name string) bool { return strings.Contains(name, "HEAD") }
	return e.open(ctx, !slices.ContainsFunc(s.Names, ofHead))
}

// open is Open, also where HEAD has no commit yet if that is allowed.
func (e Source) open(ctx context.Context, unborn bool) (*Reader, error) {
	// The git that reads objects finds the repository on its own, so that it starts concurrently
	// with the one that reports where the repository is.
	here := gitexec.Here(e.Dir, e.Tracer)
	r := &Reader{Env: e.Env, DB: here.ODB(ctx), foresee: e.Foresee, located: e.Whereabouts}
	// The reading git alone: most questions write no object.
	if err := r.DB.Objects.Warm(); err != nil {
		return nil, err
	}
	repo, err := gitexec.Discover(ctx, e.Dir, e.Tracer)
	if err == nil && !unborn {
		err = repo.Born()
	}
	if err == nil {
		r.Repo = repo
		here.Found(repo)
		repo.Announce(e.Warn)
		if e.CatchUp(ctx, e.Env, repo) {
			r.reopen(ctx)
		}
		if e.Relink(ctx, e.Env, repo, r.DB) {
			r.reopen(ctx)
		}
		others := otherRefs(repo)
		r.listed = len(others) > 0
		r.Branch, err = checkpoints.ReadBranches(ctx, repo, r.DB, others...)
		// Whoever can write a checkpoint can write a time that is to come into it, and would be the
		// latest for ever.
		r.Branch = judgedLater(ctx, r, checkpoints.AsOf(r.Branch, e.Now()))
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
func (r *Reader) Close() {
	r.ahead.close()
	r.known.close()
	if r.changed != nil {
		r.changed.close()
	}
	r.DB.Close()
}

// States are the session states on this machine.
func (r *Reader) States() session.Store {
	return session.Store{Dir: workspace.StateDir(r.Repo), Warn: r.Env.Warn, ReadOnly: true}
}

// checkpointsOf lists the committed checkpoints of what a name means, unless that is a commit.
func (r *Reader) checkpointsOf(ctx context.Context, n Named) ([]string, error) {
	switch {
	case n.Checkpoint != "":
		return []string{n.Checkpoint}, nil
	case n.Turn != nil:
		return n.Turn.Checkpoints, nil
	}
	by, _, err := r.CommittedSessions(ctx, n.Session)
	if s := by[n.Session]; s != nil && err == nil {
		return s.Checkpoints, nil
	}
	return nil, err
}
