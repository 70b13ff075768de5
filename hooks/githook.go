package hooks

import (
	"context"
	"fmt"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/explain"
	"entire-plumb/internal/journal"
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
		return commitMsg(ctx, e.Env, arg(0))
	}
	begun := time.Now()
	p, err := openRun(ctx, e.Env, e.Dir)
	if err != nil {
		return err
	}
	var successors map[gitexec.OID]gitexec.OID
	if hook == "post-rewrite" && !device(e.Stdin) {
		if successors, err = rewritten(e.Stdin); err != nil {
			return err
		}
	}
	outcome, err := p.Retry(ctx, func() (string, error) {
		switch hook {
		case "prepare-commit-msg":
			if err := endInterruptedAtCommit(ctx, p); err != nil {
				p.WarnLater(explain.OneLine(explain.Error(ctx, err)))
			}
			if err := enterByCommit(ctx, p); err != nil {
				p.WarnLater(explain.OneLine(explain.Error(ctx, err)))
			}
			return prepareCommitMsg(ctx, p, arg(0), arg(1), arg(2))
		case "post-commit":
			given := current(readPending(p.Repo.PrivateDir())).ID != ""
			again := readSeenHead(p.Repo.PrivateDir()).Head == p.Head.ID // by a command, or as before an amend that changes nothing
			outcome, err := postCommit(ctx, p)
			if err != nil || given || outcome != unlinkedCommit && outcome != replayedUnlinked {
				return outcome, err
			}
			return finishUnlinked(ctx, p, outcome, again)
		case "post-merge":
			return postMerge(ctx, p)
		case "post-rewrite":
			return postRewrite(ctx, p, successors)
		}
		return "", fmt.Errorf("unknown hook %q", hook)
	})
	return p.Finish(journal.Entry{Hook: hook, Commit: string(p.Head.ID), Outcome: outcome}, begun, err)
}
