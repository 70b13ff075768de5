package history

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/testdir"
	"entire-plumb/internal/workspace"
)

func TestMain(m *testing.M) { testdir.Main(m) }

// world is an enabled repository with one commit.
type world struct {
	*testing.T
	dir    string
	env    workspace.Env
	stderr bytes.Buffer
	*workspace.Workspace
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{T: t, dir: t.TempDir()}
	now := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	w.env = workspace.Env{Dir: w.dir, Stderr: &w.stderr, Getenv: os.Getenv, Now: func() time.Time { return now }, NewID: workspace.RandomID}
	w.git("init", "-q", "-b", "main")
	w.git("config", "user.name", "A")
	w.git("config", "user.email", "a@b")
	w.write("f", "1\n", ".entire/settings.json", `{"enabled": true}`)
	w.git("add", ".")
	w.git("commit", "-qm", "First")
	opened, err := open(t.Context(), w.env)
	w.must(err)
	t.Cleanup(func() { opened.DB.Close() })
	w.Workspace = opened
	return w
}

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

func (w *world) git(args ...string) string {
	w.Helper()
	cmd := exec.Command("git", append([]string{"-C", w.dir}, args...)...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		w.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// write writes files, each a name and its content.
func (w *world) write(files ...string) {
	w.Helper()
	for i := 0; i < len(files); i += 2 {
		file := filepath.Join(w.dir, files[i])
		w.must(errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(files[i+1]), 0o600)))
	}
}

func (w *world) blob(text string) gitexec.Entry {
	w.Helper()
	id, err := w.DB.WriteBlob([]byte(text))
	w.must(err)
	return gitexec.Entry{Mode: gitexec.ModeFile, ID: id}
}

// branch commits a tree of files to a ref, on top of it, and returns the commit.
func (w *world) branch(ref, message string, files ...string) gitexec.OID {
	w.Helper()
	edits := gitexec.Edits{}
	for i := 0; i < len(files); i += 2 {
		edits[gitexec.Path(files[i])] = w.blob(files[i+1])
	}
	args := []string{"commit-tree", "-m", message}
	root := w.Repo.Format.EmptyTree()
	if w.git("for-each-ref", ref) != "" {
		tip := gitexec.OID(w.git("rev-parse", ref))
		commits, err := w.DB.Commits(tip)
		w.must(err)
		root, args = commits[0].Tree, append(args, "-p", string(tip))
	}
	tree, err := w.DB.EditTree(root, edits)
	w.must(err)
	commit := w.git(append(args, string(tree))...)
	w.git("update-ref", ref, commit)
	return gitexec.OID(commit)
}

func oid(digit string) gitexec.OID { return gitexec.OID(strings.Repeat(digit, 40)) }
