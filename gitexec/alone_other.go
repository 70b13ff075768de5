//go:build !unix

package gitexec

import "os/exec"

// alone does nothing where there are no sessions.
func alone(*exec.Cmd, bool) (kill func()) { return func() {} }

// detach does nothing where there are no sessions.
func detach(*exec.Cmd) {}
