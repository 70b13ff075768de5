package workspace

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/explain"
	"entire-plumb/internal/journal"
	"entire-plumb/internal/session"
	"entire-plumb/shadow"
)

// Repeat does a hook's work once more, with new processes, if git failed in it, and again after a
// longer pause. A git gc beside it puts objects into a pack that a process running already doesn't
// look for, and removes directories that one is about to write to. As after a kill, all work can be
// begun anew wherever it ended.
func (w *Workspace) Repeat(ctx context.Context, work func() (string, error)) (outcome string, err error) {
	for _, pause := range []time.Duration{20 * time.Millisecond, 200 * time.Millisecond} {
		var fault *gitexec.Error
		var missing *gitexec.MissingError
		if outcome, err = work(); !errors.As(err, &fault) && !errors.As(err, &missing) || ctx.Err() != nil {
			return outcome, err
		}
		w.DB.Close()
		w.DB, w.troubles, w.Notices = w.Repo.ODB(ctx), nil, nil
		time.Sleep(pause)
	}
	return work()
}

// WarnLaterOf tells of what could not be done, and was no reason to stop.
func (w *Workspace) WarnLaterOf(troubles []error) {
	for _, trouble := range troubles {
		w.WarnLater(explain.OneLine(trouble))
	}
}

// Journal writes the journal's line of a hook, and its error, if any, to stderr in one line.
func (w *Workspace) Journal(entry journal.Entry, begun time.Time, err error) {
	if err != nil {
		entry.Error = err.Error()
	}
	entry.Worktree, entry.Link, entry.Works, entry.Rewrote, entry.Made = w.Repo.WorktreeID(), w.Entry.Link, w.Entry.Works, w.Entry.Rewrote, w.Entry.Made
	entry.Time = w.Now().UTC()
	entry.Milliseconds = time.Since(begun).Milliseconds()
	entry.Processes, entry.Objects = w.Repo.Processes(), w.Repo.ObjectsAsked()
	journal.Append(w.Repo.SharedDir(), entry)
}

// Note notes something that a hook did beside its outcome.
func (w *Workspace) Note(what string) {
	journal.Append(w.Repo.SharedDir(), journal.Entry{Time: w.Now().UTC(), Hook: "note", Outcome: what})
}

// Sessions gives the sessions of this worktree that may have a say in the next commit.
func (w *Workspace) Sessions() ([]*session.State, error) {
	all, err := w.Store.List()
	return w.here(all), err
}

// RecentSessions gives the sessions of this worktree, those at rest among them, as long as their
// commits are remembered.
func (w *Workspace) RecentSessions() ([]*session.State, error) {
	all, err := w.Store.Recent(w.Now().Add(-session.Memory))
	return w.here(all), err
}

func (w *Workspace) here(all []*session.State) []*session.State {
	return slices.DeleteFunc(all, func(s *session.State) bool { return s.WorktreeID != w.Repo.WorktreeID() })
}

// Locked runs f with the repository's lock held, after what a killed process began, or a lock
// blocked, was finished. When somebody else's git moved a ref of ours meanwhile, f runs again, and
// must read everything anew.
func (w *Workspace) Locked(ctx context.Context, f func() error) error {
	unlock, err := shadow.Lock(ctx, w.Repo)
	if err != nil {
		return err
	}
	defer unlock()
	if _, err := shadow.Recover(ctx, w.Repo, w.Store); err != nil {
		return err
	}
	blocked := shadow.BlockedRefs(w.Repo)
	defer func() { w.noteBlocked(blocked) }()
	return repeatMoved(func() error {
		if shadow.Unblocked(w.Repo) {
			var moved *gitexec.RefMovedError
			if err := shadow.Apply(ctx, w.Repo, w.Store, nil, nil); errors.As(err, &moved) {
				return err // what is to be moved goes from somewhere else now
			} else if err != nil {
				w.WarnLater("what waits cannot be moved: " + explain.OneLine(err)) // and keeps nothing else from being recorded
			}
		}
		return f()
	})
}

// repeatMoved runs f again, some times, where it fails because somebody moved a ref of ours.
func repeatMoved(f func() error) (err error) {
	var moved *gitexec.RefMovedError
	const attempts = 4
	for i := range attempts {
		if err = f(); !errors.As(err, &moved) {
			return err
		}
		time.Sleep(time.Duration(10<<i) * time.Millisecond)
	}
	return err
}

// noteBlocked says once, when a ref of ours cannot be moved, what is in the way, and once that it
// was moved. before are the refs that could not be moved until now.
func (w *Workspace) noteBlocked(before []string) {
	now := shadow.BlockedRefs(w.Repo)
	var news []string
	for _, ref := range now {
		if !slices.Contains(before, ref) {
			news = append(news, ref)
		}
	}
	switch {
	case len(news) > 0 && len(before) == 0:
		said := fmt.Sprintf("%s cannot be moved: %s is in the way. What is recorded waits until it has gone", strings.Join(news, ", "), shadow.BlockedBy(w.Repo))
		w.Note(said)
		w.WarnLater(said)
	case len(now) == 0 && len(before) > 0:
		w.Note("moved: " + strings.Join(before, ", "))
	}
}

// Author is who a session's commits are by: the user, as git said when the session started.
func (w *Workspace) Author(s *session.State) gitexec.Ident {
	who := gitexec.Ident{Name: "entire-plumb", Email: "entire-plumb@localhost", When: w.Now()}
	if s != nil && s.AuthorName != "" && s.AuthorEmail != "" {
		who.Name, who.Email = s.AuthorName, s.AuthorEmail
	}
	return who
}

// WarnLater keeps a line for the hook's end: it is said unless the hook fails, and its error is.
func (w *Workspace) WarnLater(line string) { w.troubles = append(w.troubles, line) }

// Finish ends a hook: its processes, what it has to say, and its line in the journal.
func (w *Workspace) Finish(entry journal.Entry, begun time.Time, err error) error {
	if err2 := w.DB.Close(); err == nil {
		err = err2
	}
	for _, line := range w.troubles {
		if err == nil {
			w.Env.Warn(line)
		}
	}
	w.Journal(entry, begun, err)
	return err
}
