package hooks

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/commits"
	"entire-plumb/internal/explain"
	"entire-plumb/internal/journal"
	"entire-plumb/internal/turns"
	"entire-plumb/internal/workspace"
)

// deadline is how long a hook may take before it gives up and lets the commit, or the agent,
// proceed.
var deadline = 60 * time.Second

// Git runs one of git's hooks, by its name and git's arguments. The commit always proceeds: errors
// are reported in one line on stderr and in the journal. Where this program is not enabled, or HEAD
// has no commit, it prints nothing.
func (e Env) Git(ctx context.Context, hook string, args []string) {
	ctx, stop := context.WithTimeout(ctx, deadline)
	defer stop()
	err := e.Guard(ctx, hook, func() error { return e.runGit(ctx, hook, args) })
	if err != nil && !workspace.NotRecorded(err) {
		e.Warn(fmt.Sprintf("%s: %s; the commit is not affected", hook, explain.OneLine(explain.Error(ctx, err))))
	}
}

func (e Env) runGit(ctx context.Context, hook string, args []string) error {
	args = append(slices.Clone(args), "", "", "")
	if args[0] == "" && (hook == "prepare-commit-msg" || hook == "commit-msg") {
		return errors.New("git gives the message file as the first argument, and there is none")
	}
	if hook == "commit-msg" {
		return commits.CommitMsg(ctx, e.Env, args[0])
	}
	begun := time.Now()
	run, err := commits.Open(ctx, e.Env, e.Dir)
	if err != nil {
		return err
	}
	handle, err := e.gitHook(ctx, run, hook, args)
	if err != nil {
		return err
	}
	outcome, err := run.Retry(ctx, func() (string, error) { return handle(ctx) })
	return run.Finish(journal.Entry{Hook: hook, Commit: string(run.Head.ID), Outcome: outcome}, begun, err)
}

// gitHook is what one of git's hooks does. It can be done again: stdin is read here.
func (e Env) gitHook(ctx context.Context, run *workspace.Run, hook string, args []string) (func(context.Context) (string, error), error) {
	switch hook {
	case "prepare-commit-msg":
		return func(ctx context.Context) (string, error) { return prepareCommitMsg(ctx, run, args) }, nil
	case "post-commit":
		return func(ctx context.Context) (string, error) { return commits.PostCommit(ctx, run) }, nil
	case "post-merge":
		return func(ctx context.Context) (string, error) { return commits.PostMerge(ctx, run) }, nil
	case "post-rewrite":
		var successors map[gitexec.OID]gitexec.OID
		if !device(e.Stdin) {
			var err error
			if successors, err = commits.Rewritten(fromGit(ctx, e.Stdin)); err != nil {
				return nil, err
			}
		}
		return func(ctx context.Context) (string, error) { return commits.PostRewrite(ctx, run, successors) }, nil
	}
	return func(context.Context) (string, error) { return "", fmt.Errorf("unknown hook %q", hook) }, nil
}

// prepareCommitMsg finds out which turns are over, or have come here, before it chooses the links.
func prepareCommitMsg(ctx context.Context, run *workspace.Run, args []string) (string, error) {
	if err := turns.BeforeCommit(ctx, run); err != nil {
		return "", err
	}
	return commits.PrepareCommitMsg(ctx, run, args[0], args[1], args[2])
}
