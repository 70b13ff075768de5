//go:build !unix

package main

import "os/exec"

// killable gives what kills a command. Here its git processes go on.
func killable(cmd *exec.Cmd, _ bool) (kill func()) { return func() { cmd.Process.Kill() } }
