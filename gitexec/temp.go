package gitexec

import (
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// Temp is a directory for one command's files. It lies inside the git directory: what goes through
// it may be private, and must not be left in a directory that others read. It is locked as long as
// its process lives, so that the next one can tell what a killed process left behind.
type Temp struct {
	Dir  string
	lock *os.File // nil where directories cannot be locked
}

// TempDir makes one, and removes those of processes that are gone. The caller removes it.
func (r *Repo) TempDir() (*Temp, error) {
	parent := filepath.Join(r.PrivateDir(), "tmp")
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return nil, err
	}
	if info, err := os.Lstat(parent); err != nil || !info.IsDir() { // a link's directory is somebody else's, and not to be swept
		return nil, fmt.Errorf("%s is not a directory\nhint: remove it", parent)
	}
	sweep(parent)
	return newTemp(parent)
}

// newTemp makes one that is locked. Whoever sweeps may have taken it for left behind before it was:
// then there is another.
func newTemp(parent string) (*Temp, error) {
	for {
		dir, err := os.MkdirTemp(parent, "")
		if err != nil {
			return nil, err
		}
		lock, held := lockDir(dir)
		if _, err := os.Lstat(dir); err == nil && !held {
			return &Temp{dir, lock}, nil
		}
		if lock != nil {
			lock.Close()
		}
	}
}

// Remove removes the directory with what is in it.
func (t *Temp) Remove() {
	os.RemoveAll(t.Dir)
	if t.lock != nil {
		t.lock.Close()
	}
}

// sweep removes the directories of processes that are gone; where locks don't tell, those of an
// hour ago: no command takes as long.
func sweep(parent string) {
	entries, _ := os.ReadDir(parent)
	for _, e := range entries {
		dir := filepath.Join(parent, e.Name())
		lock, held := lockDir(dir)
		if held {
			continue
		}
		info, err := e.Info()
		if lock != nil || err == nil && time.Since(info.ModTime()) > time.Hour {
			os.RemoveAll(dir)
		}
		if lock != nil {
			lock.Close()
		}
	}
}
