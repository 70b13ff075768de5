package hooks

import (
	"context"

	"entire-plumb/gitexec"
	"entire-plumb/internal/decided"
	"entire-plumb/internal/journal"
	"entire-plumb/internal/workspace"
)

// Env is the environment of a hook.
type Env struct {
	workspace.Env
	User bool // a hook of an agent is of the user's own settings, not of the repository's
}

// Hooks are built in layers; each needs only those before it.
type (
	// hook is one run of a hook in its workspace, and the commit that it acts on: by default HEAD
	// when the workspace was opened.
	hook struct {
		*workspace.Workspace
		Head gitexec.Head
	}

	// history knows what HEAD was last, and which of the sessions' commits were reset.
	history struct {
		hook
		reflog reflog // as it was read last
	}

	// condenser writes a commit's checkpoint, after the commit or as soon as possible.
	condenser struct{ history }

	// finder finds the commits that hooks did not finish, or that ran none.
	finder struct{ condenser }

	// linker adds links to commits before they are made, and updates them when git rewrites
	// commits.
	linker struct{ finder }

	// recorder chooses the stream of a session's work, and writes to it.
	recorder struct{ linker }

	// divider finds out what of a turn's changes is the agent's.
	divider struct{ recorder }

	// turns records what agents change in their turns.
	turns struct{ divider }

	// events answers an agent's hooks.
	events struct{ turns }
)

// newRun makes a run of a hook in a workspace.
func newRun(w *workspace.Workspace) *events {
	return &events{turns{divider{recorder{linker{finder{condenser{history{hook: hook{w, w.Repo.Head}}}}}}}}}
}

// on is the same run on another commit.
func (p *turns) on(head gitexec.Head) *turns {
	other := *p
	other.Head = head
	return &other
}

func (p *events) on(head gitexec.Head) *events { return &events{*p.turns.on(head)} }

func (p *recorder) on(head gitexec.Head) *recorder {
	other := *p
	other.Head = head
	return &other
}

// open opens the workspace of dir.
func (e Env) open(ctx context.Context, dir string) (*events, error) {
	w, err := e.Open(ctx, dir)
	if err != nil {
		return nil, err
	}
	if dir := w.Repo.SharedDir(); exists(journal.File(dir)) && !decided.Begun(dir) {
		_ = decided.Begin(dir, decidedBefore(dir)) // what cannot be kept is said where something is decided
	}
	return newRun(w), nil
}
