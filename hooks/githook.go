package hooks

import (
	"context"
	"fmt"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/commits"
	"entire-plumb/internal/explain"
	"entire-plumb/internal/journal"
	"entire-plumb/internal/turns"
	"entire-plumb/internal/workspace"
)

// deadline is how long one of git's hooks may take before it gives up and lets the commit proceed.
const deadline = 60 * time.Second

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
	arg := func(i int) string {
		if i < len(args) {
			return args[i]
		}
		return ""
	}
	if arg(0) == "" && (hook == "prepare-commit-msg" || hook == "commit-msg") {
		return fmt.Errorf("git gives the message file as the first argument, and there is none")
	}
	if hook == "commit-msg" {
		return commits.CommitMsg(ctx, e.Env, arg(0))
	}
	begun := time.Now()
	run, err := commits.Open(ctx, e.Env, e.Dir)
	if err != nil {
		return err
	}
	var successors map[gitexec.OID]gitexec.OID
	if hook == "post-rewrite" && !device(e.Stdin) {
		if successors, err = commits.Rewritten(e.Stdin); err != nil {
			return err
		}
	}
	outcome, err := run.Retry(ctx, func() (string, error) {
		switch hook {
		case "prepare-commit-msg":
			if err := turns.EndInterruptedAtCommit(ctx, run); err != nil {
				run.WarnLater(explain.OneLine(explain.Error(ctx, err)))
			}
			if err := turns.EnterByCommit(ctx, run); err != nil {
				run.WarnLater(explain.OneLine(explain.Error(ctx, err)))
			}
			return commits.PrepareCommitMsg(ctx, run, arg(0), arg(1), arg(2))
		case "post-commit":
			given := commits.Current(commits.ReadPending(run.Repo.PrivateDir())).ID != ""
			again := commits.ReadSeenHead(run.Repo.PrivateDir()).Head == run.Head.ID // by a command, or as before an amend that changes nothing
			outcome, err := commits.PostCommit(ctx, run)
			if err != nil || given || outcome != commits.UnlinkedCommit && outcome != commits.ReplayedUnlinked {
				return outcome, err
			}
			return commits.FinishUnlinked(ctx, run, outcome, again)
		case "post-merge":
			return commits.PostMerge(ctx, run)
		case "post-rewrite":
			return commits.PostRewrite(ctx, run, successors)
		}
		return "", fmt.Errorf("unknown hook %q", hook)
	})
	return run.Finish(journal.Entry{Hook: hook, Commit: string(run.Head.ID), Outcome: outcome}, begun, err)
}
