//go:build !unix || aix || solaris

package gitexec

import "os"

func lockDir(string) (lock *os.File, held bool) { return nil, false }
