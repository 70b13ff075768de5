package workspace

import (
	"context"
	"slices"

	"entire-plumb/internal/ancestry"
	"entire-plumb/internal/githooks"
	"entire-plumb/internal/session"
	"entire-plumb/shadow"
)

// Ancestors lists the processes above this one. They are looked up once.
func (w *Workspace) Ancestors() []ancestry.Process {
	if w.ancestors == nil {
		w.ancestors = append([]ancestry.Process{}, ancestry.Of()...)
	}
	return w.ancestors
}

// AgentAlive reports whether the process that began a session's turn still runs, and whether that
// can be known.
func (w *Workspace) AgentAlive(s *session.State) (alive, known bool) {
	if s.AgentProcess == nil || len(w.Ancestors()) == 0 {
		return false, false
	}
	return s.AgentProcess.Alive(), true
}

// GitBeside says which git command is under way that a move of the branch would cost: it has read
// HEAD already, and would fail. While the user writes a commit's message, that is `git commit`.
func (w *Workspace) GitBeside() string {
	if verb := ancestry.RunningIn(w.Repo.Top, besides); verb != "" {
		return "git " + verb + " is under way"
	}
	return ""
}

// besides are the commands that read HEAD and move it, or write the index.
var besides = []string{"commit", "merge", "rebase", "cherry-pick", "revert", "am", "pull", "reset", "checkout", "switch", "stash"}

// Snapshot takes a snapshot, beside which somebody may have moved HEAD: what is done with it is
// done there.
func (w *Workspace) Snapshot(ctx context.Context) (shadow.Snapshot, error) {
	return shadow.TakeSnapshot(ctx, w.Repo, w.DB, w.Settings.MaxUntrackedBytes)
}

// Installed reports whether git's hooks here are ours. Where they aren't, sessions and streams may
// be those of another program that has the same names for them, as the entire CLI.
func (w *Workspace) Installed() bool {
	all, err := githooks.State(w.Repo.HooksDir, "")
	return err == nil && slices.ContainsFunc(all, func(h githooks.Hook) bool { return h.State.Calls() })
}
