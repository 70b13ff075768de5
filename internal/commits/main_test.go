package commits

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/session"
	"entire-plumb/internal/testdir"
	"entire-plumb/internal/testrepo"
	"entire-plumb/internal/workspace"
)

func TestMain(m *testing.M) { testdir.Main(m) }

// noon is when tests take place.
var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// env is an environment in which no process is seen, with variables as "NAME=value".
func env(variables ...string) workspace.Env {
	return workspace.Env{Now: func() time.Time { return noon }, NewID: func() string { return "0123456789ab" },
		Stderr: new(strings.Builder), Tracer: &gitexec.Tracer{}, Getenv: func(name string) string {
			for _, v := range append(variables, "ENTIRE_TEST_PROC=0") {
				if value, ok := strings.CutPrefix(v, name+"="); ok {
					return value
				}
			}
			return ""
		}}
}

// files writes files below a directory.
func files(t *testing.T, dir string, texts map[string]string) {
	t.Helper()
	for name, text := range texts {
		testdir.Write(t, dir, name, text)
	}
}

// fakeRun is a run in a directory that has files of a git directory, and is no repository.
func fakeRun(t *testing.T, texts map[string]string, variables ...string) *workspace.Run {
	t.Helper()
	dir := t.TempDir()
	files(t, dir, texts)
	repo := &gitexec.Repo{GitDir: dir, CommonDir: dir, Top: dir, Format: gitexec.SHA1}
	return (&workspace.Workspace{Env: env(variables...), Repo: repo, Store: session.Store{Dir: filepath.Join(dir, "entire-sessions")}}).Run()
}

// playground is a real repository, for what git itself has to answer.
type playground struct {
	*testing.T
	dir string
}

func newPlayground(t *testing.T) playground {
	t.Helper()
	return playground{t, testrepo.New(t).Dir}
}

func (p playground) git(args ...string) string {
	p.Helper()
	return testdir.Git(p, p.dir, args...)
}

// commit commits all that is in the worktree, after some files were written.
func (p playground) commit(message string, texts map[string]string) gitexec.OID {
	p.Helper()
	files(p.T, p.dir, texts)
	p.git("add", "-A")
	p.git("commit", "-q", "--allow-empty", "-m", message)
	return gitexec.OID(p.git("rev-parse", "HEAD"))
}

// run opens the repository.
func (p playground) run(variables ...string) *workspace.Run {
	p.Helper()
	repo, err := gitexec.Discover(p.Context(), p.dir, &gitexec.Tracer{})
	if err != nil {
		p.Fatal(err)
	}
	db := repo.ODB(p.Context())
	p.Cleanup(func() { db.Close() })
	return (&workspace.Workspace{Env: env(variables...), Repo: repo, DB: db, Store: session.Store{Dir: filepath.Join(p.dir, ".git", "entire-sessions")}}).Run()
}

// read reads a commit.
func (p playground) read(run *workspace.Run, id gitexec.OID) gitexec.Commit {
	p.Helper()
	c, there, err := readCommit(run.DB, id)
	if err != nil || !there {
		p.Fatal(id, there, err)
	}
	return c
}

// save stores sessions' states.
func save(t *testing.T, run *workspace.Run, states ...*session.State) {
	t.Helper()
	for _, s := range states {
		if s.StartedAt.IsZero() {
			s.StartedAt = noon
		}
		if err := run.Store.Save(s); err != nil {
			t.Fatal(err)
		}
	}
}

// active is a session whose turn is in progress.
func active(id string) *session.State {
	return &session.State{SessionID: id, Place: session.Place{Phase: session.Active}}
}

// linked is a session that has commits, each as "link commit".
func linked(id string, all ...string) *session.State {
	s := &session.State{SessionID: id}
	for _, pair := range all {
		link, commit, _ := strings.Cut(pair, " ")
		s.Linked = append(s.Linked, session.Link{ID: link, Commit: gitexec.OID(commit), When: noon})
	}
	return s
}

func idsOf(states []*session.State) string {
	var ids []string
	for _, s := range states {
		ids = append(ids, s.SessionID)
	}
	return strings.Join(ids, " ")
}

func oids(text string) (ids []gitexec.OID) {
	for id := range strings.FieldsSeq(text) {
		ids = append(ids, gitexec.OID(id))
	}
	return ids
}

func pathList(text string) (paths []gitexec.Path) {
	for path := range strings.FieldsSeq(text) {
		paths = append(paths, gitexec.Path(path))
	}
	return paths
}

// entry is a version of a file; an empty name is none.
func entry(name string) gitexec.Entry {
	if name == "" {
		return gitexec.Entry{}
	}
	return gitexec.Entry{Mode: "100644", ID: gitexec.OID(name)}
}

// change is a change from "path old new".
func change(text string) gitexec.Change {
	f := append(strings.Fields(text), "", "")
	return gitexec.Change{Path: gitexec.Path(f[0]), Old: entry(f[1]), New: entry(f[2])}
}

func changes(all ...string) (list []gitexec.Change) {
	for _, text := range all {
		list = append(list, change(text))
	}
	return list
}
