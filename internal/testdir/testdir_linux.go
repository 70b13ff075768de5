// Package testdir runs tests in memory and away from the user's home directory, and has what all of
// them need there.
package testdir

import (
	"os"
	"syscall"
)

const (
	memory = "/dev/shm"
	tmpfs  = 0x01021994
	noexec = 0x8
	room   = 4 << 30 // bytes; all packages' tests together need less than one GiB
)

// InMemory has the temporary directories of this process in memory, where the machine has a tmpfs
// with room on which programs may run, and the user names no directory: the tests make and delete
// so many small files that they take half as long again on a disk. It is called from TestMain.
func InMemory() {
	var fs syscall.Statfs_t
	if os.Getenv("TMPDIR") != "" || syscall.Statfs(memory, &fs) != nil || fs.Type != tmpfs || fs.Flags&noexec != 0 || fs.Bavail*uint64(fs.Bsize) < room {
		return
	}
	dir, err := os.MkdirTemp(memory, "") // may we write there?
	if err != nil {
		return
	}
	os.Remove(dir)
	os.Setenv("TMPDIR", memory)
}
