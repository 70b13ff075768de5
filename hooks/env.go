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

// Run is one run of a hook or a command in its workspace, and the commit that it acts on: by
// default HEAD when the workspace was opened.
type Run struct {
	*workspace.Workspace
	Head   gitexec.Head
	reflog reflog // HEAD's, as it was read last
}

// newRun makes a run in a workspace.
func newRun(w *workspace.Workspace) *Run { return &Run{Workspace: w, Head: w.Repo.Head} }

// On is the same run on another commit.
func (r *Run) On(head gitexec.Head) *Run {
	other := *r
	other.Head = head
	return &other
}

// open opens the workspace of dir.
func (e Env) open(ctx context.Context, dir string) (*Run, error) {
	w, err := e.Open(ctx, dir)
	if err != nil {
		return nil, err
	}
	if dir := w.Repo.SharedDir(); exists(journal.File(dir)) && !decided.Begun(dir) {
		_ = decided.Begin(dir, decidedBefore(dir)) // what cannot be kept is said where something is decided
	}
	return newRun(w), nil
}
