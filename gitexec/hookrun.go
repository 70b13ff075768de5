package gitexec

import "context"

// RunHook has git run the hook that it would run, in the worktree's top level, with variables
// (NAME=value) in its environment. It is no failure where there is none. One process, and the
// hook's.
func (r *Repo) RunHook(ctx context.Context, name string, env ...string) error {
	_, err := r.output(ctx, command{args: []string{"hook", "run", "--ignore-missing", name}, env: env})
	return err
}
