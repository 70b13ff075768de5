//go:build unix

package gitexec

import (
	"os"
	"path/filepath"
	"testing"

	"entire-plumb/internal/testdir"
)

// TestTempDir makes directories beside one that is in use, one that was left behind, and what isn't
// ours.
func TestTempDir(t *testing.T) {
	r := repository(t, SHA1)
	there := func(name string) bool { _, err := os.Lstat(name); return err == nil }
	make := func() *Temp {
		temp, err := r.TempDir()
		testdir.Must(t, err)
		return temp
	}
	used, left := make(), make()
	write(t, left.Dir, "file", "x")
	left.lock.Close() // its process was killed
	outside := t.TempDir()
	link := filepath.Join(filepath.Dir(used.Dir), "link")
	testdir.Must(t, os.Symlink(outside, link))
	next := make()
	switch {
	case !there(used.Dir):
		t.Error("a directory that is in use is gone")
	case there(left.Dir):
		t.Error("one that was left behind is there")
	case !there(outside) || !there(link):
		t.Error("a link was followed, or taken away")
	}
	info, err := os.Stat(next.Dir)
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	next.Remove()
	used.Remove()
	if there(next.Dir) || there(used.Dir) {
		t.Error("one that was removed is there")
	}
}

// TestAside takes the system's place for temporary files only where nothing of ours is there.
func TestAside(t *testing.T) {
	r := repository(t, SHA1)
	for _, inside := range []bool{false, true} {
		if inside {
			testdir.Must(t, os.MkdirAll(r.PrivateDir(), 0o700))
		}
		aside, done, err := r.Scratch()
		testdir.Must(t, err)
		rel, err := filepath.Rel(r.PrivateDir(), aside.PrivateDir())
		if within := err == nil && filepath.IsLocal(rel); within != inside {
			t.Errorf("inside %v: %s", inside, aside.PrivateDir())
		}
		done()
		if _, err := os.Lstat(aside.PrivateDir()); err == nil {
			t.Errorf("%s is there", aside.PrivateDir())
		}
	}
}
