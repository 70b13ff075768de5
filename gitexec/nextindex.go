package gitexec

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"entire-plumb/internal/safefile"
)

// ErrIndexLocked is an index whose lock another git holds.
var ErrIndexLocked = errors.New("another git holds the lock of the index")

// ErrIndexChanged is an index that changed since its copy was made.
var ErrIndexChanged = errors.New("the index was changed meanwhile")

// NextIndex is a copy of the user's index with other entries at some paths, to replace the index.
// Only auto-commit does that, to commit beside the user's own work.
type NextIndex struct {
	repo   *Repo
	before fs.FileInfo // the index then; nil: there was none
}

// NextIndex makes the copy. Zero entries are removed from it. One process.
func (r *Repo) NextIndex(ctx context.Context, entries Edits) (*NextIndex, error) {
	if err := safefile.MkdirAll(r.PrivateDir(), 0o700); err != nil {
		return nil, err
	}
	before, err := os.Stat(r.IndexFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return &NextIndex{r, before}, r.nextIndex(ctx, entries)
}

// Install replaces the user's index by the copy. A hard link makes the copy the index's lock, and a
// rename makes that the index. So the lock is held for a few system calls, and a stale one can be
// recognised as ours: see UnlockIndex. Its errors are ErrIndexLocked and ErrIndexChanged.
func (n *NextIndex) Install() error {
	defer n.repo.UnlockIndex()
	// As with O_EXCL, a link fails where the lock is there: then another git writes the index.
	if err := os.Link(n.repo.nextIndexFile(), n.repo.IndexFile+".lock"); errors.Is(err, fs.ErrExist) {
		return ErrIndexLocked
	} else if err != nil {
		return err
	}
	// With the lock held nobody else writes it: what is seen now stays so until the rename.
	now, _ := os.Stat(n.repo.IndexFile)
	if !unchanged(n.before, now) {
		return ErrIndexChanged
	}
	return os.Rename(n.repo.IndexFile+".lock", n.repo.IndexFile)
}

// nextIndex makes a copy of the index with the entries.
func (r *Repo) nextIndex(ctx context.Context, entries Edits) error {
	next := r.nextIndexFile()
	for _, old := range []string{next, next + ".lock"} { // stale files; the caller excludes other processes
		if err := os.Remove(old); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if err := r.CopyIndex(r.IndexFile, next); err != nil {
		return err
	}
	var in bytes.Buffer
	for _, p := range slices.Sorted(maps.Keys(entries)) {
		// `100644 <id>\t<path>` sets an entry, and `0 <zeros>\t<path>` removes it; -z ends each
		// with a NUL.
		if e := entries[p]; e.Exists() {
			fmt.Fprintf(&in, "%s %s\t%s\x00", e.Mode, e.ID, p)
		} else {
			fmt.Fprintf(&in, "0 %s\t%s\x00", r.Format.Zero(), p)
		}
	}
	_, err := r.output(ctx, command{args: []string{"update-index", "--add", "--remove", "--replace", "-z", "--index-info"},
		env: []string{"GIT_INDEX_FILE=" + next}, stdin: &in})
	return err
}

// UnlockIndex removes the files of a killed Install: its copy, and the lock if it is the same file.
func (r *Repo) UnlockIndex() {
	next, lock := r.nextIndexFile(), r.IndexFile+".lock"
	os.Remove(next + ".lock")
	// Without a copy the lock, if there is one, is another's.
	ours, err := os.Lstat(next)
	if err != nil {
		return
	}
	// A hard link is the same file: so our lock is known from another's.
	if held, err := os.Lstat(lock); err == nil && os.SameFile(ours, held) {
		os.Remove(lock)
	}
	os.Remove(next)
}

func (r *Repo) nextIndexFile() string { return filepath.Join(r.PrivateDir(), "index.next") }

// unchanged reports whether two states of a file are equal; nil is a missing file.
func unchanged(before, now fs.FileInfo) bool {
	if before == nil || now == nil {
		return before == nil && now == nil
	}
	return os.SameFile(before, now) && before.Size() == now.Size() && before.ModTime().Equal(now.ModTime())
}
