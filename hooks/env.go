package hooks

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/ancestry"
	"entire-plumb/internal/journal"
	"entire-plumb/internal/redact"
	"entire-plumb/internal/session"
	"entire-plumb/internal/settings"
	"entire-plumb/shadow"
)

// Env is what a hook takes from the world around it.
type Env struct {
	Dir     string // where it was called
	Stdin   io.Reader
	Stdout  io.Writer // what an agent reads
	Stderr  io.Writer
	Getenv  func(string) string
	Now     func() time.Time
	NewID   func() string // 12 random hex digits
	Version string
	Tracer  *gitexec.Tracer
}

// RandomID gives 12 random hex digits.
func RandomID() string {
	var b [6]byte
	rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// place is an enabled repository, opened for one hook.
type place struct {
	Env
	repo     *gitexec.Repo
	settings settings.Settings
	store    session.Store
	db       *gitexec.ODB
	troubles []string // that the hook goes on in spite of

	words []string // for the user, from an agent's hook

	told journal.Entry // what the hook's line in the journal is to say beside its outcome

	ancestors []ancestry.Process // see above; nil: not looked up yet
}

// open finds the repository of dir and its settings.
func (e Env) open(ctx context.Context, dir string) (*place, error) {
	p, off, err := e.openToRead(ctx, dir)
	if err == nil {
		err = off
	}
	if err != nil {
		return nil, err
	}
	// In a partial clone an object that is missing isn't fetched: a remote that hangs would hang
	// the hook.
	p.repo = p.repo.Offline()
	p.db = p.repo.ODB(ctx)
	return p, nil
}

// openToRead is open for what tells of the work that is recorded also where nothing is recorded any
// more: off then says why.
func (e Env) openToRead(ctx context.Context, dir string) (p *place, off, err error) {
	repo, err := gitexec.Discover(ctx, dir, e.Tracer)
	if err != nil {
		return nil, nil, err
	}
	chosen, err := settings.Load(ctx, repo)
	if errors.Is(err, settings.ErrNotEnabled) || errors.Is(err, settings.ErrDisabled) {
		off, err = err, nil
	}
	if err != nil {
		if !quiet(err) {
			journal.Append(repo.SharedDir(), journal.Entry{Time: e.Now().UTC(), Hook: "any", Outcome: "settings cannot be read", Error: err.Error()})
		}
		return nil, nil, err
	}
	if repo.Born() != nil { // what comes before the first commit is as good as an empty one
		repo.Head, repo.HeadTree = repo.Format.Zero(), repo.Format.EmptyTree()
	}
	secrets, err := redact.New(chosen.Redaction)
	if err != nil && off != nil {
		err = off
	}
	if err != nil {
		return nil, nil, err
	}
	store := session.Store{Dir: StateDir(repo), Warn: e.warn, Secrets: secrets}
	return &place{Env: e, repo: repo, settings: chosen, store: store, db: repo.ODB(ctx)}, off, nil
}

// StateDir is the directory of the session states.
func StateDir(repo *gitexec.Repo) string { return filepath.Join(repo.CommonDir, "entire-sessions") }

func (e Env) warn(line string) { fmt.Fprintln(e.Stderr, "entire-plumb: "+gitexec.Harmless(line)) }

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
		p.db.Close()
		p.db, p.troubles, p.words = p.repo.ODB(ctx), nil, nil
		time.Sleep(pause)
	}
	return work()
}

// warnOf tells of what could not be done, and was no reason to stop.
func (p *place) warnOf(troubles []error) {
	for _, trouble := range troubles {
		p.warn(OneLine(trouble))
	}
}

// note writes the journal's line of a hook, and its error, if any, to stderr in one line.
func (p *place) note(entry journal.Entry, begun time.Time, err error) {
	if err != nil {
		entry.Error = err.Error()
	}
	entry.Worktree, entry.Link, entry.Works, entry.Rewrote, entry.Made = p.repo.WorktreeID(), p.told.Link, p.told.Works, p.told.Rewrote, p.told.Made
	entry.Time = p.Now().UTC()
	entry.Milliseconds = time.Since(begun).Milliseconds()
	entry.Processes, entry.Objects = p.repo.Processes(), p.repo.ObjectsAsked()
	journal.Append(p.repo.SharedDir(), entry)
}

// journalLine notes something that a hook did beside its outcome.
func (p *place) journalLine(what string) {
	journal.Append(p.repo.SharedDir(), journal.Entry{Time: p.Now().UTC(), Hook: "note", Outcome: what})
}

// mine gives the sessions of this worktree that may have a say in the next commit.
func (p *place) mine() ([]*session.State, error) {
	all, err := p.store.List()
	return p.here(all), err
}

// recent gives the sessions of this worktree, those at rest among them, as long as their commits
// are remembered.
func (p *place) recent() ([]*session.State, error) {
	all, err := p.store.Recent(p.Now().Add(-session.Memory))
	return p.here(all), err
}

func (p *place) here(all []*session.State) []*session.State {
	return slices.DeleteFunc(all, func(s *session.State) bool { return s.WorktreeID != p.repo.WorktreeID() })
}

// locked runs f with the repository's lock held, after what a killed process began, or a lock
// blocked, was finished. When somebody else's git moved a ref of ours meanwhile, f runs again, and
// must read everything anew.
func (p *place) locked(ctx context.Context, f func() error) error {
	unlock, err := shadow.Lock(ctx, p.repo)
	if err != nil {
		return err
	}
	defer unlock()
	if _, err := shadow.Recover(ctx, p.repo, p.store); err != nil {
		return err
	}
	blocked := shadow.BlockedRefs(p.repo)
	defer func() { p.noteBlocked(blocked) }()
	return repeatMoved(func() error {
		if shadow.Unblocked(p.repo) {
			var moved *gitexec.RefMovedError
			if err := shadow.Apply(ctx, p.repo, p.store, nil, nil); errors.As(err, &moved) {
				return err // what is to be moved goes from somewhere else now
			} else if err != nil {
				p.warn("what waits cannot be moved: " + OneLine(err)) // and keeps nothing else from being recorded
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
	now := shadow.BlockedRefs(p.repo)
	var news []string
	for _, ref := range now {
		if !slices.Contains(before, ref) {
			news = append(news, ref)
		}
	}
	switch {
	case len(news) > 0 && len(before) == 0:
		said := fmt.Sprintf("%s cannot be moved: %s is in the way. What is recorded waits until it has gone", strings.Join(news, ", "), shadow.BlockedBy(p.repo))
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
