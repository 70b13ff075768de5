package turns

import (
	"context"
	"maps"
	"slices"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/commits"
	"entire-plumb/internal/redact"
	"entire-plumb/internal/session"
	"entire-plumb/internal/transcript"
	"entire-plumb/internal/workspace"
)

// transcriptPatience is how long a turn's end waits for the transcript's last lines to reach the
// disk, and latePatience where the transcript says that the agent is at work. Claude Code writes
// them a tenth of a second later, and later still on a busy machine (seen: 2.1.332). With half of
// the first, most stops would miss them: then nothing tells which files the tools named, and what
// the user saves beside the turn is the agent's. A user sees the agent as busy for so long. Nothing
// waits where the lines are there.
const (
	transcriptPatience = 150 * time.Millisecond
	latePatience       = time.Second
)

// Stop writes the turn's checkpoint, the human's part and the agent's, on the stream that the work
// belongs to, and completes the transcript in the checkpoints of commits made during the turn.
func Stop(ctx context.Context, run *workspace.Run, e Event, event session.Event) (string, error) {
	if e.ofSubagent(ctx) {
		return "a subagent's turn: its caller's has its work", nil
	}
	wait := gitexec.InBackground(func() (none struct{}, err error) {
		if e.TranscriptPath != "" {
			redact.Warm()
			late := transcriptPatience // at a session's end an agent may have been interrupted
			if event == session.TurnEnd {
				late = latePatience
			}
			transcript.WaitForAnswer(ctx, e.TranscriptPath, e.Answer, transcriptPatience, late)
		}
		return none, nil
	})
	snap, err := run.Snapshot(ctx)
	wait()
	if head, err := headNow(run.DB, run.Head); err == nil { // while the lines were late, commits may have been made
		finishPending(ctx, run.On(head)) // who made one that no hook saw is in those lines
	}
	if err != nil {
		return "", err
	}
	run.WarnOf(recordStashed(ctx, run, snap, stopped{e, event}))
	return recordPart(ctx, run, snap, stopped{e, event})
}

// stopped is all that is left of a turn at its stop, or at the session's end.
type stopped struct {
	Event
	ends session.Event
}

// ofSubagent reports whether the stop is a subagent's, which looks like its caller's: the caller's
// transcript says that it has not stopped.
func (e Event) ofSubagent(ctx context.Context) bool {
	if !e.Unmarked || e.TranscriptPath == "" {
		return false
	}
	transcript.Wait(ctx, e.TranscriptPath, transcriptPatience)
	return transcript.GoesOn(e.TranscriptPath)
}

func (part stopped) load(_ context.Context, run *workspace.Run) (*session.State, outcome, error) {
	s, err := loadSession(run, part.Event)
	if err == nil && len(s.TurnCheckpointIDs) > 0 {
		run.DB.WarmWriter() // for those, and for the turn's own
	}
	return s, nil, err
}

func (part stopped) own(ctx context.Context, run *workspace.Run, s *session.State, t turn) (turn, bool, error) {
	running, background := part.Running, part.Background
	if part.Terminals {
		terminals := runningTerminals(ctx, s)
		running, background = append(slices.Clone(running), terminals...), background || len(terminals) > 0
	}
	running = s.Background.Now(running, s.TurnID, s.LastPrompt, run.Store.Secrets.Text)
	t.open, t.answer = background && part.ends == session.TurnEnd, part.Answer
	t, err := ownPart(ctx, run, s, t, evidenceAtStop(s.TurnOpen, t.startKnown, part.Continues, part.ends)...)
	if err == nil {
		t, err = withoutShells(run, s, t)
	}
	if err != nil {
		return t, false, err
	}
	// The next event asks what the transcript has beyond this: see wroteSinceStop.
	s.GoesOn(running, transcript.Size(s.TranscriptPath))
	t.startKnown = t.startKnown && part.ends == session.TurnEnd
	return t, true, nil
}

func (part stopped) finish(ctx context.Context, run *workspace.Run, s *session.State, t turn, done outcome) (outcome, error) {
	if len(t.touched) == 0 && len(s.TurnCheckpointIDs) == 0 {
		if len(done) == 0 {
			done = outcome{"turn ended, nothing changed"}
		}
		end(run, s, t, part.ends)
		return done, run.Store.Save(s)
	}
	kept, err := checkpointOnStream(ctx, run, s, t, part.ends)
	return append(done, kept), err
}

// end records the turn's end. The snapshot stays: an agent that another hook makes continue stops
// again without a prompt.
func end(run *workspace.Run, s *session.State, t turn, event session.Event) {
	without := ignored(run, s, t)
	startAgain(run.Head, s, t)
	if s.Stopped(t.open, without); !t.open {
		s.Apply(event, run.Now())
	}
}

// ignored are the files that the session's tools wrote, and that are in the worktree and in no
// snapshot.
func ignored(run *workspace.Run, s *session.State, t turn) []session.Ignored {
	all := s.Ignored
	if t.wrote != nil {
		files := append(slices.Clip(t.wrote.Files), slices.Sorted(maps.Keys(t.wrote.Texts))...)
		all = withWritten(all, commits.PathsInWorktree(run.Repo, files), s, run.Now())
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

// withWritten adds to the files of earlier turns those that this one wrote, the latest last.
func withWritten(known []session.Ignored, written []gitexec.Path, s *session.State, now time.Time) []session.Ignored {
	all := slices.Clone(known)
	for _, path := range written {
		// Written again, it is this turn's: the latest one that wrote the file has its lines.
		all = slices.DeleteFunc(all, func(file session.Ignored) bool { return file.Path == path })
		file := session.Ignored{Path: path, Turn: s.TurnID, Prompt: s.LastPrompt, Began: now}
		if s.LastInteractionTime != nil {
			file.Began = *s.LastInteractionTime
		}
		all = append(all, file)
	}
	return all
}

// mostIgnored is how many files that git ignores are known of a session, the latest: a state names
// them until the human adds one with git add -f. An agent that writes more of them builds
// something.
const mostIgnored = 50
