package hooks

import (
	"context"
	"strings"

	"entire-plumb/internal/agent"
	"entire-plumb/internal/explain"
	"entire-plumb/internal/githooks"
	"entire-plumb/internal/workspace"
)

// restoreHooks puts back those of git's hooks that somebody deleted or overwrote, and notifies the
// user in a line. Commits would have no link without them. No process.
func restoreHooks(ctx context.Context, run *workspace.Run, verb string) {
	if !run.Settings.RestoreHooks || verb != agent.SessionStart && verb != agent.Prompt && verb != agent.Stop {
		return
	}
	done, err := githooks.Restore(ctx, run.Repo.SharedDir(), run.Repo.HooksDir, run.Repo.Top)
	if len(done.Hooks) > 0 {
		notifyAndNote(run, "git's hooks that were deleted or overwritten are back: "+strings.Join(done.Hooks, ", "))
	}
	switch {
	case err != nil:
		run.WarnLater("git's hooks cannot be put back: " + explain.OneLine(explain.Error(ctx, err)))
	case done.Elsewhere, len(done.Missing) > 0:
		notifyAndNote(run, done.Problem(run.Repo.HooksDir)+". Run entire-plumb enable")
	}
}

func notifyAndNote(run *workspace.Run, text string) {
	run.Notify(text)
	run.Note(text)
}
