package upkeep

import (
	"context"
	"fmt"
	"time"

	"entire-plumb/internal/amount"
	"entire-plumb/internal/commits"
	"entire-plumb/internal/journal"
	"entire-plumb/internal/session"
	"entire-plumb/internal/turns"
	"entire-plumb/internal/workspace"
	"entire-plumb/shadow"
)

// mostSilent is how long a turn may be without a prompt and a linked commit before it counts as
// stuck, where it isn't known whether its agent is alive.
const mostSilent = 24 * time.Hour

// stuckSessions are the sessions in a turn whose agent has exited.
func stuckSessions(run *workspace.Run, states []*session.State) (troubles []Trouble) {
	for _, s := range states {
		if stuck(run, s) {
			why := "its agent no longer runs"
			if _, known := run.AgentAlive(s); !known {
				why = fmt.Sprintf("nothing was heard of it for %d hours", mostSilent/time.Hour)
			}
			troubles = append(troubles, Trouble{StuckSession,
				fmt.Sprintf("session %s is in a turn that has not ended, and %s", s.SessionID, why),
				"entire-plumb doctor --fix ends it, and records what the agent did; so does the session's next prompt"})
		}
	}
	return troubles
}

// stuck reports whether a session is in a turn here whose agent has exited.
func stuck(run *workspace.Run, s *session.State) bool {
	if !s.In(run.Repo.WorktreeID()) || s.Phase != session.Active {
		return false
	}
	alive, known := run.AgentAlive(s)
	return stuckTurn(alive, known, s, run.Now())
}

// stuckTurn decides it: an agent of which it isn't known whether it is alive counts as exited if it
// was silent for long.
func stuckTurn(alive, known bool, s *session.State, now time.Time) bool {
	if known {
		return !alive
	}
	return s.LastInteractionTime != nil && now.Sub(s.LastKnown()) > mostSilent
}

// EndStuck ends the turns whose agents have exited, each with a checkpoint of what the agent did in
// it, as the session's next prompt would. It returns the sessions.
func EndStuck(ctx context.Context, e workspace.Env) (ended []string, err error) {
	run, err := commits.Open(ctx, e, e.Dir)
	if err != nil {
		return nil, err
	}
	begun := time.Now()
	snap, err := run.Snapshot(ctx)
	if err == nil {
		err = run.Locked(ctx, func() error {
			ended, err = endStuck(ctx, run.On(snap.Head), snap)
			return err
		})
	}
	return ended, run.Finish(journal.Entry{Hook: "doctor", Outcome: amount.Of(len(ended), "turn") + " ended"}, begun, err)
}

func endStuck(ctx context.Context, run *workspace.Run, snap shadow.Snapshot) (ended []string, err error) {
	states, err := run.Sessions()
	for _, s := range states {
		if !stuck(run, s) {
			continue
		}
		if err := turns.EndWithoutStop(ctx, run, s, snap, session.SessionStop); err != nil {
			return ended, err
		}
		ended = append(ended, s.SessionID)
	}
	return ended, err
}
