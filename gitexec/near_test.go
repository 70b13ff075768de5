package gitexec

import (
	"os"
	"path/filepath"
	"testing"

	"entire-plumb/internal/testdir"
)

// TestNear: what files say of a repository is what git says of it.
func TestNear(t *testing.T) {
	top := t.TempDir()
	testdir.Git(t, top, "init", "-q")
	testdir.Git(t, top, "commit", "-q", "--allow-empty", "-m", "first")
	testdir.Git(t, top, "worktree", "add", "-q", filepath.Join(top, "side"))
	below := filepath.Join(top, "a", "b")
	testdir.Must(t, os.MkdirAll(below, 0o755))
	for _, dir := range []string{top, below, filepath.Join(top, "side")} {
		want, err := Discover(t.Context(), dir, nil)
		testdir.Must(t, err)
		got, ok := Near(dir)
		if !ok || got.Top != want.Top || got.GitDir != want.GitDir || got.CommonDir != want.CommonDir || got.WorktreeID() != want.WorktreeID() {
			t.Errorf("%s: %+v, git says %+v", dir, got, want)
		}
	}
	outside := t.TempDir()
	testdir.Must(t, os.Mkdir(filepath.Join(outside, ".git"), 0o755))
	if got, ok := Near(outside); ok {
		t.Errorf("%+v, where .git is no git directory", got)
	}
}
