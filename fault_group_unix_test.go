//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// killable makes a command a process group of its own, and gives what kills it, or all its group.
func killable(cmd *exec.Cmd, group bool) (kill func()) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return func() {
		victim := cmd.Process.Pid
		if group {
			victim = -victim
		}
		syscall.Kill(victim, syscall.SIGKILL)
	}
}
