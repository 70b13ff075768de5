package commits

import (
	"context"
	"os"

	"entire-plumb/internal/decided"
	"entire-plumb/internal/journal"
	"entire-plumb/internal/workspace"
)

// Open opens the workspace of dir. It begins the record of what this clone decided, with what the
// journal knows. Its errors are those of [workspace.Env.Open].
func Open(ctx context.Context, e workspace.Env, dir string) (*workspace.Run, error) {
	w, err := e.Open(ctx, dir)
	if err != nil {
		return nil, err
	}
	if dir := w.Repo.SharedDir(); journaled(dir) && !decided.Begun(dir) {
		_ = decided.Begin(dir, decidedBefore(dir)) // what cannot be kept is said where something is decided
	}
	return w.Run(), nil
}

// journaled reports whether a hook has written to the journal.
func journaled(sharedDir string) bool {
	_, err := os.Stat(journal.File(sharedDir))
	return err == nil
}
