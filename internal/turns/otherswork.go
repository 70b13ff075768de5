package turns

import (
	"context"
	"slices"

	"entire-plumb/gitexec"
	"entire-plumb/internal/commits"
	"entire-plumb/internal/session"
	"entire-plumb/internal/transcript"
	"entire-plumb/internal/workspace"
	"entire-plumb/shadow"
)

// ownChanges removes from a turn the files that another author is known to have changed: those that
// the agent of another turn in progress was asked to write and this turn's agent was not; and,
// where this turn's tools named all that they wrote (no shell ran), every other file, which the
// user has saved meanwhile.
func ownChanges(ctx context.Context, run *workspace.Run, s *session.State, t turn) (turn, error) {
	var own transcript.Wrote
	if s.TranscriptPath != "" {
		own, _ = transcript.Written(ctx, s.TranscriptPath) // an unreadable transcript is no evidence
	}
	mine := commits.PathsInWorktree(run.Repo, own.Files)
	states, err := run.Sessions()
	if err != nil {
		return t, err
	}
	theirs := writtenByOthers(ctx, run, states, s)
	saved, err := savedByOthers(ctx, run.Repo, run.DB, s, commits.TurnsBeside(run, s, states), t, mine)
	if err != nil {
		return t, err
	}
	for _, path := range saved {
		theirs[path] = true
	}
	t.touched = slices.DeleteFunc(slices.Clone(t.touched), func(path gitexec.Path) bool {
		return !slices.Contains(mine, path) && (own.All && len(mine) > 0 || theirs[path])
	})
	return inFiles(run.DB, t, t.touched)
}

// writtenByOthers lists the files that the agents of other turns in progress here were asked to
// write. A turn whose agent is known to have exited is not in progress.
func writtenByOthers(ctx context.Context, run *workspace.Run, states []*session.State, s *session.State) map[gitexec.Path]bool {
	except := []string{s.SessionID}
	for _, o := range states {
		if o.Phase != session.Active {
			continue
		}
		if alive, known := run.AgentAlive(o); known && !alive {
			except = append(except, o.SessionID)
		}
	}
	theirs := map[gitexec.Path]bool{}
	for _, wrote := range commits.WrittenInTurns(ctx, run.Repo, states, except) {
		for _, file := range wrote.Files {
			theirs[file] = true
		}
	}
	return theirs
}

// withoutOtherSessions removes from a turn the files that transcripts attribute to other sessions:
// those that the agent of another turn in progress was asked to write and this one was not; and
// those that other sessions' checkpoints hold with the same content, if that session's agent was
// asked to write them and they are not only carried there, or this one named all that it wrote and
// did not name them. Where the turn's tools named all that they wrote, and no shell ran, the user
// has saved every other file. A file that no transcript names counts for every turn in which it
// changed.
func withoutOtherSessions(ctx context.Context, run *workspace.Run, s *session.State, t turn, listing shadow.Listing) (turn, error) {
	if len(t.touched) == 0 {
		return t, nil
	}
	states, err := run.Sessions()
	if err != nil {
		return t, err
	}
	recorded, err := othersCheckpoints(run, s, t, listing)
	if err != nil {
		return t, err
	}
	theirs := writtenByOthers(ctx, run, states, s)
	if t.wrote != nil && t.wrote.All && !t.prompted {
		if mine := commits.PathsInWorktree(run.Repo, t.wrote.Files); len(mine) > 0 && transcript.Ended(s.TranscriptPath) {
			for _, path := range unnamedFiles(t.touched, mine) {
				theirs[path] = true // the human's
			}
		}
	}
	beside := commits.TurnsBeside(run, s, states)
	if len(recorded)+len(beside) == 0 && !slices.ContainsFunc(t.touched, func(path gitexec.Path) bool { return theirs[path] }) {
		return t, nil
	}
	var own transcript.Wrote
	if s.TranscriptPath != "" {
		read := transcript.Written
		if t.prompted {
			read = transcript.WrittenInAnswer
		}
		own, _ = read(ctx, s.TranscriptPath) // an unreadable transcript is no evidence
	}
	mine := commits.PathsInWorktree(run.Repo, own.Files)
	saved, err := savedByOthers(ctx, run.Repo, run.DB, s, beside, t, mine)
	if err != nil {
		return t, err
	}
	for _, path := range saved {
		theirs[path] = true
	}
	if len(recorded) == 0 && !slices.ContainsFunc(t.touched, func(path gitexec.Path) bool { return theirs[path] }) {
		return t, nil
	}
	known := own.All && len(mine) > 0
	for _, o := range states {
		if len(recorded[o.SessionID]) == 0 {
			continue
		}
		named := map[gitexec.Path]bool{}
		if wrote, err := transcript.WrittenEver(ctx, o.TranscriptPath, o.Recorded.Copied); err == nil {
			for _, file := range commits.PathsInWorktree(run.Repo, wrote.Files) {
				named[file] = true
			}
		}
		for _, file := range recorded[o.SessionID] {
			theirs[file.path] = theirs[file.path] || known || named[file.path] && !file.carried
		}
	}
	touched := slices.DeleteFunc(slices.Clone(t.touched), func(path gitexec.Path) bool {
		return theirs[path] && !slices.Contains(mine, path)
	})
	if len(touched) == len(t.touched) {
		return t, nil
	}
	start := t.before
	t, err = inFiles(run.DB, t, touched)
	t.start = start
	return t, err
}

// recordedFile is a file whose content another session's checkpoint has. If it is only carried
// there, whoever changed it since that session's turns made it so.
type recordedFile struct {
	path    gitexec.Path
	carried bool
}

// othersCheckpoints lists, by session, the files of the turn whose content equals that in another
// session's checkpoint.
func othersCheckpoints(run *workspace.Run, s *session.State, t turn, listing shadow.Listing) (map[string][]recordedFile, error) {
	streams, err := candidates(run, s, listing)
	if err != nil {
		return nil, err
	}
	streams = slices.DeleteFunc(streams, func(stream shadow.Stream) bool {
		sessions, err := stream.Sessions(run.DB)
		return err == nil && len(sessions) == 1 && sessions[0] == s.SessionID
	})
	if len(streams) == 0 {
		return nil, nil
	}
	now, err := run.DB.Files(t.snap.Tree, t.touched...)
	if err != nil {
		return nil, err
	}
	at := map[gitexec.Path]gitexec.Entry{}
	for i, path := range t.touched {
		at[path] = now[i]
	}
	recorded := map[string][]recordedFile{}
	for _, stream := range streams {
		changes, err := stream.AgentChanges(run.DB)
		if err != nil {
			continue // an unreadable transcript is no evidence
		}
		for _, c := range changes {
			if entry, ok := at[c.Path]; ok && c.Session != s.SessionID && c.New == entry {
				carried := len(c.Of) > 0 && !slices.ContainsFunc(c.Of, func(of shadow.Change) bool { return of.New == entry })
				recorded[c.Session] = append(recorded[c.Session], recordedFile{c.Path, carried})
			}
		}
	}
	return recorded, nil
}
