package turns

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/agent"
	"entire-plumb/internal/commits"
	"entire-plumb/internal/explain"
	"entire-plumb/internal/journal"
	"entire-plumb/internal/session"
	"entire-plumb/internal/workspace"
	"entire-plumb/shadow"
)

// An agent may enter another worktree of the repository and go on there, in the same turn or when
// its session is resumed, and its subagents may each work in one of their own. What is done in a
// worktree is recorded there: the session has a place in each (session.Place). Here its agent moves
// from one to another.

// errOtherWorktree says that the session is at work in another worktree, by another process of its
// agent (seed 003, Conflict Handling).
var errOtherWorktree = errors.New("the session's turn is in progress in another worktree")

// InWorktree handles an event of the session's agent in this worktree, and ends the part of the
// turn that was done in another one, with a checkpoint there.
func InWorktree(ctx context.Context, run *workspace.Run, verb string, e Event, handle func() (string, error)) (string, error) {
	if e.By.AgentID != "" { // a subagent's: the agent stays where it is
		return handle()
	}
	run.WarnOf(enterByTranscript(ctx, run, verb, e))
	// The other events tell of a turn that is in progress.
	if verb != agent.SessionStart && verb != agent.Prompt && verb != agent.SessionEnd {
		run.WarnOf(goOn(ctx, run, e.SessionID))
	}
	elsewhere, err := placesElsewhere(run, e, verb == agent.SessionEnd)
	if err != nil {
		return "", err
	}
	if len(elsewhere) == 0 {
		return handle()
	}
	switch verb {
	// The turn ends here and there. Here it reads the transcript to its end, which the part there
	// needs.
	case agent.Stop, agent.SessionEnd: // what the transcript says of the turn is read first
		ended := continues
		if verb == agent.SessionEnd {
			ended = withSession
		}
		outcome, err := handle()
		leaveWorktree(ctx, run, e, elsewhere, ended)
		return outcome, err
	case agent.SessionStart, agent.Prompt: // no event ended the turn there
		leaveWorktree(ctx, run, e, elsewhere, interrupted)
		return handle()
	}
	leaveWorktree(ctx, run, e, elsewhere, continues)
	// Any other event: the agent has come here in the middle of the turn.
	outcome, err := arrive(ctx, run, e)
	if err != nil || verb == agent.WorktreeChange {
		return outcome, err
	}
	return handle()
}

// placesElsewhere lists the session's places in other worktrees where a turn of its agent is in
// progress, and of its subagents where these cannot be at work any more, as when the session ends.
func placesElsewhere(run *workspace.Run, e Event, ends bool) ([]session.Place, error) {
	s, err := knownSession(run.Store, e.SessionID)
	if err != nil || s == nil {
		return nil, err
	}
	alive, known := run.AgentAlive(s)
	// A subagent outlives the stop of the turn, and not its agent's process.
	ended := ends || known && !alive
	places := placesToLeave(s.Places(), run.Repo.WorktreeID(), ended)
	ours := s.AgentProcess != nil && slices.ContainsFunc(run.Ancestors(), s.AgentProcess.Same)
	// The agent that began the turn is alive, and isn't the process that calls: two agents go on
	// with one session.
	if len(places) > 0 && known && alive && !ours {
		return nil, fmt.Errorf("%w: %s is at work in %s, and this is %s\nhint: continue it there, or start a new session here",
			errOtherWorktree, s.SessionID, places[0].WorktreePath, run.Repo.Top)
	}
	return places, nil
}

// placesToLeave are the places outside a worktree where a turn is in progress: the agent's, and,
// where they have ended with it, its subagents'.
func placesToLeave(places []session.Place, here string, ended bool) []session.Place {
	return slices.DeleteFunc(slices.Clone(places), func(place session.Place) bool {
		return place.Phase != session.Active || place.WorktreeID == here || place.AgentID != "" && !ended
	})
}

// ending says how the part of a turn that was done in a worktree ends.
type ending int

const (
	continues   ending = iota // the turn continues elsewhere, or ends with its stop
	interrupted               // no event ended it
	withSession
)

// event is what ends the turn in the session's state.
func (e ending) event() session.Event {
	if e == withSession {
		return session.SessionStop
	}
	return session.TurnEnd
}

// leaveWorktree ends the session's turn in other worktrees. Where that fails, for example because
// the settings there are broken, this worktree's event is handled all the same.
func leaveWorktree(ctx context.Context, run *workspace.Run, e Event, places []session.Place, how ending) {
	for _, place := range places {
		if err := leaveOne(ctx, run, e, place, how); err != nil {
			run.WarnOf(fmt.Errorf("the turn in %s is not recorded: %w", place.WorktreePath, err))
		}
	}
}

// leaveOne ends the turn in one other worktree, by a run of its own. One that does not exist any
// more, or is another repository's now, is skipped, and so is one that is not recorded any more.
func leaveOne(ctx context.Context, run *workspace.Run, e Event, place session.Place, how ending) error {
	// The directory may be gone, a subdirectory of another worktree by now, or another repository.
	if place.WorktreePath == "" || gitexec.WorktreeOf(place.WorktreePath, run.Repo.Top) != place.WorktreePath {
		return nil
	}
	return inOther(ctx, run, place.WorktreePath, journal.Entry{Hook: "worktree left", Session: e.SessionID}, func(there *workspace.Run) (string, error) {
		if there.Repo.CommonDir != run.Repo.CommonDir || there.Repo.WorktreeID() != place.WorktreeID {
			return "it is another worktree now", nil
		}
		return there.Retry(ctx, func() (string, error) { return endPart(ctx, there, e, how) })
	})
}

// inOther does something in another worktree, by a run of its own, if that is recorded.
func inOther(ctx context.Context, run *workspace.Run, top string, entry journal.Entry, do func(there *workspace.Run) (string, error)) error {
	begun := time.Now()
	there, err := commits.Open(ctx, run.Env, top)
	if workspace.NotRecorded(err) {
		return nil
	}
	if err != nil {
		return err
	}
	entry.Outcome, err = do(there)
	err = there.Finish(entry, begun, err)
	run.Notices = append(run.Notices, there.Notices...)
	return err
}

// endPart ends the part of a turn that was done in this worktree. Its commits get the whole
// transcript when the turn ends.
func endPart(ctx context.Context, run *workspace.Run, e Event, how ending) (string, error) {
	finishPending(ctx, run) // it may have committed there without hooks
	snap, err := run.Snapshot(ctx)
	if err != nil {
		return "", err
	}
	return recordPart(ctx, run, snap, departure{e.SessionID, how})
}

// departure is the part of a turn that was done in a worktree which the agent has left.
type departure struct {
	sessionID string
	how       ending
}

func (part departure) load(_ context.Context, run *workspace.Run) (*session.State, outcome, error) {
	s, err := run.Store.Load(part.sessionID)
	if err != nil {
		return nil, nil, err
	}
	if !s.In(run.Repo.WorktreeID()) || s.Phase != session.Active {
		return nil, outcome{"no turn is in progress here"}, nil
	}
	return s, nil, nil
}

func (part departure) own(ctx context.Context, run *workspace.Run, s *session.State, t turn) (turn, bool, error) {
	t, err := ownPart(ctx, run, s, t, evidenceOnDeparture(s.TurnOpen, part.how == interrupted, t.startKnown)...)
	t.startKnown, t.elsewhere = t.startKnown && part.how != interrupted, true
	if s.AgentID != "" {
		t = asTask(s, t)
	}
	return t, true, err
}

func (part departure) finish(ctx context.Context, run *workspace.Run, s *session.State, t turn, done outcome) (outcome, error) {
	// Without a change there is nothing to record but that the turn is over there.
	if len(t.touched) == 0 {
		end(run, s, t, part.how.event())
		return append(done, "the turn moved to another worktree"), run.Store.Save(s)
	}
	kept, err := checkpointOnStream(ctx, run, s, t, part.how.event())
	return append(done, kept), err
}

// asTask gives a subagent's part of a turn the subject of its task.
func asTask(s *session.State, t turn) turn {
	if task := s.Working(session.By{AgentID: s.AgentID}); task != nil && task.AgentID == s.AgentID {
		t.subject, t.task = shadow.TaskSubject(task.AgentType, task.Description, task.ToolUseID), task.ToolUseID
	}
	return t
}

// arrive begins the turn in progress in this worktree, to which the session's agent, or a subagent,
// has come. The snapshot separates what is there from what it does.
func arrive(ctx context.Context, run *workspace.Run, e Event) (string, error) {
	snap, err := run.Snapshot(ctx)
	if err != nil {
		return "", err
	}
	run = run.On(snap.Head)
	outcome := "the turn moved to this worktree"
	err = run.Locked(ctx, func() error {
		s, err := loadSession(run, e)
		if err != nil {
			return err
		}
		// It has been here before in this turn, and its start here is known.
		if s.Phase == session.Active {
			outcome = "the turn is in progress here"
			return nil
		}
		s.Apply(session.TurnStart, run.Now())
		s.WorksFor(e.By) // the task is this subagent's from now on
		startsAt(s, snap, run.Head, run.Settings.Strategy)
		return run.Store.Save(s)
	})
	return outcome, err
}

// forgetRemoved removes the session's places in worktrees that do not exist any more. One with a
// stream stays: a stash entry may have its work.
func forgetRemoved(run *workspace.Run, s *session.State) {
	if len(s.Others) == 0 {
		return
	}
	worktrees := shadow.ReadWorktrees(run.Repo)
	needed := func(p session.Place) bool {
		if worktrees.Has(p.WorktreeID) {
			return true
		}
		has, err := commits.HasStream(run.DB, p)
		return has || err != nil
	}
	for _, gone := range session.Forget(s, needed) {
		run.Note(fmt.Sprintf("session %s: its worktree %s was removed", s.SessionID, explain.OneLine(errors.New(gone.WorktreePath))))
	}
}
