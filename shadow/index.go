package shadow

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"entire-plumb/gitexec"
	"entire-plumb/internal/safefile"
)

// privateIndex returns the copy of the user's index that status works on. It is kept between hooks
// while the user's own index is unchanged, because git stores in it what makes the next status
// cheap: fresh time stamps, even where the user's own index has stale ones, for example after the
// worktree was copied. Its name identifies the index that it was copied from, so that a git process
// that outlives its hook cannot spoil a newer copy. The caller holds the snapshot lock.
//
// used says that an earlier hook used it. Only then should git write to it: many a copy is used
// once, and writing one of 100,000 files costs a fifth of a status.
func privateIndex(repo *gitexec.Repo) (index string, used bool, err error) {
	mark, err := indexMark(repo.IndexFile)
	if err != nil {
		return "", false, err
	}
	copied := filepath.Join(repo.PrivateDir(), "index-"+mark)
	if info, err := os.Lstat(copied); err == nil && info.Mode().IsRegular() {
		os.Remove(copied + ".lock") // of a killed git: under the snapshot lock none is running
		return copied, true, nil
	}
	for _, pattern := range []string{"index-*", ".index-*"} { // the latter of a process that was killed while copying
		for _, file := range safefile.Glob(repo.PrivateDir(), pattern) {
			os.Remove(file)
		}
	}
	return copied, false, repo.CopyIndex(repo.IndexFile, copied)
}

// indexMark identifies the state of an index file by its size, its time stamp, and the checksum at
// its end.
func indexMark(index string) (string, error) {
	f, err := safefile.Open(index)
	if errors.Is(err, fs.ErrNotExist) {
		return "none", nil // nothing was ever added
	}
	if err != nil {
		return "", err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	var end [32]byte
	// Git ends an index with a checksum of 20 or 32 bytes: two of the same size and time differ by
	// it.
	if _, err := f.ReadAt(end[:], max(0, info.Size()-int64(len(end)))); err != nil && err != io.EOF {
		return "", err
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %d %x", info.Size(), info.ModTime().UnixNano(), end))
	return fmt.Sprintf("%x", sum[:8]), nil
}
