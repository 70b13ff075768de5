package hooks

import (
	"context"
	"strings"

	"entire-plumb/gitexec"
	"entire-plumb/internal/agent"
	"entire-plumb/internal/explain"
	"entire-plumb/internal/githooks"
)

// restoreHooks puts back those of git's hooks that somebody deleted or overwrote, and notifies the
// user in a line. Commits would have no link without them. No process.
func (p *hook) restoreHooks(ctx context.Context, verb string) {
	if !p.Settings.RestoreHooks || verb != agent.SessionStart && verb != agent.Prompt && verb != agent.Stop {
		return
	}
	done, err := githooks.Restore(ctx, p.Repo.SharedDir(), p.Repo.HooksDir, p.Repo.Top)
	if len(done.Hooks) > 0 {
		p.notifyAndNote("git's hooks that were deleted or overwritten are back: " + strings.Join(done.Hooks, ", "))
	}
	switch {
	case err != nil:
		p.WarnLater("git's hooks cannot be put back: " + explain.OneLine(explain.Error(ctx, err)))
	case done.Elsewhere:
		p.notifyAndNote("git takes its hooks from " + gitexec.Harmless(p.Repo.HooksDir) + ", and none there calls entire-plumb: commits get no link. Run " +
			"entire-plumb enable")
	case len(done.Missing) > 0:
		p.notifyAndNote("some of git's hooks don't call entire-plumb: " + strings.Join(done.Missing, ", ") + ". Run entire-plumb enable")
	}
}

func (p *hook) notifyAndNote(text string) {
	p.notify(text)
	p.Note(text)
}
