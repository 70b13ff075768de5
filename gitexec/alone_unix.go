//go:build unix

package gitexec

import (
	"os/exec"
	"syscall"
)

// alone runs a command in a session of its own, without the terminal, and ends it with all its
// children. kill ends those that are left after it.
func alone(cmd *exec.Cmd) (kill func()) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	return func() {
		if cmd.Process != nil {
			_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // there may be none
		}
	}
}
