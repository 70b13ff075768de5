package setup

import (
	"context"

	"entire-plumb/gitexec"
	"entire-plumb/internal/githooks"
)

// Repair installs git's hooks again where they are missing, outdated or overwritten, as Enable does.
// It returns its changes, one line each.
func Repair(ctx context.Context, repo *gitexec.Repo, exe string) ([]string, error) {
	if err := checkHooks(ctx, repo); err != nil {
		return nil, err
	}
	stubs, err := githooks.Install(repo.HooksDir, exe)
	var done []string
	for _, c := range stubs {
		if c.Action != githooks.Unchanged && c.Action != githooks.Wanted && c.Action != githooks.Left {
			done = append(done, describeStub(c))
		}
	}
	return done, err
}
