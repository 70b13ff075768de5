package turns

import (
	"context"
	"strings"

	"entire-plumb/internal/session"
	"entire-plumb/internal/workspace"
	"entire-plumb/shadow"
)

// A part is what an event ends of a session's turn: all of it at a stop, what was done in another
// worktree, or what changed until an event of a subagent's task.
type part interface {
	// load reads the session under the lock, and notes the event in it. A nil session: nothing is
	// recorded. The outcome is that of a part of which nothing more is recorded.
	load(ctx context.Context, run *workspace.Run) (*session.State, outcome, error)
	// own finds which of the changes since the turn's start are the part's, and decides whether
	// more than the session's state is recorded.
	own(ctx context.Context, run *workspace.Run, s *session.State, t turn) (_ turn, more bool, err error)
	// finish records what a commit left of the part, and its end, in one transaction. done is the
	// commit's outcome.
	finish(ctx context.Context, run *workspace.Run, s *session.State, t turn, done outcome) (outcome, error)
}

// outcome is what was recorded, for the journal: clauses of a sentence.
type outcome []string

// String joins the clauses.
func (o outcome) String() string { return strings.Join(o, "; ") }

// recordPart records a part of a turn that ends with a snapshot: under the lock it reads the
// session, finds what changed since the turn's start, commits it where the strategy makes commits,
// and records the remainder on the commit that is HEAD by then.
func recordPart(ctx context.Context, run *workspace.Run, snap shadow.Snapshot, p part) (string, error) {
	run = run.On(snap.Head)
	var done outcome
	err := run.Locked(ctx, func() error {
		s, loaded, err := p.load(ctx, run)
		if done = loaded; err != nil || s == nil {
			return err
		}
		head, err := currentHead(run.DB, run.Head, run.Settings.Strategy)
		if err != nil {
			return err
		}
		run := run.On(head)
		t, err := readChanges(run, s, snap)
		if err != nil {
			return err
		}
		t, more, err := p.own(ctx, run, s, t)
		if err != nil {
			return err
		}
		if !more {
			return run.Store.Save(s)
		}
		made, err := commitChanges(ctx, run, s, t)
		if err != nil {
			return err
		}
		done, err = p.finish(ctx, run.On(made.head), s, made.remainder, made.outcome)
		return err
	})
	return done.String(), err
}
