package rewind

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/query"
	"entire-plumb/internal/session"
	"entire-plumb/internal/testdir"
	"entire-plumb/internal/workspace"
	"entire-plumb/shadow"
)

func TestMain(m *testing.M) { testdir.Main(m) }

// world is an enabled repository with the files of its first commit: f, dir/g, and .gitignore.
type world struct {
	*testing.T
	dir    string
	env    workspace.Env
	stderr bytes.Buffer
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{T: t, dir: t.TempDir()}
	w.env = workspace.Env{Dir: w.dir, Stderr: &w.stderr, Getenv: os.Getenv, Now: time.Now, NewID: workspace.RandomID}
	w.git("init", "-q", "-b", "main")
	w.write(".gitignore", "ignored\n", "f", "1\n", "dir/g", "1\n", ".entire/settings.json", `{"enabled": true}`)
	w.git("add", ".")
	w.git("commit", "-qm", "First")
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
	out, err := exec.Command("git", append([]string{"-C", w.dir, "-c", "user.name=A", "-c", "user.email=a@b"}, args...)...).CombinedOutput()
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

// files are those of the worktree, outside of .git and .entire, as NAME=CONTENT.
func (w *world) files() string {
	w.Helper()
	var all []string
	w.must(filepath.WalkDir(w.dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && (d.Name() == ".git" || d.Name() == ".entire") {
			return cmp.Or(err, fs.SkipDir)
		}
		if !d.IsDir() && d.Name() != ".gitignore" {
			text, err := os.ReadFile(file)
			w.must(err)
			name, _ := filepath.Rel(w.dir, file)
			all = append(all, name+"="+strings.TrimSpace(string(text)))
		}
		return nil
	}))
	return strings.Join(all, " ")
}

// record writes a stream on HEAD with the worktree as it is, and returns its checkpoint.
func (w *world) record(suffix int, turn string) gitexec.OID {
	w.Helper()
	ws, _, err := w.env.OpenToRead(w.Context(), w.dir)
	w.must(err)
	defer ws.DB.Close()
	snap, err := ws.Snapshot(w.Context())
	w.must(err)
	done, err := shadow.WriteTemporary(w.Context(), ws.DB, shadow.WriteTemporaryOptions{Stream: shadow.NewName(ws.Repo.Head.ID, "", suffix), Base: ws.Repo.Head,
		Who: ws.Author(nil), Steps: []shadow.Step{{Session: "s1", Turn: turn, Part: shadow.Agent, Subject: "Turn", Tree: snap.Tree,
			Overlay: gitexec.Tree{"prompt.txt": w.blob(ws.DB, "Do it")}}}})
	w.must(err)
	w.git("update-ref", done.Change.Ref, string(done.Commit))
	w.must(ws.Store.Save(&session.State{SessionID: "s1", Place: session.Place{Phase: session.Idle, BaseCommit: ws.Repo.Head.ID}}))
	return done.Commit
}

func (w *world) blob(db *gitexec.ODB, text string) gitexec.Entry {
	w.Helper()
	id, err := db.WriteBlob([]byte(text))
	w.must(err)
	return gitexec.Entry{Mode: gitexec.ModeFile, ID: id}
}

func (w *world) rewind(q Request) (Rewound, error) { return Rewind(w.Context(), w.env, q) }

func (w *world) source() query.Source {
	return query.Source{Env: w.env, CatchUp: func(context.Context, workspace.Env, *gitexec.Repo) bool { return false },
		Relink: func(context.Context, workspace.Env, *gitexec.Repo, *gitexec.ODB) bool { return false }}
}
