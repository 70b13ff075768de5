package history

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/testdir"
	"entire-plumb/internal/testrepo"
	"entire-plumb/internal/workspace"
)

func TestMain(m *testing.M) { testdir.Main(m) }

// world is an enabled repository with one commit.
type world struct {
	*testrepo.Repository
	env    workspace.Env
	stderr bytes.Buffer
	opened *workspace.Workspace
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{Repository: testrepo.New(t)}
	now := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	w.env = workspace.Env{Dir: w.Dir, Stderr: &w.stderr, Getenv: os.Getenv, Now: func() time.Time { return now }, NewID: workspace.RandomID}
	w.Git("config", "user.name", "A")
	w.Git("config", "user.email", "a@b")
	w.Commit("First", "f", "1\n", ".entire/settings.json", `{"enabled": true}`)
	opened, err := open(t.Context(), w.env)
	w.Must(err)
	t.Cleanup(func() { opened.DB.Close() })
	w.opened = opened
	return w
}

// branch commits a tree of files to a ref, on top of it, and returns the commit.
func (w *world) branch(ref, message string, files ...string) gitexec.OID {
	w.Helper()
	root := w.Repo.Format.EmptyTree()
	if w.Git("for-each-ref", ref) != "" {
		root = gitexec.OID(w.Git("rev-parse", ref+"^{tree}"))
	}
	return w.Branch(ref, message, w.Edit(root, files...))
}

func oid(digit string) gitexec.OID { return gitexec.OID(strings.Repeat(digit, 40)) }
