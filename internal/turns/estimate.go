package turns

import (
	"context"
	"slices"

	"entire-plumb/gitexec"
	"entire-plumb/internal/commits"
	"entire-plumb/internal/explain"
	"entire-plumb/internal/session"
	"entire-plumb/internal/transcript"
	"entire-plumb/internal/workspace"
	"entire-plumb/shadow"
)

// onlyNamed is the part of a turn in the files that the transcript says that the agent's tools
// wrote.
func onlyNamed(repo *gitexec.Repo, db *gitexec.ODB, t turn, wrote transcript.Wrote) (turn, error) {
	named := commits.PathsInWorktree(repo, wrote.Files)
	files := slices.DeleteFunc(slices.Clone(t.touched), func(path gitexec.Path) bool { return !slices.Contains(named, path) })
	return inFiles(db, t, files)
}

// afterStop is what came after a stop at which tasks went on in the background. It is the turn's,
// but for what the user has saved meanwhile, as far as the transcript tells: where nothing but
// tools that name their files was used since the prompt, and none of the tasks is a shell's, all
// other files.
func afterStop(ctx context.Context, repo *gitexec.Repo, db *gitexec.ODB, s *session.State, t turn) (turn, error) {
	if ended, ok := terminalsEnded(ctx, s); ok {
		return onlyBefore(repo, db, t, transcript.Wrote{Interrupted: ended})
	}
	if s.TranscriptPath == "" || s.Background.Shell() {
		return t, nil
	}
	wrote, err := transcript.WrittenInAnswer(ctx, s.TranscriptPath)
	if err != nil || !wrote.All || len(wrote.Files) == 0 {
		return t, nil // what cannot be read tells nothing
	}
	return onlyNamed(repo, db, t, wrote)
}

// beforeInterruption is what of an interrupted turn is the agent's, at the next prompt: files that
// its tools wrote, and where it used a shell or other tools, whatever was saved until it was
// interrupted, or did something for the last time. The rest the user has saved since. known is
// false where the transcript doesn't tell the time.
func beforeInterruption(ctx context.Context, repo *gitexec.Repo, db *gitexec.ODB, s *session.State, t turn) (_ turn, known bool, err error) {
	if s.TranscriptPath == "" {
		return t, false, nil
	}
	wrote, err := transcript.WrittenInAnswer(ctx, s.TranscriptPath)
	if wrote.Interrupted.IsZero() {
		wrote.Interrupted = wrote.Last
	}
	if err != nil || wrote.Interrupted.IsZero() {
		return t, false, nil // what cannot be read tells nothing
	}
	t, err = onlyBefore(repo, db, t, wrote)
	return t, true, err
}

// unlessInterrupted is the turn at its stop, or at the session's end. Where the user interrupted
// it, and gave no prompt since, it ended then: a command that the user runs in the agent's terminal
// ends in a stop, too.
func unlessInterrupted(ctx context.Context, repo *gitexec.Repo, db *gitexec.ODB, s *session.State, t turn) (turn, error) {
	if s.TranscriptPath == "" {
		return t, nil
	}
	wrote, err := transcript.WrittenSince(ctx, s.TranscriptPath, s.Recorded.Bytes)
	if err != nil {
		return t, nil // what cannot be read tells nothing
	}
	if wrote.Prompt != "" { // else the turn's first part was recorded before
		t.wrote = &wrote
	}
	if wrote.Interrupted.IsZero() {
		return t, nil
	}
	return onlyBefore(repo, db, t, wrote)
}

// onlyBefore is the part of a turn that is the agent's if it was interrupted.
func onlyBefore(repo *gitexec.Repo, db *gitexec.ODB, t turn, wrote transcript.Wrote) (turn, error) {
	named := commits.PathsInWorktree(repo, wrote.Files)
	files := slices.DeleteFunc(slices.Clone(t.touched), func(path gitexec.Path) bool {
		return !slices.Contains(named, path) && (wrote.All || commits.SavedAfter(repo, path, wrote.Interrupted))
	})
	return inFiles(db, t, files)
}

// estimate is the turn whose start was not recorded, as after a command that the user ran in the
// agent's terminal, or where recording was enabled in the middle of it. The agent's part is what
// the transcript says that its tools wrote since it was recorded last, and nothing else: whatever
// else isn't committed may be the human's.
func estimate(ctx context.Context, run *workspace.Run, s *session.State, t turn) (turn, error) {
	var wrote transcript.Wrote
	if s.TranscriptPath != "" {
		var err error
		if wrote, err = transcript.WrittenAfter(ctx, s.TranscriptPath, s.Recorded.Bytes); err != nil {
			run.Note("the transcript can't be read, so that nothing of the turn is known to be the agent's: " + err.Error())
		}
	}
	t, err := onlyNamed(run.Repo, run.DB, t, wrote)
	t.estimated = len(t.touched) > 0
	if wrote.Prompt != "" && t.estimated {
		s.BeginTurn(run.NewID(), commits.AgentProcess(run))
		prompt := run.Store.Secrets.Text(wrote.Prompt)
		if err := run.Store.AddPrompt(s.SessionID, prompt); err != nil {
			run.WarnLater(explain.OneLine(explain.Error(ctx, err)))
		}
		s.Prompted(shadow.Describe(prompt))
	}
	return t, err
}
