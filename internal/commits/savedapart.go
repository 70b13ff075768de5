package commits

import (
	"context"
	"maps"
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

// The limits err on the side of the agent: where they don't suffice, what was saved is its turn's.
const (
	// mostApart is how many files are looked at; of more nothing is known. Each is compared with
	// each command of the turn. A checkout has more, and an editor that saves all has less.
	mostApart = 1000
	// nearMove is how near a move of HEAD, or of the stash, git may have saved a file, and not its
	// author. Reflogs have seconds, and git writes the entry after it has written the files, which
	// takes seconds in a large worktree. With double of it what the user saves right after a commit
	// is the agent's more often.
	nearMove = 3 * time.Second
	// tick is by how much less than this clocks that agree differ: a file system's times may have
	// steps of some 10 ms, and a server's clock is mostly off by seconds or more.
	tick = 500 * time.Millisecond
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
	working.Since(*began)
	if len(now) > 0 {
		working.Spans, working.Last = append(working.Spans, now...), time.Now()
	}
	byGit, known := gitSaves(repo)
	if !known {
		return nil
	}
	for _, c := range changes {
		at, unnamed := saved[c.Path]
		if unnamed && at.After(*began) && working.Apart(filepath.Base(string(c.Path)), !c.Old.Exists(), at) && !byGit(at) {
			files = append(files, c.Path)
		}
	}
	return files
}

// EditedApart are the files that a turn's tools were given texts for, of changes, and that the user
// saved last: while none of its tools ran, or after the turn was stopped, unless that is zero; and
// while no command of a turn beside it ran. A command that doesn't name such a file has not made
// it, though it is new in the turn.
func EditedApart(
	ctx context.Context, run *workspace.Run, s *session.State, texts map[gitexec.Path]transcript.Texts, changes []gitexec.Change, stopped time.Time,
	now ...transcript.Span,
) (map[gitexec.Path]bool, error) {
	var edited []gitexec.Change
	for _, c := range changes {
		if of := texts[c.Path]; c.New.Exists() && of.Known() && !of.Vague {
			edited = append(edited, gitexec.Change{Path: c.Path, Old: c.New, New: c.New})
		}
	}
	saved := SaveTimes(run.Repo.Top, gitexec.PathsOf(edited), nil)
	// In nearly all turns a tool saved it last: the transcript need not be read again.
	maps.DeleteFunc(saved, func(path gitexec.Path, at time.Time) bool {
		return texts[path].Found != nil && texts[path].Found.Saved(at)
	})
	var apart []gitexec.Path
	if stopped.IsZero() {
		apart = SavedApart(ctx, run.Repo, s, edited, saved, now...)
	} else {
		apart = savedSince(ctx, run.Repo, s, saved, stopped)
	}
	if len(apart) == 0 {
		return nil, nil
	}
	states, err := run.Sessions()
	if err != nil {
		return nil, err
	}
	beside := CommandsOf(ctx, TurnsBeside(run, s, states))
	return sets.Of(slices.DeleteFunc(apart, func(path gitexec.Path) bool { return beside.Ran(saved[path]) })), nil
}

// savedSince are the files that were saved after a turn was stopped, not by git, and that no
// command names.
func savedSince(
	ctx context.Context, repo *gitexec.Repo, s *session.State, saved map[gitexec.Path]time.Time, stopped time.Time,
) (files []gitexec.Path) {
	if len(saved) == 0 || s.LastInteractionTime == nil || s.Background.Shell() {
		return nil
	}
	// The user often stashes or rebases what an interrupted turn left: then the time is git's.
	byGit, known := gitSaves(repo)
	if !known {
		return nil
	}
	// From the beginning: at the next prompt the part that was recorded ends with the turn. That
	// times are missing doesn't matter: the one that counts is known.
	working, _, err := transcript.WorkingTimes(ctx, s.TranscriptPath, 0, *s.LastInteractionTime)
	working.Since(*s.LastInteractionTime)
	for path, at := range saved {
		if err == nil && working.After(filepath.Base(string(path)), stopped, at) && !byGit(at) {
			files = append(files, path)
		}
	}
	return files
}

// CommandsOf are the times in which commands of some sessions ran.
func CommandsOf(ctx context.Context, sessions []*session.State) (all transcript.Spans) {
	for _, s := range sessions {
		if spans, _, err := transcript.CommandTimes(ctx, s.TranscriptPath); err == nil {
			all = append(all, spans...)
		}
	}
	return all
}

// gitSaves returns what reports whether git may have saved a file at a time. known is false where
// no reflog tells, or the files' clock is another one.
func gitSaves(repo *gitexec.Repo) (byGit func(at time.Time) bool, known bool) {
	moves, known := gitMoves(repo)
	return func(at time.Time) bool {
		return slices.ContainsFunc(moves, func(move time.Time) bool { return at.Sub(move).Abs() <= nearMove })
	}, known && sameClock(repo.PrivateDir())
}

// gitMoves are the times at which git may have saved files of the worktree: it moved HEAD, or
// wrote to the stash. known is false where no reflog tells.
func gitMoves(repo *gitexec.Repo) (moves []time.Time, known bool) {
	// Some 50,000 moves. git gc keeps 90 days of them (gc.reflogExpire).
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
