package workspace

import (
	"context"

	"entire-plumb/internal/githooks"
	"entire-plumb/shadow"
)

// Snapshot takes a snapshot. Another process may have moved HEAD meanwhile: the snapshot says what
// HEAD was.
func (w *Workspace) Snapshot(ctx context.Context) (shadow.Snapshot, error) {
	return shadow.TakeSnapshot(ctx, w.Repo, w.DB, w.Settings.MaxUntrackedBytes)
}

// Installed reports whether git's hooks here are ours, or were until another program, such as
// husky, took their place. If not, sessions and streams may belong to another program with the same
// names for them, such as the entire CLI.
func (w *Workspace) Installed() bool { return githooks.Ours(w.Repo.SharedDir(), w.Repo.HooksDir) }
