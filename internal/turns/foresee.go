package turns

import (
	"context"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/commits"
	"entire-plumb/internal/explain"
	"entire-plumb/internal/workspace"
)

// Foresee is commits.Foresee, with what prepare-commit-msg finds out about turns first.
func Foresee(ctx context.Context, e workspace.Env, repo *gitexec.Repo) (*checkpoints.Foreseen, error) {
	return commits.Foresee(ctx, e, repo, BeforeCommit)
}

// BeforeCommit finds out which turns are over, or have come here, before a commit's links are
// chosen. What fails costs the user a line.
func BeforeCommit(ctx context.Context, run *workspace.Run) error {
	for _, step := range []func(context.Context, *workspace.Run) error{EndInterruptedAtCommit, EnterByCommit} {
		run.WarnOf(explain.Error(ctx, step(ctx, run)))
	}
	return ctx.Err()
}
