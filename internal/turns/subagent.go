package turns

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"slices"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/session"
	"entire-plumb/internal/transcript"
	"entire-plumb/internal/workspace"
)

// subagentPatience is how long the end of a subagent waits for its transcript's last lines: its
// tokens are counted once, so that what comes later is never counted. As latePatience, it passes
// only where they don't come.
const subagentPatience = time.Second

// subagent stores a subagent's transcript, and counts its tokens.
func subagent(ctx context.Context, db *gitexec.ODB, store session.Store, s *session.State, e Event, files map[string]gitexec.OID) error {
	name := "agent-" + e.AgentID + ".jsonl"
	path := subagentTranscript(e, s.TranscriptPath)
	if path == "" {
		return nil
	}
	// It may have any length: write it while reading.
	var part transcript.Part
	id, err := db.WriteBlobFrom(func(file io.Writer) error {
		return store.Readers.To(file, func(file io.Writer) (err error) {
			part, err = transcript.Read(ctx, path, transcript.Position{}, func(chunk []byte, _ bool) error {
				if err := store.Secrets.WriteRecords(file, chunk); err != nil {
					return err
				}
				_, err := file.Write([]byte("\n"))
				return err
			})
			return err
		})
	})
	switch {
	case errors.Is(err, fs.ErrNotExist): // it has only been called yet, in the background
	case err != nil:
		return err
	default:
		files[name] = id
	}
	s.CountTokens(s.CountSubagent(e.AgentID, e.ToolUseID, part.Usage.BySubagent()))
	return nil
}

// subagentTranscript is where the transcript of an event's subagent is; empty: not known.
func subagentTranscript(e Event, ofSession string) string {
	if e.AgentTranscript != "" || ofSession == "" {
		return e.AgentTranscript
	}
	return transcript.OfSubagent(ofSession, e.AgentID)
}

// waitForSubagent waits for the last words of a subagent that has ended: they may still be on their
// way to the disk. It must not be called under the lock, which other hooks wait for.
func waitForSubagent(ctx context.Context, e Event) {
	if path := subagentTranscript(e, e.TranscriptPath); path != "" && !e.Background && session.CheckID(e.AgentID) == nil {
		transcript.WaitForSubagent(ctx, path, e.Answer, subagentPatience)
	}
}

// subagentAgain stores the transcript of a subagent whose task has ended for its caller: it was at
// work in the background. Two processes.
func subagentAgain(ctx context.Context, run *workspace.Run, e Event, toolUseID string) (string, error) {
	e.AgentID, e.ToolUseID, e.Background = e.By.AgentID, toolUseID, false
	waitForSubagent(ctx, e)
	err := run.Locked(ctx, func() error {
		s, err := loadSession(run, e)
		if err != nil {
			return err
		}
		files := map[string]gitexec.OID{}
		if err := subagent(ctx, run.DB, run.Store, s, e, files); err != nil || len(files) == 0 {
			return err
		}
		if err := putTask(run.DB, s, toolUseID, files); err != nil {
			return err
		}
		return run.Store.Save(s)
	})
	return "a task in the background ended", err
}

// SubagentStop ends the turn in a subagent's own worktree, with a checkpoint there. Elsewhere it
// records what a subagent has done in the background since it was called.
func SubagentStop(ctx context.Context, run *workspace.Run, e Event) (string, error) {
	s, err := knownSession(run.Store, e.SessionID)
	if err != nil {
		return "", err
	}
	if s == nil {
		return "session not known", nil
	}
	if task := s.CalledBy(e.By.AgentID); task != "" {
		return subagentAgain(ctx, run, e, task)
	}
	here := run.Repo.WorktreeID()
	if mayBeSubagents(s, here, e.By.AgentID) {
		if s, err = enterAsSubagent(ctx, run, e); err != nil {
			return "", err
		}
	}
	if !isSubagents(s, here, e.By.AgentID) {
		return "the worktree is not the subagent's own", nil
	}
	return endPart(ctx, run, e, continues)
}

// mayBeSubagents reports whether a worktree may have been made for a subagent: in the turn, and no
// other's turn is in progress there.
func mayBeSubagents(s *session.State, worktreeID, agentID string) bool {
	return agentID != "" && s.BornInTurn(worktreeID) && (s.CanEnter(worktreeID) || s.In(worktreeID) && s.AgentID == "")
}

// isSubagents reports whether the turn in a worktree is a subagent's.
func isSubagents(s *session.State, worktreeID, agentID string) bool {
	return agentID != "" && s.In(worktreeID) && s.AgentID == agentID
}

// ofEndedTask names the task in an event that doesn't: of those that go on it is the first whose
// transcript is there to its end.
func (e Event) ofEndedTask(ctx context.Context, run *workspace.Run) Event {
	s, err := knownSession(run.Store, e.SessionID)
	if err != nil || s == nil {
		return e
	}
	for _, sub := range transcript.Spawned(ctx, e.TranscriptPath) {
		goesOn := slices.ContainsFunc(s.Tasks, func(t session.Task) bool { return t.ToolUseID == sub.Call })
		if goesOn && session.CheckID(sub.ID) == nil && transcript.EndedOfSubagent(transcript.OfSubagent(e.TranscriptPath, sub.ID), "") {
			e.ToolUseID, e.AgentID = sub.Call, sub.ID
			return e
		}
	}
	return e
}
