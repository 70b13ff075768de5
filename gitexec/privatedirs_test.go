package gitexec

import (
	"path/filepath"
	"testing"

	"entire-plumb/internal/testdir"
)

// TestFindPrivateDirs: the guess is what discovery finds, from a subdirectory and a linked worktree,
// too, and a damaged .git file is no repository.
func TestFindPrivateDirs(t *testing.T) {
	r := repository(t, SHA1)
	linked := filepath.Join(r.Top, "..", "linked-"+filepath.Base(r.Top))
	git(t, r.Top, "worktree", "add", "-q", linked)
	linked, err := filepath.EvalSymlinks(linked)
	testdir.Must(t, err)
	for _, dir := range []string{r.Top, filepath.Join(r.Top, "dir"), linked} {
		found := discover(t, dir)
		private, shared := FindPrivateDirs(dir)
		if private != found.PrivateDir() || shared != found.SharedDir() {
			t.Errorf("%s: %s, %s, want %s, %s", dir, private, shared, found.PrivateDir(), found.SharedDir())
		}
		top, main := FindTops(dir)
		if top != found.Top || main != found.MainTop() {
			t.Errorf("%s: %s, %s, want %s, %s", dir, top, main, found.Top, found.MainTop())
		}
		if got := CommonDirAt(dir); got != r.CommonDir {
			t.Errorf("%s: %s, want %s", dir, got, r.CommonDir)
		}
	}
	if got := CommonDirAt(filepath.Join(r.CommonDir, "refs", "heads")); got != r.CommonDir {
		t.Errorf("inside the git directory: %s", got)
	}
	if id := discover(t, linked).WorktreeID(); id != filepath.Base(linked) {
		t.Errorf("%q", id)
	}
	for _, text := range []string{"", "nonsense\n", "gitdir:\n"} {
		write(t, linked, ".git", text)
		if private, shared := FindPrivateDirs(linked); private != "" || shared != "" {
			t.Errorf("%q: %s, %s", text, private, shared)
		}
		if got := CommonDirAt(linked); got != "" {
			t.Errorf("%q: %s", text, got)
		}
	}
	t.Setenv("GIT_DIR", "some/where")
	if private, _ := FindPrivateDirs(r.Top); private != filepath.Join(r.Top, "some/where/entire-plumb") {
		t.Errorf("%s", private)
	}
	if top, _ := FindTops(r.Top); top != "" {
		t.Errorf("the environment names a repository, and %s was found", top)
	}
}

// TestNoPrivateDirs: outside of a repository there are none.
func TestNoPrivateDirs(t *testing.T) {
	dir := t.TempDir()
	private, shared := FindPrivateDirs(dir)
	if top, main := FindTops(dir); private+shared+top+main+CommonDirAt(dir)+CommonDirAt(filepath.Join(dir, "no")) != "" {
		t.Errorf("%s %s %s %s", private, shared, top, main)
	}
}
