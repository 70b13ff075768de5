//go:build unix

package cli

import (
	"fmt"
	"syscall"
)

// fewestFiles is how many open files the commands need, which run several processes at once. With a
// quarter of them, Go's runtime ends the program with a stack.
const fewestFiles = 64

// openFilesFault is the error of a limit of open files that is too low.
func openFilesFault() error {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) == nil && limit.Cur < fewestFiles {
		return fmt.Errorf("only %d files may be open at once, and at least %d are needed\nhint: ulimit -n shows and raises the limit",
			limit.Cur, fewestFiles)
	}
	return nil
}
