package commits

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/ancestry"
	"entire-plumb/internal/safefile"
	"entire-plumb/internal/session"
	"entire-plumb/internal/sets"
	"entire-plumb/internal/transcript"
	"entire-plumb/internal/workspace"
)

const (
	mostApart = 1000                   // files are looked at; of more nothing is known
	nearMove  = 3 * time.Second        // git may have saved a file then, and not its author
	tick      = 500 * time.Millisecond // clocks that agree differ by less
)

// SavedApart are the files, of changes that no tool of a turn's names, that the user saved in the
// turn while none of its tools ran. saved is when each was saved. now are commands that the agent
// runs now: the transcript may not have them yet. Where clocks don't agree, or a command may have
// gone on in the background, there are none.
func SavedApart(
	ctx context.Context, repo *gitexec.Repo, s *session.State, changes []gitexec.Change, saved map[gitexec.Path]time.Time, now ...transcript.Span,
) (files []gitexec.Path) {
	began := s.LastInteractionTime
	if len(saved) == 0 || len(saved) > mostApart || s.TranscriptPath == "" || began == nil || s.Background.Shell() {
		return nil
	}
	working, complete, err := transcript.WorkingTimes(ctx, s.TranscriptPath, s.TurnRecorded, *began)
	if err != nil || !complete || working.Last.Before(*began) || working.Last.After(time.Now()) {
		return nil
	}
	// The part begins where the last checkpoint ended: turns that changed nothing are in it, too.
	working.Spans = slices.DeleteFunc(working.Spans, func(one transcript.Span) bool { return !one.End.IsZero() && one.End.Before(*began) })
	if len(now) > 0 {
		working.Spans, working.Last = append(working.Spans, now...), time.Now()
	}
	moves, known := gitMoves(repo)
	if !known || !sameClock(repo.PrivateDir()) {
		return nil
	}
	for _, c := range changes {
		at, unnamed := saved[c.Path]
		near := func(move time.Time) bool { return at.Sub(move).Abs() <= nearMove }
		if unnamed && at.After(*began) && working.Apart(filepath.Base(string(c.Path)), !c.Old.Exists(), at) && !slices.ContainsFunc(moves, near) {
			files = append(files, c.Path)
		}
	}
	return files
}

// EditedApart are the files that a turn's tools were given texts for, of changes, and that the user
// saved last while none of its tools ran. A command that doesn't name such a file has not made it,
// though it is new in the turn.
func EditedApart(
	ctx context.Context, repo *gitexec.Repo, s *session.State, texts map[gitexec.Path]transcript.Texts, changes []gitexec.Change, now ...transcript.Span,
) map[gitexec.Path]bool {
	var edited []gitexec.Change
	for _, c := range changes {
		if texts[c.Path].Known() {
			edited = append(edited, gitexec.Change{Path: c.Path, Old: c.New, New: c.New})
		}
	}
	return sets.Of(SavedApart(ctx, repo, s, edited, SaveTimes(repo.Top, gitexec.PathsOf(edited), nil), now...))
}

// gitMoves are the times at which git may have saved files of the worktree: it moved HEAD, or
// wrote to the stash. known is false where no reflog tells.
func gitMoves(repo *gitexec.Repo) (moves []time.Time, known bool) {
	const largest = 8 << 20
	if repo.HasReftables() {
		return nil, false
	}
	for _, file := range []string{filepath.Join(repo.GitDir, "logs", "HEAD"), filepath.Join(repo.CommonDir, "logs", "refs", "stash")} {
		info, err := os.Lstat(file)
		if os.IsNotExist(err) {
			continue
		}
		data, readErr := safefile.Read(file, largest)
		if err != nil || readErr != nil {
			return nil, false
		}
		moves = append(moves, info.ModTime())
		for line := range strings.Lines(string(data)) {
			who, _, _ := strings.Cut(line, "\t")
			fields := strings.Fields(who[strings.LastIndexByte(who, '>')+1:])
			if len(fields) == 0 {
				continue
			}
			if seconds, err := strconv.ParseInt(fields[0], 10, 64); err == nil {
				moves = append(moves, time.Unix(seconds, 0))
			}
		}
	}
	return moves, true
}

// sameClock reports whether a file that is written now gets this machine's time: a server's may
// differ.
func sameClock(dir string) bool {
	file := filepath.Join(dir, "clock-"+strconv.Itoa(os.Getpid()))
	os.Remove(file) // of a process that was killed
	f, err := safefile.Create(file, 0o600)
	if err != nil {
		return false
	}
	defer os.Remove(file)
	defer f.Close()
	info, err := f.Stat()
	return err == nil && time.Since(info.ModTime()).Abs() < tick
}

// addApart adds the files of a commit that a turn makes which the user saved apart from it: none
// of their changes is the turn's. The worktree must have them as the commit does.
func addApart(ctx context.Context, run *workspace.Run, s *session.State, own condense.Written, changes []gitexec.Change, began gitexec.Edits) {
	saved := savedUnnamed(run.Repo.Top, changes, map[string]condense.Written{s.SessionID: own})
	apart := sets.Of(SavedApart(ctx, run.Repo, s, changes, saved, commandNow(run, s)...))
	for _, c := range changes {
		if apart[c.Path] && isBack(run.DB, run.Repo.Top, c.Path, c.New) {
			began[c.Path] = c.New
		}
	}
}

// commandNow is the command of a session's agent that called this hook, in a span without an end:
// the process that the agent started for it. It is empty where that can't be seen.
func commandNow(run *workspace.Run, s *session.State) (now []transcript.Span) {
	if s.AgentProcess == nil {
		return nil
	}
	if command, ok := ancestry.Below(run.Ancestors(), *s.AgentProcess); ok {
		if began, known := command.Began(); known {
			now = append(now, transcript.Span{Begin: began})
		}
	}
	return now
}
