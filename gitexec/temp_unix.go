//go:build unix && !aix && !solaris

package gitexec

import (
	"os"
	"syscall"
)

// lockDir locks a directory as long as the file is open; held is true if another one has it locked,
// and both are nothing where it cannot be told.
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
