package hooks

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/ancestry"
	"entire-plumb/internal/explain"
	"entire-plumb/internal/journal"
	"entire-plumb/internal/session"
	"entire-plumb/internal/workspace"
	"entire-plumb/shadow"
)

// Env is what a hook takes from the world around it.
type Env struct{ workspace.Env }

// place is a workspace, opened for one hook.
type place struct {
	*workspace.Workspace
	troubles []string // that the hook goes on in spite of

	words []string // for the user, from an agent's hook

	told journal.Entry // what the hook's line in the journal is to say beside its outcome

	ancestors []ancestry.Process // see above; nil: not looked up yet
}

// open opens the workspace of dir.
func (e Env) open(ctx context.Context, dir string) (*place, error) {
	w, err := e.Open(ctx, dir)
	if err != nil {
		return nil, err
	}
	return &place{Workspace: w}, nil
}

// warn keeps a line for the hook's end: it is said unless the hook fails, and its error is.
func (p *place) warn(line string) { p.troubles = append(p.troubles, line) }

// repeated does a hook's work once more, with new processes, if git failed in it, and again after a
// longer pause. A git gc beside it puts objects into a pack that a process running already doesn't
// look for, and removes directories that one is about to write to. As after a kill, all work can be
// begun anew wherever it ended.
func (p *place) repeated(ctx context.Context, work func() (string, error)) (outcome string, err error) {
	for _, pause := range []time.Duration{20 * time.Millisecond, 200 * time.Millisecond} {
		var fault *gitexec.Error
		var missing *gitexec.MissingError
		if outcome, err = work(); !errors.As(err, &fault) && !errors.As(err, &missing) || ctx.Err() != nil {
			return outcome, err
		}
		p.DB.Close()
		p.DB, p.troubles, p.words = p.Repo.ODB(ctx), nil, nil
		time.Sleep(pause)
	}
	return work()
}

// warnOf tells of what could not be done, and was no reason to stop.
func (p *place) warnOf(troubles []error) {
	for _, trouble := range troubles {
		p.warn(explain.OneLine(trouble))
	}
}

// note writes the journal's line of a hook, and its error, if any, to stderr in one line.
func (p *place) note(entry journal.Entry, begun time.Time, err error) {
	if err != nil {
		entry.Error = err.Error()
	}
	entry.Worktree, entry.Link, entry.Works, entry.Rewrote, entry.Made = p.Repo.WorktreeID(), p.told.Link, p.told.Works, p.told.Rewrote, p.told.Made
	entry.Time = p.Now().UTC()
	entry.Milliseconds = time.Since(begun).Milliseconds()
	entry.Processes, entry.Objects = p.Repo.Processes(), p.Repo.ObjectsAsked()
	journal.Append(p.Repo.SharedDir(), entry)
}

// journalLine notes something that a hook did beside its outcome.
func (p *place) journalLine(what string) {
	journal.Append(p.Repo.SharedDir(), journal.Entry{Time: p.Now().UTC(), Hook: "note", Outcome: what})
}

// mine gives the sessions of this worktree that may have a say in the next commit.
func (p *place) mine() ([]*session.State, error) {
	all, err := p.Store.List()
	return p.here(all), err
}

// recent gives the sessions of this worktree, those at rest among them, as long as their commits
// are remembered.
func (p *place) recent() ([]*session.State, error) {
	all, err := p.Store.Recent(p.Now().Add(-session.Memory))
	return p.here(all), err
}

func (p *place) here(all []*session.State) []*session.State {
	return slices.DeleteFunc(all, func(s *session.State) bool { return s.WorktreeID != p.Repo.WorktreeID() })
}

// locked runs f with the repository's lock held, after what a killed process began, or a lock
// blocked, was finished. When somebody else's git moved a ref of ours meanwhile, f runs again, and
// must read everything anew.
func (p *place) locked(ctx context.Context, f func() error) error {
	unlock, err := shadow.Lock(ctx, p.Repo)
	if err != nil {
		return err
	}
	defer unlock()
	if _, err := shadow.Recover(ctx, p.Repo, p.Store); err != nil {
		return err
	}
	blocked := shadow.BlockedRefs(p.Repo)
	defer func() { p.noteBlocked(blocked) }()
	return repeatMoved(func() error {
		if shadow.Unblocked(p.Repo) {
			var moved *gitexec.RefMovedError
			if err := shadow.Apply(ctx, p.Repo, p.Store, nil, nil); errors.As(err, &moved) {
				return err // what is to be moved goes from somewhere else now
			} else if err != nil {
				p.warn("what waits cannot be moved: " + explain.OneLine(err)) // and keeps nothing else from being recorded
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
func (p *place) noteBlocked(before []string) {
	now := shadow.BlockedRefs(p.Repo)
	var news []string
	for _, ref := range now {
		if !slices.Contains(before, ref) {
			news = append(news, ref)
		}
	}
	switch {
	case len(news) > 0 && len(before) == 0:
		said := fmt.Sprintf("%s cannot be moved: %s is in the way. What is recorded waits until it has gone", strings.Join(news, ", "), shadow.BlockedBy(p.Repo))
		p.journalLine(said)
		p.warn(said)
	case len(now) == 0 && len(before) > 0:
		p.journalLine("moved at last: " + strings.Join(before, ", "))
	}
}

// author is who a session's commits are by: the user, as git said when the session started.
func (p *place) author(s *session.State) gitexec.Ident {
	who := gitexec.Ident{Name: "entire-plumb", Email: "entire-plumb@localhost", When: p.Now()}
	if s != nil && s.AuthorName != "" && s.AuthorEmail != "" {
		who.Name, who.Email = s.AuthorName, s.AuthorEmail
	}
	return who
}
