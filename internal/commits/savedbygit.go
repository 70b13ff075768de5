package commits

import (
	"context"
	"slices"
	"strings"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/ancestry"
	"entire-plumb/internal/session"
	"entire-plumb/internal/transcript"
	"entire-plumb/internal/workspace"
)

// SavedByGit are the files, of changes in a turn, that were saved since the git command began that
// called this hook, and that a command of the turn's writes, by its words. A hook of git's, such as
// a formatter in pre-commit, saved them last: their time doesn't tell who wrote them.
func SavedByGit(ctx context.Context, run *workspace.Run, s *session.State, changes []gitexec.Change) (files []gitexec.Path) {
	began, known := gitBegan(run)
	if !known {
		return nil
	}
	saved := SaveTimes(run.Repo.Top, gitexec.PathsOf(changes), nil)
	changes = slices.DeleteFunc(slices.Clone(changes), func(c gitexec.Change) bool { return saved[c.Path].Before(began) })
	return WrittenByCommands(ctx, run.Repo.Top, s, changes)
}

// WrittenByCommands are the files, of changes in a turn, that a command of it writes, by its words.
// top is the worktree's directory.
func WrittenByCommands(ctx context.Context, top string, s *session.State, changes []gitexec.Change) (files []gitexec.Path) {
	if len(changes) == 0 {
		return nil // no transcript needs to be read
	}
	commands := commandsOf(ctx, s).Files()
	for _, c := range changes {
		if _, writes := commands.Writing(top, c.Path, !c.Old.Exists()); writes {
			files = append(files, c.Path)
		}
	}
	return files
}

// gitBegan is when the git command began that called this hook; known is false where that can't be
// seen.
func gitBegan(run *workspace.Run) (at time.Time, known bool) {
	for _, p := range run.Ancestors() {
		if len(ancestry.Commands([]ancestry.Process{p})) > 0 {
			return p.Began()
		}
	}
	return at, false
}

// commandsOf are the commands of a turn's shells, as tasks; none where the transcript doesn't tell.
func commandsOf(ctx context.Context, s *session.State) (tasks session.BackgroundTasks) {
	if s.TranscriptPath == "" || s.LastInteractionTime == nil {
		return nil
	}
	spans, _, err := transcript.CommandTimes(ctx, s.TranscriptPath)
	if err != nil {
		return nil // an unreadable transcript is no evidence
	}
	for _, span := range spans {
		if !span.Begin.Before(*s.LastInteractionTime) {
			tasks = append(tasks, session.BackgroundTask{Shell: true, Command: strings.Join(span.Ran, "\n")})
		}
	}
	return tasks
}
