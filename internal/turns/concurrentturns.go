package turns

import (
	"context"
	"entire-plumb/gitexec"
	"entire-plumb/internal/commits"
	"entire-plumb/internal/explain"
	"entire-plumb/internal/session"
	"entire-plumb/internal/settings"
	"entire-plumb/internal/transcript"
	"entire-plumb/internal/workspace"
	"entire-plumb/shadow"
	"slices"
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
	return remainderOfTurn(run.DB, t, t.touched)
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
			for _, path := range unnamed(t, mine) {
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
	t, err = remainderOfTurn(run.DB, t, touched)
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

// currentHead reads HEAD again under the lock: another session's turn may have been committed just
// before.
func currentHead(run *workspace.Run) (gitexec.Head, error) {
	if run.Settings.Strategy != settings.AutoCommit || run.Head.ID.IsZero() {
		return run.Head, nil
	}
	now, err := run.DB.Info("HEAD^{commit}")
	if err != nil || now[0].Type != "commit" || now[0].ID == run.Head.ID {
		return run.Head, err
	}
	commits, err := run.DB.Commits(now[0].ID)
	if err != nil {
		return run.Head, err
	}
	return gitexec.Head{ID: commits[0].ID, Tree: commits[0].Tree}, nil
}

// checkpointInterrupted ends a turn that no stop event came for: it gets a checkpoint, and no
// commit, since what was saved since may be the human's. ended is false where it isn't known what
// of it is the agent's: then the turn goes on in the next one.
func checkpointInterrupted(ctx context.Context, run *workspace.Run, s *session.State, snap shadow.Snapshot) (ended bool, err error) {
	t, err := turnChanges(run, s, snap)
	if err != nil {
		return false, err
	}
	known := false
	if s.TurnOpen {
		t, err = afterStop(ctx, run.Repo, run.DB, s, t)
		known = true
	} else {
		t, known, err = beforeInterruption(ctx, run.Repo, run.DB, s, t)
	}
	if err != nil || !known && run.Settings.Strategy != settings.AutoCommit {
		return false, err
	}
	if t.prompted = true; len(t.touched) > 0 {
		_, err = checkpointTurn(ctx, run, s, t, session.TurnEnd)
	}
	return true, err
}

// endInterrupted ends the turns of all sessions but one that are over without a stop: the user
// interrupted them, or the agent has exited. What is saved from now on is none of theirs, whatever
// they wrote before.
func endInterrupted(ctx context.Context, run *workspace.Run, except string, snap shadow.Snapshot) error {
	over, err := interruptedTurns(ctx, run, except)
	if err != nil {
		return err
	}
	for _, s := range over {
		if err := EndWithoutStop(ctx, run, s, snap, session.TurnEnd); err != nil {
			return err
		}
	}
	return nil
}

// EndInterruptedAtCommit ends interrupted turns before a commit, which then holds their work as it
// holds that of turns that stopped. It starts no process where there are none.
func EndInterruptedAtCommit(ctx context.Context, run *workspace.Run) error {
	if op := run.Repo.Operation(); op.Replays() || op.Concludes() {
		return nil
	}
	over, err := interruptedTurns(ctx, run, "")
	if err != nil || len(over) == 0 {
		return err
	}
	snap, err := run.Snapshot(ctx)
	if err != nil {
		return err
	}
	run = run.On(snap.Head)
	return run.Locked(ctx, func() error { return endInterrupted(ctx, run, "", snap) })
}

func interruptedTurns(ctx context.Context, run *workspace.Run, except string) ([]*session.State, error) {
	states, err := run.Sessions()
	return slices.DeleteFunc(states, func(s *session.State) bool {
		return s.SessionID == except || !s.In(run.Repo.WorktreeID()) || s.Phase != session.Active || !over(ctx, run, s)
	}), err
}

// over reports whether a turn in progress is known to be over without a stop. After a stop it goes
// on until the tasks in the background have ended, of which the agent may not be told.
func over(ctx context.Context, run *workspace.Run, s *session.State) bool {
	if s.TurnOpen {
		_, ended := terminalsEnded(ctx, s)
		return ended
	}
	return turnInterrupted(ctx, run, s)
}

// turnInterrupted reports whether a turn in progress is known to be over: its agent has exited, or
// its transcript says that the user interrupted it. An interruption before the turn began is of
// another.
func turnInterrupted(ctx context.Context, run *workspace.Run, s *session.State) bool {
	if alive, known := run.AgentAlive(s); known && !alive {
		return true
	}
	if s.TranscriptPath == "" || s.LastInteractionTime == nil {
		return false
	}
	if ended, err := transcript.Interrupted(s.TranscriptPath); err != nil || !ended { // a turn may be long
		return false
	}
	wrote, err := transcript.Written(ctx, s.TranscriptPath)
	return err == nil && !wrote.Interrupted.Before(*s.LastInteractionTime)
}

// EndWithoutStop ends a turn that no stop event ends, with the checkpoints that it lacks. At a
// session's end it ends whatever is known of it.
func EndWithoutStop(ctx context.Context, run *workspace.Run, s *session.State, snap shadow.Snapshot, event session.Event) error {
	if len(s.TurnCheckpointIDs) > 0 {
		if err := finalize(ctx, run, s, nil); err != nil {
			return err
		}
	}
	if s.TurnStartTree != "" {
		ended, err := checkpointInterrupted(ctx, run, s, snap)
		if err != nil {
			return err
		}
		if !ended && event == session.TurnEnd {
			return nil // it isn't known what of it is the agent's: it stays in progress
		}
	}
	s.Apply(event, run.Now())
	if err := run.Store.Save(s); err != nil {
		run.WarnLater(explain.OneLine(err))
	}
	return nil
}

// remainderOfTurn is a turn in some of its files: those that were not committed, or that are its
// own.
func remainderOfTurn(db *gitexec.ODB, t turn, files []gitexec.Path) (turn, error) {
	began, err := db.Files(t.before, files...)
	if err != nil {
		return t, err
	}
	edits := gitexec.Edits{}
	for i, path := range files {
		edits[path] = began[i]
	}
	before, err := db.EditTree(t.snap.Tree, edits)
	t.before, t.touched = before, files
	return t, err
}
