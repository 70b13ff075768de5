package hooks

import (
	"context"

	"entire-plumb/gitexec"
	"entire-plumb/internal/workspace"
)

// Env is what a hook takes from the world around it.
type Env struct{ workspace.Env }

// What hooks do is in layers, each of which needs those before it and no other.
type (
	// hook is one run of a hook in its workspace, and the commit that it acts on: what HEAD named
	// when the workspace was opened, unless it is said otherwise.
	hook struct {
		*workspace.Workspace
		Head gitexec.Head
	}

	// memory knows where HEAD was seen last, and which of the sessions' commits were reset.
	memory struct{ hook }

	// condenser writes a commit's checkpoint: after the commit, or as soon as it can.
	condenser struct{ memory }

	// linker gives links to commits: before them, and when git rewrites them.
	linker struct{ condenser }

	// recorder chooses the stream of a session's work, and writes to it.
	recorder struct{ linker }

	// turns records what an agent's turns did.
	turns struct{ recorder }

	// events answers an agent's hooks.
	events struct{ turns }
)

// in makes a run of a hook in a workspace.
func in(w *workspace.Workspace) *events {
	return &events{turns{recorder{linker{condenser{memory{hook{w, w.Repo.Head}}}}}}}
}

// on is the same run where it acts on another commit.
func (p *turns) on(head gitexec.Head) *turns {
	there := *p
	there.Head = head
	return &there
}

func (p *events) on(head gitexec.Head) *events { return &events{*p.turns.on(head)} }

func (p *recorder) on(head gitexec.Head) *recorder {
	there := *p
	there.Head = head
	return &there
}

// open opens the workspace of dir.
func (e Env) open(ctx context.Context, dir string) (*events, error) {
	w, err := e.Open(ctx, dir)
	if err != nil {
		return nil, err
	}
	return in(w), nil
}
