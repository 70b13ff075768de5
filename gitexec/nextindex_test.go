package gitexec

import (
	"context"
	"errors"
	"os"
	"testing"

	"entire-plumb/internal/testdir"
)

// TestNextIndex: the copy has the entries and keeps what else is staged; it replaces the index only
// while nobody else holds it or has changed it, and leaves no lock behind.
func TestNextIndex(t *testing.T) {
	entry := func(t *testing.T, r *Repo) Edits {
		write(t, r.Top, "new", "new\n")
		return Edits{"new": {ModeFile, OID(git(t, r.Top, "hash-object", "-w", "new"))}, "a.txt": {}}
	}
	for _, c := range []struct {
		name   string
		during func(t *testing.T, r *Repo)
		want   error
		staged string
	}{
		{"alone", func(*testing.T, *Repo) {}, nil, "dir/b.txt\nmine\nnew"},
		{"another git holds the lock", func(t *testing.T, r *Repo) { write(t, r.GitDir, "index.lock", "") }, ErrIndexLocked, "a.txt\ndir/b.txt\nmine"},
		{"the user stages something", func(t *testing.T, r *Repo) {
			write(t, r.Top, "other", "x\n")
			git(t, r.Top, "add", "other")
		}, ErrIndexChanged, "a.txt\ndir/b.txt\nmine\nother"},
		{"the index is deleted", func(t *testing.T, r *Repo) {
			testdir.Must(t, os.Remove(r.IndexFile))
		}, ErrIndexChanged, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := repository(t, SHA1)
			write(t, r.Top, "mine", "mine\n")
			git(t, r.Top, "add", "mine")
			next, err := r.NextIndex(context.Background(), entry(t, r))
			testdir.Must(t, err)
			c.during(t, r)
			if err := next.Install(); !errors.Is(err, c.want) {
				t.Errorf("%v, want %v", err, c.want)
			}
			if got := git(t, r.Top, "ls-files"); got != c.staged {
				t.Errorf("staged %q, want %q", got, c.staged)
			}
			_, err = os.Lstat(r.IndexFile + ".lock")
			if held := err == nil; held != (c.want == ErrIndexLocked) {
				t.Errorf("the lock is there: %v", held)
			}
		})
	}
}

// TestUnlockIndex: only the lock of a killed Install is removed, which is the same file as its copy.
func TestUnlockIndex(t *testing.T) {
	r := repository(t, SHA1)
	lock := r.IndexFile + ".lock"
	if _, err := r.NextIndex(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	testdir.Must(t, os.Link(r.nextIndexFile(), lock))
	r.UnlockIndex()
	if _, err := os.Lstat(lock); err == nil {
		t.Error("our own lock is still there")
	}
	if _, err := r.NextIndex(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	write(t, r.GitDir, "index.lock", "")
	for range 2 { // the second time there is no copy
		r.UnlockIndex()
		if _, err := os.Lstat(lock); err != nil {
			t.Error("another git's lock was removed")
		}
	}
}
