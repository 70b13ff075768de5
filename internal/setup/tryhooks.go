package setup

import (
	"context"
	"slices"

	"entire-plumb/gitexec"
	"entire-plumb/internal/githooks"
	"entire-plumb/internal/safefile"
)

// TryHooks has git run those of its hooks that are ours alone, and returns those that did not reach
// the program, which does nothing but say so. A hook that runs others, too, is not tried: they may
// do anything. states are the hooks' states by their names. Two processes a hook.
func TryHooks(ctx context.Context, repo *gitexec.Repo, states map[string]string) (failed []string, err error) {
	temp, err := repo.TempDir()
	if err != nil {
		return nil, err
	}
	defer temp.Remove()
	probe := githooks.Probe(temp.Dir)
	for _, name := range githooks.Names {
		if states[name] != string(githooks.Current) || name == "commit-msg" { // which starts the program only where it has to
			continue
		}
		if err := safefile.Write(probe, nil, 0o600); err != nil {
			return nil, err
		}
		if err := repo.RunHook(ctx, name, githooks.ProbeVariable+"="+probe); ctx.Err() != nil {
			return nil, err
		}
		if !slices.Contains(githooks.ProbedHooks(probe), name) {
			failed = append(failed, name)
		}
	}
	return failed, nil
}
