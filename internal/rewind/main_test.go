package rewind

import (
	"bytes"
	"cmp"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/query"
	"entire-plumb/internal/session"
	"entire-plumb/internal/testdir"
	"entire-plumb/internal/testrepo"
	"entire-plumb/internal/workspace"
	"entire-plumb/shadow"
)

func TestMain(m *testing.M) { testdir.Main(m) }

// world is an enabled repository with the files of its first commit: f, dir/g, and .gitignore.
type world struct {
	*testrepo.Repository
	env    workspace.Env
	stderr bytes.Buffer
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{Repository: testrepo.New(t)}
	w.env = workspace.Env{Dir: w.Dir, Stderr: &w.stderr, Getenv: os.Getenv, Now: time.Now, NewID: workspace.RandomID}
	w.Commit("First", ".gitignore", "ignored\n", "f", "1\n", "dir/g", "1\n", ".entire/settings.json", `{"enabled": true}`)
	return w
}

// files are those of the worktree, outside of .git and .entire, as NAME=CONTENT.
func (w *world) files() string {
	w.Helper()
	var all []string
	w.Must(filepath.WalkDir(w.Dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && (d.Name() == ".git" || d.Name() == ".entire") {
			return cmp.Or(err, fs.SkipDir)
		}
		if !d.IsDir() && d.Name() != ".gitignore" {
			text, err := os.ReadFile(file)
			w.Must(err)
			name, _ := filepath.Rel(w.Dir, file)
			all = append(all, name+"="+strings.TrimSpace(string(text)))
		}
		return nil
	}))
	return strings.Join(all, " ")
}

// record writes a stream on HEAD with the worktree as it is, and returns its checkpoint.
func (w *world) record(suffix int, turn string) gitexec.OID {
	w.Helper()
	ws, _, err := w.env.OpenToRead(w.Context(), w.Dir)
	w.Must(err)
	defer ws.DB.Close()
	snap, err := ws.Snapshot(w.Context())
	w.Must(err)
	done, err := shadow.WriteTemporary(w.Context(), ws.DB, shadow.WriteTemporaryOptions{Stream: shadow.NewName(ws.Repo.Head.ID, "", suffix), Base: ws.Repo.Head,
		Who: ws.Author(nil), Steps: []shadow.Step{{Session: "s1", Turn: turn, Part: shadow.Agent, Subject: "Turn", Tree: snap.Tree,
			Overlay: gitexec.Tree{"prompt.txt": w.Blob("Do it")}}}})
	w.Must(err)
	w.Must(ws.DB.Flush())
	w.Git("update-ref", done.Change.Ref, string(done.Commit))
	w.Must(ws.Store.Save(&session.State{SessionID: "s1", Place: session.Place{Phase: session.Idle, BaseCommit: ws.Repo.Head.ID}}))
	return done.Commit
}

func (w *world) rewind(q Request) (Rewound, error) { return Rewind(w.Context(), w.env, q) }

func (w *world) source() query.Source {
	return query.Source{Env: w.env, CatchUp: func(context.Context, workspace.Env, *gitexec.Repo) bool { return false },
		Relink: func(context.Context, workspace.Env, *gitexec.Repo, *gitexec.ODB) bool { return false }}
}
