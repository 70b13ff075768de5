package upkeep

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/session"
	"entire-plumb/internal/settings"
	"entire-plumb/internal/testdir"
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
	*testing.T
	dir  string
	time time.Time
	said bytes.Buffer
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{T: t, dir: t.TempDir(), time: now}
	w.git("init", "-q", "-b", "main")
	w.git("config", "user.name", "A")
	w.git("config", "user.email", "a@example.org")
	w.write("base.txt", "base\n")
	w.git("add", ".")
	w.git("commit", "-qm", "First")
	repo, err := gitexec.Discover(t.Context(), w.dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := settings.Enable(t.Context(), repo, false); err != nil {
		t.Fatal(err)
	}
	return w
}

func (w *world) git(args ...string) {
	w.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = w.dir
	if out, err := cmd.CombinedOutput(); err != nil {
		w.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

func (w *world) write(name, text string) {
	w.Helper()
	if err := os.WriteFile(filepath.Join(w.dir, name), []byte(text), 0o644); err != nil {
		w.Fatal(err)
	}
}

// env is that of a command, where no process can be seen.
func (w *world) env() workspace.Env {
	getenv := func(name string) string { return map[string]string{"ENTIRE_TEST_PROC": "0"}[name] }
	return workspace.Env{Dir: w.dir, Stdout: &w.said, Stderr: &w.said, NewID: workspace.RandomID,
		Getenv: getenv, Now: func() time.Time { return w.time }}
}

// turn has a session's agent write a file in a turn. Without an end, no stop event comes.
func (w *world) turn(id, file, text string, ends bool) {
	w.Helper()
	open, err := w.env().Open(w.Context(), w.dir)
	if err != nil {
		w.Fatal(err)
	}
	defer open.DB.Close()
	e := turns.Event{SessionID: id, Prompt: "Write " + file}
	if _, err := turns.Start(w.Context(), open.Run(), e); err != nil {
		w.Fatal(err)
	}
	w.write(file, text)
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
	if err != nil {
		w.Fatal(err)
	}
	for _, info := range infos {
		works = append(works, info.Work)
	}
	return works
}
