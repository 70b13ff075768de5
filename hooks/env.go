package hooks

import (
	"context"

	"entire-plumb/internal/workspace"
)

// Env is what a hook takes from the world around it.
type Env struct{ workspace.Env }

// place is a workspace, opened for one hook.
type place struct {
	*workspace.Workspace
}

// open opens the workspace of dir.
func (e Env) open(ctx context.Context, dir string) (*place, error) {
	w, err := e.Open(ctx, dir)
	if err != nil {
		return nil, err
	}
	return &place{Workspace: w}, nil
}
