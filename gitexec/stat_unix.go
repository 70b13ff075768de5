//go:build unix

package gitexec

import (
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// statData gives the stat data of a file, and when it was changed last: both empty if it isn't there.
func statData(path string) (string, time.Time) {
	var s unix.Stat_t
	if err := unix.Stat(path, &s); err == unix.ENOENT || err == unix.ENOTDIR {
		return "", time.Time{}
	} else if err != nil {
		return err.Error(), time.Now()
	}
	changed := time.Unix(s.Ctim.Unix())
	return fmt.Sprintf("%d %d %d", s.Ino, s.Size, changed.UnixNano()), changed
}

// fileSystem tells on which one a directory is.
func fileSystem(dir string) (device uint64, ok bool) {
	var s unix.Stat_t
	err := unix.Stat(dir, &s)
	return uint64(s.Dev), err == nil
}

// ours reports whether a directory is the user's own, as git wants it.
func ours(dir string) bool {
	var s unix.Stat_t
	return unix.Stat(dir, &s) == nil && int(s.Uid) == os.Geteuid()
}

// StatData gives the stat data of a file, by which it can be told from one that has replaced it;
// not ok where there is none.
func StatData(path string) (data string, ok bool) {
	data, _ = statData(path)
	return data, data != ""
}
