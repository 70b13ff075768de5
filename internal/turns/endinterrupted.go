package turns

import (
	"context"
	"slices"

	"entire-plumb/internal/agent"
	"entire-plumb/internal/ancestry"
	"entire-plumb/internal/commits"
	"entire-plumb/internal/explain"
	"entire-plumb/internal/session"
	"entire-plumb/internal/settings"
	"entire-plumb/internal/transcript"
	"entire-plumb/internal/workspace"
	"entire-plumb/shadow"
)

// checkpointInterrupted ends a turn that no stop event came for: it gets a checkpoint, and no
// commit, since what was saved since may be the human's. ended is false where it isn't known what
// of it is the agent's: then the turn goes on in the next one.
func checkpointInterrupted(ctx context.Context, run *workspace.Run, s *session.State, snap shadow.Snapshot) (ended bool, err error) {
	t, err := readChanges(run, s, snap)
	if err != nil {
		return false, err
	}
	known := false
	if s.TurnOpen {
		t, err = besideShells(ctx, run, s, t)
		known = true
	} else {
		t, known, err = beforeInterruption(ctx, run, s, t)
	}
	if err != nil || !known && run.Settings.Strategy != settings.AutoCommit {
		return false, err
	}
	if t.prompted = true; len(t.touched) > 0 {
		_, err = checkpointOnStream(ctx, run, s, t, session.TurnEnd)
	}
	return true, err
}

// endInterrupted ends the turns of all sessions but one that are over without a stop: the user
// interrupted them, or the agent has exited. What is saved from now on is none of theirs, whatever
// they wrote before.
func endInterrupted(ctx context.Context, run *workspace.Run, except string, snap shadow.Snapshot) error {
	over, err := interruptedTurns(ctx, run, except)
	if err != nil {
		return err
	}
	for _, s := range over {
		if err := EndWithoutStop(ctx, run, s, snap, session.TurnEnd); err != nil {
			return err
		}
	}
	return nil
}

// EndInterruptedAtCommit ends interrupted turns before a commit, which then holds their work as it
// holds that of turns that stopped. It starts no process where there are none.
func EndInterruptedAtCommit(ctx context.Context, run *workspace.Run) error {
	if op := run.Repo.Operation(); op.Replays() || op.Concludes() {
		return nil
	}
	goOnByMark(ctx, run)
	over, err := interruptedTurns(ctx, run, "")
	if err != nil || len(over) == 0 {
		return err
	}
	snap, err := run.Snapshot(ctx)
	if err != nil {
		return err
	}
	run = run.On(snap.Head)
	return run.Locked(ctx, func() error { return endInterrupted(ctx, run, "", snap) })
}

func interruptedTurns(ctx context.Context, run *workspace.Run, except string) ([]*session.State, error) {
	states, err := run.Sessions()
	return slices.DeleteFunc(states, func(s *session.State) bool {
		return s.SessionID == except || !s.In(run.Repo.WorktreeID()) || s.Phase != session.Active || !over(ctx, run, s)
	}), err
}

// over reports whether a turn in progress is known to be over without a stop. After a stop it goes
// on until the tasks in the background have ended, of which the agent may not be told.
func over(ctx context.Context, run *workspace.Run, s *session.State) bool {
	if s.TurnOpen {
		_, ended := terminalsEnded(ctx, s)
		return ended
	}
	return interruptedNow(ctx, run, s)
}

// interruptedNow reports whether a turn in progress is known to be over: its agent has exited, or
// its transcript says that the user interrupted it. An interruption before the turn began is of
// another.
func interruptedNow(ctx context.Context, run *workspace.Run, s *session.State) bool {
	if alive, known := run.AgentAlive(s); known && !alive {
		return true
	}
	if s.TranscriptPath == "" || s.LastInteractionTime == nil {
		return false
	}
	if ended, err := transcript.Interrupted(s.TranscriptPath); err != nil || !ended { // a turn may be long
		return false
	}
	wrote, err := transcript.Written(ctx, s.TranscriptPath)
	return err == nil && !wrote.Interrupted.Before(*s.LastInteractionTime)
}

// goOn notes of a session, of whose turn an event tells, that the turn goes on. Where the process
// that began it has ended, it only called the hook, as a script does that a plugin starts for each
// event: the agent is another one.
func goOn(ctx context.Context, run *workspace.Run, id string) error {
	s, err := knownSession(run.Store, id)
	if err != nil || s == nil || !calledByAnother(run, s) {
		return nil
	}
	return run.Locked(ctx, func() error {
		s, err := run.Store.Load(id)
		if err != nil || !calledByAnother(run, s) {
			return err
		}
		s.HooksOfScripts()
		return run.Store.Save(s)
	})
}

func calledByAnother(run *workspace.Run, s *session.State) bool {
	alive, known := run.AgentAlive(s)
	return known && !alive && slices.ContainsFunc(s.Places(), func(p session.Place) bool { return p.Phase == session.Active })
}

// goOnByMark is goOn of the sessions that the environment of a commit names. A shell that outlives
// its agent names the session, too: of an agent that is known, the end is the turn's.
func goOnByMark(ctx context.Context, run *workspace.Run) {
	for _, id := range agent.Sessions(run.Getenv) {
		if s, err := knownSession(run.Store, id); err == nil && s != nil && s.Caller != session.CallerAgent {
			run.WarnOf(explain.Error(ctx, goOn(ctx, run, id)))
		}
	}
}

// agentProcess is the process that runs a turn which begins, and what is known of it; nil: not
// known. One that called an earlier hook is the agent. Where the one that called the session's
// start has ended before the prompt, or that of a turn before its end, none of them is.
func agentProcess(run *workspace.Run, s *session.State) (*ancestry.Process, session.Caller) {
	process := commits.AgentProcess(run)
	alive, known := run.AgentAlive(s)
	switch {
	case sameProcess(s.AgentProcess, process):
		return process, session.CallerAgent
	case s.Caller == session.CallerScript, s.Caller == session.CallerOfStart && known && !alive:
		return nil, session.CallerScript
	}
	return process, session.CallerUnknown
}

// EndWithoutStop ends a turn that no stop event ends, with the checkpoints that it lacks. At a
// session's end it ends whatever is known of it.
func EndWithoutStop(ctx context.Context, run *workspace.Run, s *session.State, snap shadow.Snapshot, event session.Event) error {
	if err := finalizeCommits(ctx, run, s); err != nil {
		return err
	}
	if s.TurnStartTree != "" {
		ended, err := checkpointInterrupted(ctx, run, s, snap)
		if err != nil {
			return err
		}
		if !ended && event == session.TurnEnd {
			return nil // it isn't known what of it is the agent's: it stays in progress
		}
	}
	s.Apply(event, run.Now())
	run.WarnOf(run.Store.Save(s))
	return nil
}
