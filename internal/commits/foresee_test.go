package commits

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/testdir"
	"entire-plumb/internal/workspace"
)

// TestForesee: the commit has what git add -A would add, on HEAD and what is merged, and neither
// objects nor the index nor refs change.
func TestForesee(t *testing.T) {
	p := newPlayground(t)
	p.commit("one", map[string]string{"a": "1\n", "gone": "x\n"})
	foresee := func(before func(context.Context, *workspace.Run) error) (*checkpoints.Foreseen, error) {
		run := p.run()
		f, err := Foresee(t.Context(), run.Env, run.Repo, before)
		if err == nil {
			t.Cleanup(f.Close)
		}
		return f, err
	}
	if f, err := foresee(nil); err != nil || f.Commit.ID != "" || f.Fault != nil {
		t.Errorf("a clean worktree: %+v, %v", f, err)
	}
	files(t, p.dir, map[string]string{"a": "1\n2\n", "new": "n\n", "staged": "s\n", ".gitignore": "ignored\n", "ignored": "i\n"})
	p.git("rm", "-q", "gone")
	p.git("add", "staged")
	before := p.git("for-each-ref") + p.git("count-objects") + p.git("ls-files", "-s", "--debug")
	f, err := foresee(func(context.Context, *workspace.Run) error { return errors.New("not where nothing is recorded") })
	if err != nil {
		t.Fatal(err)
	}
	if after := p.git("for-each-ref") + p.git("count-objects") + p.git("ls-files", "-s", "--debug"); after != before {
		t.Errorf("before:\n%s\nafter:\n%s", before, after)
	}
	if len(f.Commit.Parents) != 1 || string(f.Commit.Parents[0]) != p.git("rev-parse", "HEAD") || len(f.Edits) != 0 || f.Head.ID != f.Commit.Parents[0] {
		t.Errorf("%+v", f.Commit)
	}
	p.git("add", "-A")
	if tree := p.git("write-tree"); string(f.Commit.Tree) != tree {
		t.Errorf("the tree is %s, git's %s", f.Commit.Tree, tree)
	}
	main := p.commit("two", nil)
	p.git("checkout", "-q", "-b", "side", "HEAD~1")
	side := p.commit("side", map[string]string{"b": "b\n"})
	p.git("checkout", "-q", string(main))
	p.git("merge", "-q", "--no-commit", "--no-ff", "side")
	if f, err = foresee(nil); err != nil || len(f.Commit.Parents) != 2 || f.Commit.Parents[0] != main || f.Commit.Parents[1] != side {
		t.Errorf("a merge: %+v, %v", f, err)
	}
	p.git("reset", "-q", "--hard")
}

// TestForeseenWithoutHEAD: of a repository without a commit all is new.
func TestForeseenWithoutHEAD(t *testing.T) {
	p := playground{t, t.TempDir()}
	testdir.Git(t, p.dir, "init", "-q")
	files(t, p.dir, map[string]string{"a": "1\n"})
	run := p.run()
	f, err := Foresee(t.Context(), run.Env, run.Repo, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if len(f.Commit.Parents) != 0 || f.Commit.ID == "" || !f.Head.ID.IsZero() {
		t.Errorf("%+v", f)
	}
	if b, err := f.Branch(t.Context()); err != nil || b.Tree != "" {
		t.Errorf("%+v, %v", b, err)
	}
}

// TestCopyPrivate: decisions read the private files as they are, and write copies.
func TestCopyPrivate(t *testing.T) {
	p := newPlayground(t)
	run := p.run()
	testdir.Must(t, writeHeadRecord(run.Repo.PrivateDir(), headRecord{Head: "a"}))
	files(t, run.Repo.PrivateDir(), map[string]string{"index": "no JSON", "other/deep.json": "{}"})
	aside, done, err := run.Repo.Scratch()
	testdir.Must(t, err)
	defer done()
	copyPrivate(aside)
	if got := readHeadRecord(aside.PrivateDir()); got.Head != gitexec.OID("a") {
		t.Errorf("%+v", got)
	}
	testdir.Must(t, writeHeadRecord(aside.PrivateDir(), headRecord{Head: "b"}))
	if got := readHeadRecord(run.Repo.PrivateDir()); got.Head != "a" {
		t.Errorf("the record itself changed: %+v", got)
	}
	if _, err := os.Lstat(filepath.Join(aside.PrivateDir(), "index")); err == nil {
		t.Error("what is no JSON was copied")
	}
}
