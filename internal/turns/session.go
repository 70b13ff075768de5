package turns

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"entire-plumb/internal/commits"
	"entire-plumb/internal/session"
	"entire-plumb/internal/workspace"
	"entire-plumb/shadow"
)

// SessionStart records that a session exists, and the user's identity. Two processes; up to four if
// sessions may be put to rest, and once a day two more where deleted streams are kept.
func SessionStart(ctx context.Context, run *workspace.Run, e Event) (string, error) {
	name, email, err := workspace.AskUser(ctx, run.Repo)
	if err != nil {
		run.WarnLater("git doesn't know who you are, so what is recorded is by entire-plumb <entire-plumb@localhost> " +
			"(hint: git config --global user.name, and user.email)")
	}
	finishEarlier(ctx, run, "")
	commits.RelinkInHook(ctx, run)
	err = run.Locked(ctx, func() error {
		s, err := loadSession(run, e)
		if err != nil {
			return err
		}
		s.AuthoredBy(name, email)
		s.Apply(session.SessionStart, run.Now())
		process := commits.AgentProcess(run)
		if e.Terminals && s.Phase != session.Active && !sameProcess(s.AgentProcess, process) {
			s.GoesOn(nil, 0) // they ended with the agent's process
		}
		s.HooksOf(process)
		if err := run.Store.Save(s); err != nil {
			return err
		}
		// Once a session, and not at each prompt: both look at all that there is.
		restSessions(ctx, run)
		expired, err := shadow.Expire(ctx, run.Repo, run.DB, run.Now())
		if err == nil && len(expired) > 0 {
			err = shadow.Apply(ctx, run.DB, run.Store, expired, nil)
		}
		run.WarnOf(err)
		return nil
	})
	return "session known", err
}

// restSessions moves sessions without recent events or work to where hooks do not read them.
func restSessions(ctx context.Context, run *workspace.Run) {
	run.WarnOf(run.Store.Rest(run.Now(), func() ([]string, error) { return commits.SessionsOnStreams(ctx, run.Repo, run.DB) }))
}

// SessionEnd records the end of a session. A turn in progress ends first.
func SessionEnd(ctx context.Context, run *workspace.Run, e Event) (string, error) {
	s, err := knownSession(run.Store, e.SessionID)
	if err != nil {
		return "", err
	}
	if s == nil {
		return "session not known", nil
	}
	if s.In(run.Repo.WorktreeID()) && s.Phase == session.Active {
		return Stop(ctx, run, e, session.SessionStop)
	}
	err = changeSession(ctx, run, e, func(s *session.State) { s.Apply(session.SessionStop, run.Now()) })
	return "session ended", err
}

// changeSession changes the session of an event under the lock.
func changeSession(ctx context.Context, run *workspace.Run, e Event, change func(*session.State)) error {
	return run.Locked(ctx, func() error {
		s, err := loadSession(run, e)
		if err != nil {
			return err
		}
		change(s)
		return run.Store.Save(s)
	})
}

// knownSession reads a session; nil: it is not known.
func knownSession(store session.Store, id string) (*session.State, error) {
	s, err := store.Load(id)
	if errors.Is(err, session.ErrNotFound) {
		return nil, nil
	}
	return s, err
}

// loadSession reads the session of an event, or creates it, in its place in this worktree.
func loadSession(run *workspace.Run, e Event) (*session.State, error) {
	s, err := knownSession(run.Store, e.SessionID)
	if err != nil {
		return nil, err
	}
	if s == nil {
		s = &session.State{SessionID: e.SessionID, StartedAt: run.Now().UTC(), Place: session.Place{BaseCommit: run.Head.ID,
			AttributionBaseCommit: run.Head.ID, WorktreePath: run.Repo.Top, WorktreeID: run.Repo.WorktreeID()}}
	}
	// A session may go on in another worktree, where it has a base and a turn of its own.
	s.Enter(run.Repo.WorktreeID(), run.Repo.Top, run.Head.ID)
	forgetRemoved(run, s)
	known := session.Known{Version: run.Version, Agent: e.Agent, Transcript: e.TranscriptPath}
	if e.Title != "" {
		known.Title = shadow.Describe(run.Store.Secrets.Text(e.Title))
	}
	if e.Model != "" {
		known.Model = run.Store.Secrets.Name(e.Model)
	}
	s.Learn(known)
	return s, nil
}

// warnOfOthers notifies the user, through the agent, of other sessions with uncommitted checkpoints
// on the same base in this worktree (seed 001: opt-in).
func warnOfOthers(run *workspace.Run, s *session.State) error {
	states, err := run.Sessions()
	if err != nil {
		return err
	}
	if others := uncommittedBeside(states, s); len(others) > 0 {
		run.Notify("other sessions have work here that is not committed yet: " + strings.Join(others, ", ") +
			". Each session keeps its own history")
	}
	return nil
}

// uncommittedBeside names the other sessions with uncommitted checkpoints on a session's base.
func uncommittedBeside(states []*session.State, s *session.State) (others []string) {
	for _, other := range states {
		if other.SessionID != s.SessionID && other.BaseCommit == s.BaseCommit && other.CheckpointCount > 0 {
			others = append(others, fmt.Sprintf("%s (%q)", other.SessionID, other.FirstPrompt))
		}
	}
	return others
}
