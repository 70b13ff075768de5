package gitexec

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"entire-plumb/internal/safefile"
)

// Temp is a directory for one command's temporary files. It is inside the git directory, because
// its content may be private. It is locked while its process lives, so that the next process can
// recognise and remove a stale one.
type Temp struct {
	Dir  string
	lock *os.File // nil where directories cannot be locked
}

// TempDir makes one, and removes stale ones. The caller removes it.
func (r *Repo) TempDir() (*Temp, error) {
	if r.GitDir == "" { // PrivateDir would be one of the current directory
		return nil, errors.New("the git directory is not known yet")
	}
	parent := filepath.Join(r.PrivateDir(), "tmp")
	if err := safefile.MkdirAll(parent, 0o700); err != nil {
		return nil, err
	}
	if info, err := os.Lstat(parent); err != nil || !info.IsDir() { // never sweep behind a symbolic link
		return nil, fmt.Errorf("%s is not a directory\nhint: remove it", parent)
	}
	sweep(parent)
	return newTemp(parent)
}

// newTemp makes a locked one. If another process removes it as stale before it is locked, it makes
// another one.
func newTemp(parent string) (*Temp, error) {
	for {
		dir, err := os.MkdirTemp(parent, "")
		if err != nil {
			return nil, err
		}
		lock, held := lockDir(dir)
		// A lock on a directory that is gone protects nothing.
		if _, err := os.Lstat(dir); err == nil && !held {
			return &Temp{dir, lock}, nil
		}
		if lock != nil {
			lock.Close()
		}
	}
}

// Remove removes the directory and its content.
func (t *Temp) Remove() {
	// Before the lock is given up: no other process sees it as stale meanwhile.
	os.RemoveAll(t.Dir)
	if t.lock != nil {
		t.lock.Close()
	}
}

// sweep removes stale directories; without support of locks, those older than an hour, which is
// longer than any command.
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
