package upkeep

import (
	"bytes"
	"testing"
	"time"

	"entire-plumb/internal/session"
	"entire-plumb/internal/settings"
	"entire-plumb/internal/testdir"
	"entire-plumb/internal/testrepo"
	"entire-plumb/internal/turns"
	"entire-plumb/internal/workspace"
)

func TestMain(m *testing.M) { testdir.Main(m) }

var now = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

func ago(d time.Duration) *time.Time {
	t := now.Add(-d)
	return &t
}

const day = 24 * time.Hour

// world is a repository in which an agent works.
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
	return w
}

// env is that of a command, where no process can be seen.
func (w *world) env() workspace.Env {
	getenv := func(name string) string { return map[string]string{"ENTIRE_TEST_PROC": "0"}[name] }
	return workspace.Env{Dir: w.Dir, Stdout: &w.said, Stderr: &w.said, NewID: workspace.RandomID,
		Getenv: getenv, Now: func() time.Time { return w.time }}
}

// turn has a session's agent write a file in a turn. Without an end, no stop event comes.
func (w *world) turn(id, file, text string, ends bool) {
	w.Helper()
	open, err := w.env().Open(w.Context(), w.Dir)
	w.Must(err)
	defer open.DB.Close()
	e := turns.Event{SessionID: id, Prompt: "Write " + file}
	if _, err := turns.Start(w.Context(), open.Run(), e); err != nil {
		w.Fatal(err)
	}
	w.Write(file, text)
	if ends {
		if _, err := turns.Stop(w.Context(), open.Run(), e, session.TurnEnd); err != nil {
			w.Fatal(err)
		}
	}
}

// where is where the work of the repository's streams is.
func (w *world) where(all bool) (works []Whereabouts) {
	w.Helper()
	infos, err := Streams(w.Context(), w.env(), "", all)
	w.Must(err)
	for _, info := range infos {
		works = append(works, info.Work)
	}
	return works
}
