//go:build unix

package gitexec

import (
	"os/exec"
	"syscall"
)

// alone runs a command in a session of its own, without the terminal, and ends it with all its
// children.
func alone(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
}
