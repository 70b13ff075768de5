package turns

import (
	"context"

	"entire-plumb/gitexec"
	"entire-plumb/internal/commits"
	"entire-plumb/internal/explain"
	"entire-plumb/internal/session"
	"entire-plumb/internal/settings"
	"entire-plumb/internal/transcript"
	"entire-plumb/internal/workspace"
	"entire-plumb/shadow"
)

// Start takes the snapshot that separates the agent's work from earlier changes. Six processes,
// one if the worktree is clean.
func Start(ctx context.Context, run *workspace.Run, e Event) (string, error) {
	if err := commits.FinishPending(ctx, run); err != nil {
		run.WarnLater(explain.OneLine(err))
	}
	if err := FinalizeUnfinished(ctx, run, e.SessionID); err != nil {
		run.WarnLater(explain.OneLine(err))
	}
	prompt := gitexec.InBackground(func() (string, error) { return run.Store.Secrets.Text(e.Prompt), nil })
	begun := run.Now() // what another turn saves after this may not be in the snapshot
	snap, err := run.Snapshot(ctx)
	if err != nil {
		return "", err
	}
	e.Prompt, _ = prompt()
	run = run.On(snap.Head)
	outcome := "turn started"
	err = run.Locked(ctx, func() error {
		if err := endInterrupted(ctx, run, e.SessionID, snap); err != nil {
			run.WarnLater(explain.OneLine(explain.Error(ctx, err)))
		}
		s, err := loadSession(run, e)
		if err != nil {
			return err
		}
		if len(s.TurnCheckpointIDs) > 0 {
			// The agent was killed or stopped after it made commits: they get their transcript now.
			if err := finalize(ctx, run, s, nil); err != nil {
				return err
			}
		}
		interrupted := s.Phase == session.Active && s.TurnStartTree != ""
		if transcript.Notification(e.Prompt) {
			if !interrupted {
				s.Apply(session.TurnStart, begun)
				s.StartsAt(snap.Tree, run.Head.ID, snap.Index)
			}
			if task, ok := s.Background.Find(transcript.NotifiedTask(e.Prompt)); ok {
				task.Continue(s)
			}
			outcome = "a background task ended; the turn continues"
			return run.Store.Save(s)
		}
		if interrupted {
			ended, err := checkpointInterrupted(ctx, run, s, snap)
			if err != nil {
				return err
			}
			interrupted = !ended
		}
		s.Apply(session.TurnStart, begun)
		process := commits.AgentProcess(run)
		if e.Terminals && (process == nil || s.AgentProcess == nil || !process.Same(*s.AgentProcess)) {
			s.Background = nil // they ended with the agent's process
		}
		s.BeginTurn(run.NewID(), process)
		s.BeganBeside(shadow.ReadWorktrees(run.Repo).IDs())
		if interrupted {
			// No stop event ended the previous turn, and its changes are in no checkpoint: the new
			// turn includes them.
			outcome = "turn started; it includes the interrupted one before it"
		} else {
			s.StartsAt(snap.Tree, run.Head.ID, snap.Index)
			s.TurnStartStaged, s.TurnStartStashes = nil, stashed(run.Repo)
			if run.Settings.Strategy == settings.AutoCommit {
				s.TurnStartStaged = snap.Staged
			}
		}
		s.LeftOut = snap.LeftOut
		if run.Settings.StrategyOptions.MultiSessionWarning {
			if err := warnOfOthers(run, s); err != nil {
				return err
			}
		}
		if e.Prompt != "" {
			if err := run.Store.AddPrompt(s.SessionID, e.Prompt); err != nil {
				// The transcript has the prompt, too: the turn starts all the same.
				run.WarnLater(explain.OneLine(explain.Error(ctx, err)))
			}
			s.Prompted(shadow.Describe(e.Prompt))
		}
		if err := run.Store.Save(s); err != nil {
			return err
		}
		if run.Store.Crowded() { // by an agent without a session start event
			restSessions(ctx, run)
		}
		return nil
	})
	return outcome, err
}
