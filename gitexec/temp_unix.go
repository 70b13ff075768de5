//go:build unix && !aix && !solaris

package gitexec

import (
	"os"
	"syscall"
)

// lockDir locks a directory while the file is open; held means that another process has the lock.
// Both are zero if locks are not supported.
func lockDir(dir string) (lock *os.File, held bool) {
	f, err := os.OpenFile(dir, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, false
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		f.Close()
		return nil, err == syscall.EWOULDBLOCK
	}
	return f, false
}
