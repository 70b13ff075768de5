// Package workspace opens an enabled repository: git's objects and refs, the settings, and the
// session states.
package workspace

import (
	"context"
	"errors"
	"path/filepath"

	"entire-plumb/gitexec"
	"entire-plumb/internal/ancestry"
	"entire-plumb/internal/journal"
	"entire-plumb/internal/redact"
	"entire-plumb/internal/seal"
	"entire-plumb/internal/session"
	"entire-plumb/internal/settings"
)

// Workspace is an enabled repository, opened for one hook or command. DB must be closed.
type Workspace struct {
	Env
	Repo     *gitexec.Repo
	Settings settings.Settings
	Store    session.Store
	DB       *gitexec.ODB

	// Foreseen is the tree of a commit that is only foreseen: nothing is recorded of it, and no
	// lock is taken. Empty: commits are made, and what is staged is compared.
	Foreseen gitexec.OID

	Entry   journal.Entry // for the journal, beside the outcome
	Notices []string      // for the user, from an agent's hook

	troubles  []string           // warnings, printed at the end
	ancestors []ancestry.Process // see Ancestors; nil: not read yet
}

// Open opens the repository of a directory for a hook. It does not fetch missing objects of a
// partial clone: a remote that hangs would hang the hook. [NotRecorded] errors need not be
// reported.
func (e Env) Open(ctx context.Context, dir string) (*Workspace, error) {
	repo, err := gitexec.Discover(ctx, dir, e.Tracer)
	if err == nil {
		err = repo.CheckOwn()
	}
	if err != nil {
		return nil, err
	}
	w, off, err := e.toRead(ctx, repo)
	if err == nil {
		err = off
	}
	if err != nil {
		return nil, err
	}
	if err := w.Settings.Remember(w.Repo); err != nil {
		return nil, err
	}
	w.Repo = w.Repo.Offline()
	w.DB = w.Repo.ODB(ctx)
	return w, nil
}

// OpenToRead is Open for commands that show recorded work even where nothing is recorded any more:
// off then says why.
func (e Env) OpenToRead(ctx context.Context, dir string) (w *Workspace, off, err error) {
	repo, err := gitexec.Discover(ctx, dir, e.Tracer)
	if err != nil {
		return nil, nil, err
	}
	return e.toRead(ctx, repo)
}

func (e Env) toRead(ctx context.Context, repo *gitexec.Repo) (w *Workspace, off, err error) {
	chosen, err := settings.Load(ctx, repo)
	if errors.Is(err, settings.ErrNotEnabled) || errors.Is(err, settings.ErrDisabled) {
		off, err = err, nil
	}
	if err != nil {
		if !NotRecorded(err) {
			journal.Append(repo.SharedDir(), journal.Entry{
				Time: e.Now().UTC(), Hook: "any", Outcome: "settings cannot be read", Error: err.Error(),
			})
		}
		return nil, nil, err
	}
	secrets, err := chosen.Secrets(repo)
	if err != nil && off != nil {
		err = off
	}
	if err != nil {
		return nil, nil, err
	}
	if w, err = e.opened(ctx, repo, chosen, secrets); err != nil {
		return nil, nil, err
	}
	w.Store.Warn = e.Warn
	return w, off, nil
}

// OpenStates is the workspace of a repository that is already open, with read-only states; nil
// where nothing is recorded, or the settings cannot be read. No process.
func (e Env) OpenStates(ctx context.Context, repo *gitexec.Repo) *Workspace {
	chosen, err := settings.Load(ctx, repo)
	if err != nil {
		return nil
	}
	secrets, err := chosen.Secrets(repo)
	if err != nil {
		return nil
	}
	w, err := e.opened(ctx, repo.Offline(), chosen, secrets)
	if err != nil {
		return nil
	}
	w.Store.ReadOnly = true
	return w
}

// OpenAside is OpenToRead of a repository that is open already: what it writes, objects and private
// files, goes to a temporary directory. done closes it, and removes that.
func (e Env) OpenAside(ctx context.Context, repo *gitexec.Repo) (w *Workspace, off error, done func(), err error) {
	if w, off, err = e.toRead(ctx, repo); err != nil {
		return nil, nil, nil, err
	}
	aside, remove, err := repo.Scratch()
	if err != nil {
		return nil, nil, nil, err
	}
	w.Repo, w.DB, w.Store.ReadOnly = aside, aside.ODB(ctx), true
	return w, off, func() { w.DB.Close(); remove() }, nil
}

func (e Env) opened(ctx context.Context, repo *gitexec.Repo, chosen settings.Settings, secrets *redact.Redactor) (*Workspace, error) {
	readers, err := seal.Parse(chosen.EncryptTo)
	if err != nil {
		return nil, err
	}
	repo.Announce(e.Warn)
	w := &Workspace{Env: e, Repo: repo, Settings: chosen, DB: repo.ODB(ctx)}
	w.Store = session.Store{Dir: StateDir(repo), Secrets: secrets, Readers: readers, Objects: func() error { return w.DB.Flush() }}
	return w, nil
}

// StateDir is the directory of the session states.
func StateDir(repo *gitexec.Repo) string { return filepath.Join(repo.CommonDir, "entire-sessions") }

// NotRecorded reports whether an error only says that nothing is recorded here.
func NotRecorded(err error) bool {
	return errors.Is(err, settings.ErrNotEnabled) || errors.Is(err, settings.ErrDisabled) || errors.Is(err, gitexec.ErrUnborn) ||
		errors.Is(err, gitexec.ErrOtherRepository)
}
