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
)

// ErrIndexLocked says that another git holds the lock of the user's index.
var ErrIndexLocked = errors.New("another git holds the lock of the index")

// ErrIndexChanged says that somebody has written the user's index since a copy was made of it.
var ErrIndexChanged = errors.New("the index was changed meanwhile")

// NextIndex is a copy of the user's own index with other entries at some paths, which may become
// the index: for the one command whose purpose that is, a commit that is made beside their work.
type NextIndex struct {
	repo   *Repo
	before fs.FileInfo // the index then; nil: there was none
}

// NextIndex makes the copy. What has no entry goes from it. One process.
func (r *Repo) NextIndex(ctx context.Context, entries Edits) (*NextIndex, error) {
	if err := os.MkdirAll(r.PrivateDir(), 0o700); err != nil {
		return nil, err
	}
	before, err := os.Stat(r.IndexFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return &NextIndex{r, before}, r.nextIndex(ctx, entries)
}

// Take makes the copy the user's index. It becomes the index's lock by a hard link, and the index
// by renaming that, so that the lock is held no longer than a few system calls, and one that a
// killed process leaves can be proven to be ours: see UnlockIndex. The errors are ErrIndexLocked
// and ErrIndexChanged.
func (n *NextIndex) Take() error {
	defer n.repo.UnlockIndex()
	if err := os.Link(n.repo.nextIndexFile(), n.repo.IndexFile+".lock"); errors.Is(err, fs.ErrExist) {
		return ErrIndexLocked
	} else if err != nil {
		return err
	}
	now, _ := os.Stat(n.repo.IndexFile)
	if !unchanged(n.before, now) {
		return ErrIndexChanged
	}
	return os.Rename(n.repo.IndexFile+".lock", n.repo.IndexFile)
}

// nextIndex makes a copy of the index that holds the entries.
func (r *Repo) nextIndex(ctx context.Context, entries Edits) error {
	next := r.nextIndexFile()
	for _, old := range []string{next, next + ".lock"} { // of a git that was killed; the caller sees to it that there is none other
		if err := os.Remove(old); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if err := r.CopyIndex(r.IndexFile, next); err != nil {
		return err
	}
	var in bytes.Buffer
	for _, p := range slices.Sorted(maps.Keys(entries)) {
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

// UnlockIndex takes away what a Take left that was killed: its copy, and the lock if that is the
// copy.
func (r *Repo) UnlockIndex() {
	next, lock := r.nextIndexFile(), r.IndexFile+".lock"
	os.Remove(next + ".lock")
	ours, err := os.Lstat(next)
	if err != nil {
		return
	}
	if held, err := os.Lstat(lock); err == nil && os.SameFile(ours, held) {
		os.Remove(lock)
	}
	os.Remove(next)
}

func (r *Repo) nextIndexFile() string { return filepath.Join(r.PrivateDir(), "index.next") }

// unchanged compares what was known of a file with what is known now; nil: it wasn't there.
func unchanged(before, now fs.FileInfo) bool {
	if before == nil || now == nil {
		return before == nil && now == nil
	}
	return os.SameFile(before, now) && before.Size() == now.Size() && before.ModTime().Equal(now.ModTime())
}
