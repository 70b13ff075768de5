package turns

import (
	"cmp"
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

// evidence is what tells which of the changes since a turn's start are its own.
type evidence int

const (
	sinceStop         evidence = iota // tasks went on in the background after a stop: see afterStop
	besideTasks                       // likewise, and no event says that the agent was at work since: see besideShells
	fromTranscript                    // the turn's start isn't known: see estimate
	unlessItWas                       // the transcript may say that it was interrupted: see unlessInterrupted
	untilInterruption                 // no event ended it: see beforeInterruption
)

// evidenceAtStop decides what tells the changes of a turn at its stop, or at the session's end.
// open: tasks of it went on in the background after an earlier stop. continues: another hook had
// made the agent continue, so that what changed since the last stop is the turn's.
func evidenceAtStop(open, startKnown, continues bool, event session.Event) (all []evidence) {
	switch {
	// Tasks went on after a stop, and the session ends without another one: no event says that the
	// agent worked since.
	case open && event == session.SessionStop:
		all = append(all, besideTasks)
	case open:
		all = append(all, sinceStop)
	}
	switch {
	// No prompt was heard. Where another hook made the agent go on, the last stop was the start.
	case !startKnown && !continues:
		all = append(all, fromTranscript)
	// The user may have pressed Esc, and gone on by hand until the session ended.
	case startKnown && !open:
		all = append(all, unlessItWas)
	}
	return all
}

// evidenceOnDeparture decides the same of the part of a turn that was done in a worktree which the
// agent has left.
func evidenceOnDeparture(open, interrupted, startKnown bool) []evidence {
	switch {
	case open && interrupted:
		return []evidence{besideTasks}
	case open:
		return []evidence{sinceStop}
	case interrupted:
		return []evidence{untilInterruption}
	case !startKnown:
		return []evidence{fromTranscript}
	}
	return nil
}

// ownPart is the part of a turn that its evidence tells.
func ownPart(ctx context.Context, run *workspace.Run, s *session.State, t turn, by ...evidence) (_ turn, err error) {
	for _, each := range by {
		switch each {
		case sinceStop:
			t, err = afterStop(ctx, run, s, t)
		case besideTasks:
			t, err = besideShells(ctx, run, s, t)
		case fromTranscript:
			t, err = estimate(ctx, run, s, t)
		case unlessItWas:
			t, err = unlessInterrupted(ctx, run, s, t)
		case untilInterruption:
			t, _, err = beforeInterruption(ctx, run, s, t)
		}
		if err != nil {
			return t, err
		}
	}
	return t, nil
}

// namedFiles are the files that tools name, of those that changed.
func namedFiles(touched, byTools []gitexec.Path) []gitexec.Path {
	return slices.DeleteFunc(slices.Clone(touched), func(path gitexec.Path) bool { return !slices.Contains(byTools, path) })
}

// unnamedFiles are the others.
func unnamedFiles(touched, byTools []gitexec.Path) []gitexec.Path {
	return slices.DeleteFunc(slices.Clone(touched), func(path gitexec.Path) bool { return slices.Contains(byTools, path) })
}

// filesBefore are the files of an interrupted turn that are the agent's: those that its tools name,
// and, unless those are all that it wrote, what was not saved after the interruption.
func filesBefore(touched, byTools []gitexec.Path, all bool, savedAfter func(gitexec.Path) bool) []gitexec.Path {
	return slices.DeleteFunc(slices.Clone(touched), func(path gitexec.Path) bool {
		// If the tools name all that was written, the time doesn't matter: the rest is the user's,
		// whenever it was saved.
		return !slices.Contains(byTools, path) && (all || savedAfter(path))
	})
}

// afterStop is what came after a stop at which tasks went on in the background. It is the turn's,
// but for what the user has saved meanwhile, as far as the transcript tells: where nothing but
// tools that name their files was used since the prompt, and none of the tasks is a shell's, all
// other files.
func afterStop(ctx context.Context, run *workspace.Run, s *session.State, t turn) (turn, error) {
	// The last background shell's end is known: what was saved after it is the user's.
	if ended, ok := terminalsEnded(ctx, s); ok {
		return onlyBefore(ctx, run, s, t, transcript.Wrote{Interrupted: ended})
	}
	// A shell that runs on may write any file.
	if s.TranscriptPath == "" || s.Background.Shell() {
		return t, nil
	}
	wrote, err := transcript.WrittenInAnswer(ctx, s.TranscriptPath, 0)
	if err != nil || !t.toldBy(wrote) || !wrote.Used {
		return t, nil // what cannot be read, or is not there to its end, tells nothing
	}
	return inFiles(run.DB, t, namedFiles(t.touched, commits.PathsInWorktree(run.Repo, wrote.Files)))
}

// besideShells is what came after a stop, and before a prompt or the session's end. Of shells that
// still run nothing tells that they write files, as a server doesn't, but their commands. What
// these name is the work of the turn that started the shell; the rest is the user's, unless the
// agent was at work again.
func besideShells(ctx context.Context, run *workspace.Run, s *session.State, t turn) (turn, error) {
	// A subagent goes on writing, as does the agent itself.
	if !s.Background.OnlyShells() || wroteSinceStop(ctx, s) {
		return afterStop(ctx, run, s, t)
	}
	files, by, err := filesOfShells(run, s.Background, t, t.touched)
	if err != nil {
		return t, err
	}
	if len(files) > 0 {
		// The part is recorded for the turn that started the shell, and not for the session's last
		// one.
		by.Continue(s)
	}
	return inFiles(run.DB, t, files)
}

// wroteSinceStop reports whether the transcript has the use of a tool that may write since the
// last stop, or tells when the last terminal ended.
func wroteSinceStop(ctx context.Context, s *session.State) bool {
	if _, ended := terminalsEnded(ctx, s); ended || s.TranscriptPath == "" {
		return ended
	}
	wrote, err := transcript.WrittenAfter(ctx, s.TranscriptPath, s.StoppedBytes)
	return err != nil || !wrote.All || len(wrote.Files) > 0
}

// filesOfShells are the files, of some that changed, that commands of shells name; by is the task
// that names the first of them.
func filesOfShells(run *workspace.Run, tasks session.BackgroundTasks, t turn, files []gitexec.Path) (named []gitexec.Path, by session.BackgroundTask, err error) {
	began, err := run.DB.Files(t.before, files...)
	if err != nil {
		return nil, by, err
	}
	byCommands := tasks.Files()
	for i, path := range files {
		// A new file counts wherever a command names it. One that was there may only be read: its
		// words must write it.
		task, ok := byCommands.Writing(run.Repo.Top, path, !began[i].Exists())
		if ok && len(named) == 0 {
			by = task
		}
		if ok {
			named = append(named, path)
		}
	}
	return named, by, nil
}

// withoutShells leaves to shells of earlier turns, which go on, the files that their commands name
// and no tool of this turn does. Their changes are found again at the next event. Where no task
// goes on, they are this turn's.
func withoutShells(run *workspace.Run, s *session.State, t turn) (turn, error) {
	earlier := slices.DeleteFunc(slices.Clone(s.Background), func(task session.BackgroundTask) bool { return task.TurnID == s.TurnID })
	if len(earlier) == 0 || !t.told() {
		return t, nil
	}
	files, _, err := filesOfShells(run, earlier, t, unnamedFiles(t.touched, commits.PathsInWorktree(run.Repo, t.wrote.Files)))
	if err != nil || len(files) == 0 {
		return t, err
	}
	// No task goes on: the shell has ended, and no later event would find its files.
	if !t.open {
		t.ofShells = files
		return t, nil
	}
	theirs, err := inFiles(run.DB, t, files)
	t.touched, t.snap.Tree = unnamedFiles(t.touched, files), theirs.before
	return t, err
}

// beforeInterruption is what of an interrupted turn is the agent's, at the next prompt: files that
// its tools wrote, and where it used a shell or other tools, whatever was saved until it was
// interrupted, or did something for the last time. The rest the user has saved since. known is
// false where the transcript doesn't tell the time.
func beforeInterruption(ctx context.Context, run *workspace.Run, s *session.State, t turn) (_ turn, known bool, err error) {
	if s.TranscriptPath == "" {
		return t, false, nil
	}
	wrote, err := transcript.WrittenInAnswer(ctx, s.TranscriptPath, 0)
	// An agent that was killed writes no interruption: what it did last is the latest time that is
	// known.
	wrote.Interrupted = cmp.Or(wrote.Interrupted, wrote.Last)
	if err != nil || wrote.Interrupted.IsZero() {
		return t, false, nil // what cannot be read tells nothing
	}
	t.wrote, t.finished = &wrote, true
	t, err = onlyBefore(ctx, run, s, t, wrote)
	return t, true, err
}

// unlessInterrupted is the turn at its stop, or at the session's end. Where the user interrupted
// it, and gave no prompt since, it ended then: a command that the user runs in the agent's terminal
// ends in a stop, too.
func unlessInterrupted(ctx context.Context, run *workspace.Run, s *session.State, t turn) (turn, error) {
	if s.TranscriptPath == "" {
		return t, nil
	}
	wrote, err := writtenSoFar(ctx, s)
	if err != nil {
		return t, nil // what cannot be read tells nothing
	}
	if wrote.Prompt != "" {
		t.wrote = &wrote
	}
	if wrote.Interrupted.IsZero() {
		return t, nil
	}
	t.finished = true
	return onlyBefore(ctx, run, s, t, wrote)
}

// writtenSoFar is what the tools of a turn wrote. A part of the turn may be recorded, as after a
// task or a commit in it: its prompt is then further back. A prompt from before the turn is not
// its own, and is not looked for.
func writtenSoFar(ctx context.Context, s *session.State) (transcript.Wrote, error) {
	wrote, err := transcript.WrittenSince(ctx, s.TranscriptPath, s.Recorded.Bytes)
	// The prompt was found, or nothing of the turn was recorded before.
	if err != nil || wrote.Prompt != "" || s.TurnRecorded >= s.Recorded.Bytes {
		return wrote, err
	}
	return transcript.WrittenSince(ctx, s.TranscriptPath, s.TurnRecorded)
}

// onlyBefore is the part of a turn that is the agent's if it was interrupted.
func onlyBefore(ctx context.Context, run *workspace.Run, s *session.State, t turn, wrote transcript.Wrote) (turn, error) {
	byTools := commits.PathsInWorktree(run.Repo, wrote.Files)
	changes, err := run.DB.Versions(t.before, t.snap.Tree, unnamedFiles(t.touched, byTools)...)
	if err != nil {
		return t, err
	}
	// A hook of git's, such as a formatter, may have saved a file last: then its time says nothing,
	// and the words of the turn's commands do.
	byTools = append(byTools, commits.SavedByGit(ctx, run, s, changes)...)
	return inFiles(run.DB, t, filesBefore(t.touched, byTools, wrote.All, func(path gitexec.Path) bool {
		return commits.SavedAfter(run.Repo, path, wrote.Interrupted)
	}))
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
	t, err := inFiles(run.DB, t, namedFiles(t.touched, commits.PathsInWorktree(run.Repo, wrote.Files)))
	t.estimated = len(t.touched) > 0
	if wrote.Prompt != "" && t.estimated {
		s.ReadFromHere()
		process, by := agentProcess(run, s)
		s.BeginTurn(run.NewID(), process, by)
		prompt := run.Store.Secrets.Text(wrote.Prompt)
		run.WarnOf(explain.Error(ctx, run.Store.AddPrompt(s.SessionID, prompt)))
		s.Prompted(shadow.Describe(prompt))
	}
	return t, err
}
