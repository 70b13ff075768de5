package setup

import (
	"context"

	"entire-plumb/gitexec"
	"entire-plumb/internal/githooks"
	"entire-plumb/internal/settings"
)

// Repair installs git's hooks again where they are missing, outdated or overwritten, as Enable
// does. It returns its changes, one line each; none in a directory that Enable has not used. The
// entire CLI's are taken over again if they were before.
func Repair(ctx context.Context, repo *gitexec.Repo, exe string) ([]string, error) {
	if err := checkHooks(ctx, repo); err != nil || !githooks.Used(repo.SharedDir(), repo.HooksDir) {
		return nil, err
	}
	var done []string
	again, err := settings.Switched(ctx, repo)
	if err == nil && again {
		var taken []string
		if taken, err = githooks.TakeOver(repo.HooksDir); len(taken) > 0 {
			done = append(done, putAside(taken))
		}
	}
	if err != nil {
		return done, err
	}
	stubs, err := githooks.Enable(ctx, repo.SharedDir(), repo.HooksDir, exe)
	return append(done, describeStubs(stubs, githooks.Unchanged, githooks.Wanted, githooks.Left)...), err
}
