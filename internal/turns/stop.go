package turns

import (
	"cmp"
	"context"
	"slices"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/commits"
	"entire-plumb/internal/explain"
	"entire-plumb/internal/redact"
	"entire-plumb/internal/session"
	"entire-plumb/internal/transcript"
	"entire-plumb/internal/workspace"
)

// transcriptPatience is how long a turn's end waits for the transcript's last lines to reach the
// disk.
const transcriptPatience = 150 * time.Millisecond

// Stop writes the turn's checkpoint, the human's part and the agent's, on the stream that the
// work belongs to, and completes the transcript in the checkpoints of commits made during the turn.
func Stop(ctx context.Context, run *workspace.Run, e Event, event session.Event) (string, error) {
	if err := commits.FinishPending(ctx, run); err != nil {
		run.WarnLater(explain.OneLine(err))
	}
	wait := gitexec.InBackground(func() (none struct{}, err error) {
		if e.TranscriptPath != "" {
			redact.Warm()
			transcript.Wait(ctx, e.TranscriptPath, transcriptPatience)
		}
		return none, nil
	})
	snap, err := run.Snapshot(ctx)
	wait()
	if err != nil {
		return "", err
	}
	run = run.On(snap.Head)
	outcome := ""
	err = run.Locked(ctx, func() error {
		s, err := loadSession(run, e)
		if err != nil {
			return err
		}
		if len(s.TurnCheckpointIDs) > 0 {
			run.DB.WarmCommits() // for those, and for the turn's own
		}
		head, err := currentHead(run)
		if err != nil {
			return err
		}
		run := run.On(head)
		turn, err := readChanges(run, s, snap)
		if err != nil {
			return err
		}
		if e.Terminals {
			terminals(ctx, s, &e)
		}
		running := s.Background.Now(e.Running, s.TurnID, s.LastPrompt)
		turn.open = e.Background && event == session.TurnEnd
		if s.TurnOpen {
			if turn, err = afterStop(ctx, run.Repo, run.DB, s, turn); err != nil {
				return err
			}
		}
		switch {
		case !turn.startKnown && !e.Continues:
			turn, err = estimate(ctx, run, s, turn)
		case turn.startKnown && !s.TurnOpen:
			turn, err = unlessInterrupted(ctx, run.Repo, run.DB, s, turn)
		}
		if err != nil {
			return err
		}
		s.Background = running
		turn.startKnown = turn.startKnown && event == session.TurnEnd
		made, err := commitChanges(ctx, run, s, turn)
		if err != nil {
			return err
		}
		outcome, turn, run = made.outcome, made.remainder, run.On(made.head)
		if len(turn.touched) == 0 && len(s.TurnCheckpointIDs) == 0 {
			outcome = cmp.Or(outcome, "turn ended, nothing changed")
			end(run, s, turn, event)
			return run.Store.Save(s)
		}
		kept, err := checkpointOnStream(ctx, run, s, turn, event)
		outcome = joinOutcomes(outcome, kept)
		return err
	})
	return outcome, err
}

// joinOutcomes joins two outcomes, of which the first may be empty.
func joinOutcomes(a, b string) string {
	if a == "" {
		return b
	}
	return a + "; " + b
}

// ignored are the files that the session's tools wrote, and that are in the worktree and in no
// snapshot.
func ignored(run *workspace.Run, s *session.State, t turn) []session.Ignored {
	all := slices.Clone(s.Ignored)
	if t.wrote != nil {
		for _, path := range commits.PathsInWorktree(run.Repo, t.wrote.Files) {
			all = slices.DeleteFunc(all, func(file session.Ignored) bool { return file.Path == path })
			file := session.Ignored{Path: path, Turn: s.TurnID, Prompt: s.LastPrompt, Began: run.Now()}
			if s.LastInteractionTime != nil {
				file.Began = *s.LastInteractionTime
			}
			all = append(all, file)
		}
	}
	paths := make([]gitexec.Path, len(all))
	for i, file := range all {
		paths[i] = file.Path
	}
	found, err := run.DB.Lookup(t.snap.Tree, paths...)
	if err != nil {
		return nil
	}
	var kept []session.Ignored
	for i, file := range all {
		if !found[i].Exists() && !commits.NotInWorktree(run.Repo, file.Path) && run.Now().Sub(file.Began) <= session.KeptFor {
			kept = append(kept, file)
		}
	}
	return kept[max(0, len(kept)-mostIgnored):]
}

// mostIgnored is how many files that git ignores are known of a session.
const mostIgnored = 50

// end records the turn's end. The snapshot stays: an agent that another hook makes continue
// stops again without a prompt.
func end(run *workspace.Run, s *session.State, t turn, event session.Event) {
	s.Ignored = ignored(run, s, t)
	s.StartsAt(t.snap.Tree, run.Head.ID, t.snap.Index)
	s.LeftOut = t.snap.LeftOut
	if s.TurnOpen = t.open; !t.open {
		s.AgentID = ""
		s.Apply(event, run.Now())
	}
}
