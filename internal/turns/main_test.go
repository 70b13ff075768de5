package turns

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"entire-plumb/internal/session"
	"entire-plumb/internal/settings"
	"entire-plumb/internal/testdir"
	"entire-plumb/internal/testrepo"
	"entire-plumb/internal/workspace"
)

func TestMain(m *testing.M) { testdir.Main(m) }

var now = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

func ago(d time.Duration) *time.Time {
	t := now.Add(-d)
	return &t
}

// world is a repository in which agents work, where no process can be seen.
type world struct {
	*testrepo.Repository
	time time.Time
	said bytes.Buffer
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{Repository: testrepo.New(t), time: now}
	w.Git("config", "user.name", "A")
	w.Git("config", "user.email", "a@example.org")
	w.Commit("First", "base.txt", "base\n")
	_, err := settings.Enable(t.Context(), w.Repo, false)
	w.Must(err)
	testdir.Must(t, os.WriteFile(filepath.Join(w.Dir, ".git", "info", "exclude"), []byte("/.entire\n"), 0o644))
	return w
}

// run is a new hook's.
func (w *world) run() *workspace.Run {
	w.Helper()
	env := workspace.Env{Dir: w.Dir, Stdout: &w.said, Stderr: &w.said, NewID: workspace.RandomID, Now: func() time.Time { return w.time },
		Getenv: func(name string) string { return map[string]string{"ENTIRE_TEST_PROC": "0"}[name] }}
	open, err := env.Open(w.Context(), w.Dir)
	w.Must(err)
	w.Cleanup(func() { open.DB.Close() })
	return open.Run()
}

func (w *world) start(id string) string {
	w.Helper()
	outcome, err := Start(w.Context(), w.run(), Event{SessionID: id, Prompt: "Do it"})
	w.Must(err)
	return outcome
}

func (w *world) stop(e Event) string {
	w.Helper()
	outcome, err := Stop(w.Context(), w.run(), e, session.TurnEnd)
	w.Must(err)
	return outcome
}

func (w *world) state(id string) *session.State {
	w.Helper()
	s, err := w.run().Store.Load(id)
	w.Must(err)
	return s
}

// streams are the names of the streams.
func (w *world) streams() []string {
	w.Helper()
	return slices.DeleteFunc(strings.Fields(w.Git("for-each-ref", "--format=%(refname:lstrip=3)", "refs/heads/entire/")), func(name string) bool {
		return strings.HasPrefix(name, "checkpoints/")
	})
}

// changes reads a session's changes since its turn's start.
func (w *world) changes(id string) turn {
	w.Helper()
	run := w.run()
	snap, err := run.Snapshot(w.Context())
	w.Must(err)
	t, err := readChanges(run.On(snap.Head), w.state(id), snap)
	w.Must(err)
	w.Must(run.DB.Flush())
	return t
}

// outcomeOf is the outcome of an event.
func outcomeOf(t *testing.T, handle func(context.Context, *workspace.Run, Event) (string, error), w *world, e Event) string {
	t.Helper()
	outcome, err := handle(t.Context(), w.run(), e)
	testdir.Must(t, err)
	return outcome
}
