//go:build unix

package gitexec

import (
	"os/exec"
	"syscall"
	"time"
)

// alone runs a command in a session of its own, without the terminal. When its time is over, the
// command is ended with all that it has started; where that finishes by itself, only the command:
// a remote in a local directory is a child, which removes what it has received in part once its
// input ends. kill ends those that are left after it.
func alone(cmd *exec.Cmd, finishes bool) (kill func()) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if !finishes {
		cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	}
	return func() {
		if cmd.Process == nil {
			return
		}
		// Half a second in all to end by themselves, as git removes its lock files then.
		const step, steps = 20 * time.Millisecond, 25
		// The leader of a session leads its group, too: a negative ID means all of that, also once
		// the leader has ended.
		group := -cmd.Process.Pid
		err := syscall.Kill(group, syscall.SIGTERM)
		for range steps {
			if err != nil {
				return // there is none
			}
			time.Sleep(step)
			err = syscall.Kill(group, 0)
		}
		_ = syscall.Kill(group, syscall.SIGKILL)
	}
}

// detach runs a command in a session of its own, which nothing ends.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
