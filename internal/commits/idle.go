package commits

import (
	"context"
	"errors"
	"slices"
	"time"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/idle"
	"entire-plumb/internal/journal"
	"entire-plumb/internal/message"
	"entire-plumb/internal/session"
	"entire-plumb/internal/workspace"
	"entire-plumb/shadow"
)

// beginIdle lets the stubs end early at the next commits, if no commit on the one at HEAD, which
// has no link, may hold a session's work. It starts no process.
func beginIdle(ctx context.Context, run *workspace.Run) error {
	record := readHeadRecord(run.Repo.PrivateDir())
	known := record.Head == "" || record.Head == run.Head.ID
	if run.Foreseen != "" || run.Repo.WorktreeID() != "" || run.Repo.Branch == "" || !known || len(record.Reset) > 0 || record.Declined == run.Head.ID ||
		len(ReadPending(run.Repo.PrivateDir())) > 0 || replaying(run) {
		return nil
	}
	return run.Locked(ctx, func() error {
		if lost, err := run.Store.LostState(); lost || err != nil {
			return err
		}
		states, err := run.Store.List()
		if err != nil || slices.ContainsFunc(states, func(s *session.State) bool { return mayHaveWork(s, run.Now()) }) {
			return err
		}
		streams, err := sessionsAtHead(run)
		if err != nil || len(streams) > 0 || shadow.Unfinished(run.Repo) || shadow.BlockedRefs(run.Repo) != nil {
			return err
		}
		return idle.Begin(run.Repo.SharedDir(), run.Head.ID)
	})
}

// mayHaveWork reports whether a commit may hold a session's work that is not committed.
func mayHaveWork(s *session.State, now time.Time) bool {
	return condense.MayHaveWork(s, nil, func(gitexec.OID) bool { return false }, now)
}

// finishIdle does for the commits at which the stubs ended early what the hooks do for a commit
// without a link, in their order. It returns how many of them have one now. It starts no process
// where no session is known.
func finishIdle(ctx context.Context, run *workspace.Run) (linked int, err error) {
	made := idle.Commits(run.Repo.PrivateDir())
	if len(made) == 0 {
		return 0, nil
	}
	known := run.Store.Any()
	for _, id := range made {
		result, err := Result{Outcome: NoLinkAlone}, error(nil)
		if known {
			result, err = finishPassed(ctx, run.On(gitexec.Head{ID: id}))
		}
		if gitexec.IsMissing(err) && !inHistory(run, id) {
			continue // it was reset, and gc removed it
		}
		if err != nil {
			return linked, err
		}
		linked += min(len(result.Links), 1)
		notePassed(run, id, result)
	}
	if !known {
		err = ReadSeenHead(run.Repo.PrivateDir()).Write(run.Repo.PrivateDir(), made[len(made)-1])
	}
	return linked, errors.Join(err, idle.Seen(run.Repo.PrivateDir(), made[len(made)-1]))
}

// inHistory reports whether a commit is one of HEAD's latest first parents.
func inHistory(run *workspace.Run, id gitexec.OID) bool {
	line, err := run.DB.Ancestors(run.Head.ID, mostHookless)
	return err == nil && slices.ContainsFunc(line, func(c gitexec.Commit) bool { return c.ID == id })
}

// finishPassed does so for the commit that is the run's HEAD. Its user may have typed a link.
func finishPassed(ctx context.Context, run *workspace.Run) (Result, error) {
	head, there, err := readCommit(run.DB, run.Head.ID)
	if err == nil && !there {
		err = &gitexec.MissingError{Name: string(run.Head.ID)}
	}
	switch {
	case err != nil:
		return Result{}, err
	case len(message.Links(head.Message)) > 0:
		return reconcileLocked(ctx, run, Request{Way: WithHook, Commit: head.ID})
	}
	return finishUnlinked(ctx, run, Result{Outcome: NoLink}, false)
}

// notePassed writes to the journal what the hooks would have.
func notePassed(run *workspace.Run, id gitexec.OID, result Result) {
	journal.Append(run.Repo.SharedDir(), journal.Entry{Time: run.Now().UTC(), Hook: "post-commit", Commit: string(id),
		Worktree: run.Repo.WorktreeID(), Outcome: result.String(), Kind: result.Outcome.kind()})
}
