package commits

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/session"
	"entire-plumb/internal/transcript"
	"entire-plumb/internal/workspace"
	"entire-plumb/suffix"
)

// writtenBeside is what agents wrote in turns in progress beside a commit: those of the agent that
// makes it matter only if there is another. onStreams is the work of turns that have ended.
func writtenBeside(ctx context.Context, run *workspace.Run, q workQuery, onStreams []condense.Work) map[string]condense.Written {
	wrote := WrittenInTurns(ctx, run.Repo, q.states, q.agents, q.changes...)
	for _, s := range q.states {
		// An agent that was killed writes no more: only what its tools name is its work.
		if alive, known := run.AgentAlive(s); s.Phase == session.Active && known && !alive {
			at := wrote[s.SessionID]
			at.All = true // what changed since may be anybody's
			wrote[s.SessionID] = at
		}
	}
	// With another turn in progress, what the committing agent wrote tells it from that one's.
	if len(q.agents) == 1 && slices.ContainsFunc(q.states, func(s *session.State) bool {
		return s.Phase == session.Active && s.SessionID != q.agents[0]
	}) {
		for _, s := range q.states {
			if s.SessionID == q.agents[0] {
				wrote[s.SessionID], _ = WrittenBy(ctx, run.Repo, s, q.changes)
			}
		}
	}
	// By a command's words first, then by times: the latter add files that are not named yet.
	addByWords(ctx, run, q, wrote, onStreams)
	addSaved(ctx, run.Repo.Top, q, wrote)
	return wrote
}

// addByWords adds the changed files that commands of a turn in progress write, by their words, of
// those that only another turn has, and of those that no tool names and whose time doesn't tell who
// saved them.
func addByWords(ctx context.Context, run *workspace.Run, q workQuery, wrote map[string]condense.Written, onStreams []condense.Work) {
	unnamed, tools := savedUnnamed(run.Repo.Top, q.changes, wrote), maps.Clone(wrote)
	changes := slices.DeleteFunc(slices.Clone(q.changes), func(c gitexec.Change) bool { return unnamed[c.Path].IsZero() })
	for _, s := range q.states {
		// Told: no shell ran, so that no command can have written a file.
		if w, read := wrote[s.SessionID]; read && !w.Told && !slices.Contains(q.agents, s.SessionID) {
			theirs := slices.DeleteFunc(slices.Clone(q.changes), func(c gitexec.Change) bool {
				return slices.Contains(w.Files, c.Path) || !othersHave(c.Path, s.SessionID, tools, onStreams)
			})
			w.Files = append(slices.Clip(w.Files), SavedByGit(ctx, run, s, changes)...)
			w.Files = append(w.Files, WrittenByCommands(ctx, run.Repo.Top, s, theirs)...)
			wrote[s.SessionID] = w
		}
	}
}

// othersHave reports whether tools of another session name a file, or work of one has it.
func othersHave(path gitexec.Path, id string, tools map[string]condense.Written, onStreams []condense.Work) bool {
	for other, w := range tools {
		if other != id && slices.Contains(w.Files, path) {
			return true
		}
	}
	return slices.ContainsFunc(onStreams, func(w condense.Work) bool {
		return w.Session.SessionID != id && slices.ContainsFunc(w.Changes, func(c suffix.Change) bool { return c.Path == path })
	})
}

// addSaved adds the changed files that no tool names, and that were saved while commands of one
// turn in progress ran, and of no other as near.
func addSaved(ctx context.Context, top string, q workQuery, wrote map[string]condense.Written) {
	saved := savedUnnamed(top, q.changes, wrote)
	makes := func(s *session.State) bool { return slices.Contains(q.agents, s.SessionID) }
	may := func(s *session.State) bool { // some of these may be its own, and it doesn't make the commit
		w, read := wrote[s.SessionID]
		return read && !w.All && !makes(s)
	}
	if len(saved) == 0 || !slices.ContainsFunc(q.states, may) {
		return
	}
	spans := map[string]transcript.Spans{}
	for _, s := range q.states {
		if may(s) || makes(s) {
			// Where a command went on unseen, the times of the others don't tell whose a file is.
			if ran, complete, err := transcript.CommandTimes(ctx, s.TranscriptPath); err == nil && complete {
				spans[s.SessionID] = ran
			}
		}
	}
	for _, s := range q.states {
		if may(s) {
			w := wrote[s.SessionID]
			w.Files = append(w.Files, savedWithin(s.SessionID, q.changes, saved, spans)...)
			wrote[s.SessionID] = w
		}
	}
}

// SaveTimes are when files of a worktree were saved, by their paths from its top, as far as they
// are there, except some. chmod doesn't change them.
func SaveTimes(top string, files []gitexec.Path, except map[gitexec.Path]bool) map[gitexec.Path]time.Time {
	saved := map[gitexec.Path]time.Time{}
	for _, path := range files {
		info, err := os.Lstat(filepath.Join(top, filepath.FromSlash(string(path))))
		if err == nil && !except[path] {
			saved[path] = info.ModTime()
		}
	}
	return saved
}

// savedUnnamed are the changed files that no tool names, with the times at which they were saved.
func savedUnnamed(top string, changes []gitexec.Change, wrote map[string]condense.Written) map[gitexec.Path]time.Time {
	named := map[gitexec.Path]bool{}
	for _, w := range wrote {
		for _, path := range w.Files {
			named[path] = true
		}
	}
	return SaveTimes(top, gitexec.PathsOf(changes), named)
}

// savedWithin are the files that were saved while commands of a session ran, and of no other as
// near. spans are when the commands of sessions ran, by their IDs.
func savedWithin(id string, changes []gitexec.Change, saved map[gitexec.Path]time.Time, spans map[string]transcript.Spans) (files []gitexec.Path) {
	var others transcript.Spans
	for other, ran := range spans {
		if other != id {
			others = append(others, ran...)
		}
	}
	for _, c := range changes {
		if at, unnamed := saved[c.Path]; unnamed && spans[id].Saved(filepath.Base(string(c.Path)), at, others) {
			files = append(files, c.Path)
		}
	}
	return files
}

// WrittenInTurns is, by session, what agents wrote in turns in progress, by their transcripts,
// except some sessions; and of changed files those that were saved before a turn was interrupted.
// An unreadable transcript is no evidence: the session is not in it.
func WrittenInTurns(
	ctx context.Context, repo *gitexec.Repo, states []*session.State, except []string, changed ...gitexec.Change,
) map[string]condense.Written {
	named := map[string]condense.Written{}
	for _, s := range states {
		if s.Phase == session.Active && !slices.Contains(except, s.SessionID) {
			if wrote, ok := WrittenBy(ctx, repo, s, changed); ok {
				named[s.SessionID] = wrote
			}
		}
	}
	return named
}

// WrittenBy is what a session's tools were asked to write since the last prompt that is answered:
// the next one may be in the transcript before its hook runs. Where they used a shell and were
// interrupted, the changed files that were saved until then are, too. ok is false if its transcript
// does not say.
func WrittenBy(ctx context.Context, repo *gitexec.Repo, s *session.State, changed []gitexec.Change) (w condense.Written, ok bool) {
	if s.TranscriptPath == "" {
		return w, false
	}
	wrote, err := transcript.WrittenInAnswer(ctx, s.TranscriptPath, s.Recorded.Bytes)
	if err == nil && wrote.Prompt == "" { // some of the turn was recorded before
		wrote, err = transcript.Written(ctx, s.TranscriptPath)
	}
	if err != nil {
		return w, false
	}
	w = condense.Written{Files: append([]gitexec.Path{}, PathsInWorktree(repo, wrote.Files)...), All: wrote.All || !wrote.Interrupted.IsZero(), Told: wrote.All,
		Texts: TextsIn(repo, wrote.Texts)}
	if wrote.All || wrote.Interrupted.IsZero() {
		return w, true
	}
	for _, c := range changed {
		if c.New.Exists() && !SavedAfter(repo, c.Path, wrote.Interrupted) {
			w.Files = append(w.Files, c.Path)
		}
	}
	return w, true
}

// TextsIn are texts by the paths that files have in the worktree, given by those that tools name.
// Those of files elsewhere are omitted.
func TextsIn(repo *gitexec.Repo, texts map[string]transcript.Texts) map[gitexec.Path]transcript.Texts {
	all := map[gitexec.Path]transcript.Texts{}
	for file, of := range texts {
		if path, ok := PathInWorktree(repo, file); ok {
			all[path] = all[path].With(of)
		}
	}
	return all
}

// PathsInWorktree are the paths of files in the worktree, from its top, given as tools name them.
// Files elsewhere are omitted.
func PathsInWorktree(repo *gitexec.Repo, files []string) []gitexec.Path {
	var paths []gitexec.Path
	for _, file := range files {
		if path, ok := PathInWorktree(repo, file); ok {
			paths = append(paths, path)
		}
	}
	return paths
}

// PathInWorktree is a file's path in the worktree. An agent may name it through a symlink, as where
// CLAUDE.md leads to AGENTS.md: what it writes there is in the file that the link leads to.
func PathInWorktree(repo *gitexec.Repo, file string) (gitexec.Path, bool) {
	if !filepath.IsAbs(file) {
		file = filepath.Join(repo.Top, file)
	}
	if real, err := filepath.EvalSymlinks(file); err == nil {
		if info, err := os.Stat(real); err == nil && info.Mode().IsRegular() {
			if path, ok := pathBelow(repo.Top, real); ok {
				return path, true
			}
		}
	}
	// The directory alone: another link is itself what git tracks. A directory that is gone is
	// taken as it is named.
	dir, err := filepath.EvalSymlinks(filepath.Dir(file))
	if err != nil {
		dir = filepath.Dir(file)
	}
	return pathBelow(repo.Top, filepath.Join(dir, filepath.Base(file)))
}

func pathBelow(top, file string) (gitexec.Path, bool) {
	path, err := filepath.Rel(top, file)
	if err != nil || path == ".." || strings.HasPrefix(path, "../") {
		return "", false
	}
	return gitexec.Path(filepath.ToSlash(path)), true
}

// SavedAfter reports whether a file was saved, or deleted, after an interruption. What the agent's
// last command was at may take a second. The time of a deletion is that of the directory, in which
// something else may have come or gone since: then it counts as late.
func SavedAfter(repo *gitexec.Repo, path gitexec.Path, interruption time.Time) bool {
	at := filepath.Join(repo.Top, filepath.FromSlash(string(path)))
	info, err := os.Lstat(at)
	// Of a deleted file the nearest directory that is still there has the time.
	for errors.Is(err, fs.ErrNotExist) && at != repo.Top {
		at = filepath.Dir(at)
		info, err = os.Lstat(at)
	}
	return err != nil || info.ModTime().After(interruption.Add(time.Second))
}
