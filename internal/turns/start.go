package turns

import (
	"context"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/ancestry"
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
	if e.Request && run.Store.Working(e.SessionID) {
		return "a further request of the turn", nil
	}
	finishEarlier(ctx, run, e.SessionID)
	if e.Prompt == "" && e.TranscriptPath != "" { // of an agent whose event doesn't say it
		e.Prompt = transcript.Asked(e.TranscriptPath)
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
		run.WarnOf(explain.Error(ctx, endInterrupted(ctx, run, e.SessionID, snap)))
		s, err := loadSession(run, e)
		if err != nil {
			return err
		}
		goesOn := s.Phase == session.Active && s.TurnStartTree != ""
		if goesOn && s.PromptedIn(e.PromptID) && !transcript.Notification(e.Prompt) {
			outcome = "a prompt was typed into the turn; it continues"
			return nil
		}
		if transcript.Notification(e.Prompt) {
			outcome = "a background task ended; the turn continues"
			if err := continueTask(ctx, run, s, snap, e.Prompt, begun); err != nil {
				return err
			}
			return run.Store.Save(s)
		}
		s.ReadFromHere() // what ends an earlier turn may record the prompt, too
		if err := finalizeCommits(ctx, run, s); err != nil {
			return err
		}
		if goesOn {
			ended, err := checkpointInterrupted(ctx, run, s, snap)
			if err != nil {
				return err
			}
			if goesOn = !ended; goesOn {
				outcome = "turn started; it includes the interrupted one before it"
			}
		}
		if err := forgetSources(run, s, snap); err != nil {
			return err
		}
		return begin(ctx, run, s, snap, e, goesOn, begun)
	})
	return outcome, err
}

// forgetSources has no session take a commit any longer for one whose lines git has brought here,
// where nothing is uncommitted or stashed. A single line that is like one there is new then.
func forgetSources(run *workspace.Run, s *session.State, snap shadow.Snapshot) error {
	if snap.Tree != snap.Head.Tree || snap.Index != "" || snap.Conflict || len(snap.LeftOut)+len(stashed(run.Repo)) > 0 {
		return nil
	}
	s.TookNothing()
	states, err := run.Sessions()
	for _, other := range states {
		if err == nil && other.SessionID != s.SessionID && other.In(run.Repo.WorktreeID()) && len(other.Sources) > 0 {
			other.TookNothing()
			err = run.Store.Save(other)
		}
	}
	return err
}

// continueTask has what follows be the work of the turn that started a task in the background,
// which has ended. Where a shell was stopped, what was saved while it ran is judged as before a
// prompt.
func continueTask(ctx context.Context, run *workspace.Run, s *session.State, snap shadow.Snapshot, notification string, begun time.Time) error {
	id, stopped := transcript.NotifiedTask(notification)
	switch goesOn := s.Phase == session.Active && s.TurnStartTree != ""; {
	case !goesOn:
		s.Apply(session.TurnStart, begun)
		s.StartsAt(snap.Tree, run.Head.ID, snap.Index)
	case stopped && s.TurnOpen:
		t, err := readChanges(run, s, snap)
		if err == nil {
			t, err = besideShells(ctx, run, s, t)
		}
		if err != nil {
			return err
		}
		s.StartsAtSnapshot(t.before, run.Head.ID, snap.Index, snap.LeftOut)
	}
	if task, ok := s.Background.Find(id); ok {
		task.Continue(s)
		s.Background.Heard(task.ID)
	}
	return nil
}

// begin begins a turn. goesOn: no stop event ended the previous one, and its changes are in no
// checkpoint, so that this one includes them.
func begin(ctx context.Context, run *workspace.Run, s *session.State, snap shadow.Snapshot, e Event, goesOn bool, begun time.Time) error {
	s.Apply(session.TurnStart, begun)
	process, by := agentProcess(run, s)
	if e.Terminals && s.AgentProcess != nil && process != nil && !sameProcess(s.AgentProcess, process) {
		s.GoesOn(nil, 0)
	}
	s.BeginTurn(run.NewID(), process, by)
	s.BeganWith(e.PromptID)
	s.BeganBeside(shadow.ReadWorktrees(run.Repo).IDs)
	if goesOn {
		s.StartsAtSnapshot(s.TurnStartTree, s.TurnStartCommit, s.TurnStartIndex, snap.LeftOut)
	} else {
		startsAt(s, snap, run.Head, run.Settings.Strategy)
		s.FoundTree(snap.Tree)
		s.FoundStashes(stashed(run.Repo))
	}
	if run.Settings.StrategyOptions.MultiSessionWarning {
		if err := warnOfOthers(run, s); err != nil {
			return err
		}
	}
	if e.Prompt != "" {
		// If that fails, the transcript has the prompt, too: the turn starts all the same.
		run.WarnOf(explain.Error(ctx, run.Store.AddPrompt(s.SessionID, e.Prompt)))
		s.Prompted(shadow.Describe(e.Prompt))
	}
	if err := run.Store.Save(s); err != nil {
		return err
	}
	if run.Store.Crowded() { // by an agent without a session start event
		restSessions(ctx, run)
	}
	return nil
}

// startsAt has a turn begin at a snapshot. What is staged matters where it becomes a commit.
func startsAt(s *session.State, snap shadow.Snapshot, head gitexec.Head, strategy string) {
	s.StartsAtSnapshot(snap.Tree, head.ID, snap.Index, snap.LeftOut)
	staged := snap.Staged
	if strategy != settings.AutoCommit {
		staged = nil
	}
	s.FoundStaged(staged)
}

// sameProcess reports whether two processes are known, and are one.
func sameProcess(a, b *ancestry.Process) bool { return a != nil && b != nil && b.Same(*a) }

// finishEarlier finishes pending work of earlier hooks, and the checkpoints of turns of other
// sessions that never ended.
func finishEarlier(ctx context.Context, run *workspace.Run, except string) {
	finishPending(ctx, run)
	run.WarnOf(FinalizeUnfinished(ctx, run, except))
}

// finishPending finishes pending work of earlier hooks. Where that fails, this one goes on.
func finishPending(ctx context.Context, run *workspace.Run) {
	run.WarnOf(commits.FinishPending(ctx, run))
}
