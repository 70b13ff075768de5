//go:build unix

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// patience is how long a git process hangs before the user, or the agent, ends the program.
const patience = 300 * time.Millisecond

// git is git, but for the one process at which something goes wrong.
func (f fault) git(args []string) (code int) {
	real := realGit()
	parent := os.Getppid()
	if f.word == "" || !f.concerns(parent) || !f.point() {
		check(syscall.Exec(real, append([]string{"git"}, args...), os.Environ()))
	}
	kill := func(s syscall.Signal) { check(syscall.Kill(parent, s)) }
	switch f.way {
	case "gone": // the program is killed before git has begun
		kill(syscall.SIGKILL)
		return 1
	case "orphan": // git goes on without the program
		kill(syscall.SIGKILL)
	case "late": // git is over when the program is killed
		cmd := like(real, args)
		cmd.Stdout = os.Stdout
		_ = cmd.Run()
		kill(syscall.SIGKILL)
		return cmd.ProcessState.ExitCode()
	case "term":
		kill(syscall.SIGTERM)
	case "fail":
		fmt.Fprintln(os.Stderr, "fatal: it is made to fail")
		return 128
	case "rubbish": // git does what it has to, and what it says is something else
		_, _ = os.Stdout.WriteString("\xff\xfe{rubbish\x00 -1\n\x00\n")
		_ = like(real, args).Run()
		return 0
	case "hang":
		time.Sleep(patience)
		kill(syscall.SIGTERM)
		time.Sleep(time.Minute)
		return 1
	case "cut": // git is killed in the middle of its answer
		cut(real, args)
	case "gc": // another git has collected all garbage meanwhile
		gc := exec.Command(real, "gc", "-q", "--prune=now")
		gc.Env = os.Environ()
		for i, e := range gc.Env {
			if strings.HasPrefix(e, "GIT_INDEX_FILE=") {
				gc.Env = append(gc.Env[:i:i], gc.Env[i+1:]...)
				break
			}
		}
		_ = gc.Run() // it may find a lock
	default:
		fail("unknown way " + f.way)
	}
	check(syscall.Exec(real, append([]string{"git"}, args...), os.Environ()))
	return 0
}

// realGit is the next git on PATH.
func realGit() string {
	self, err := os.Executable()
	check(err)
	own, err := os.Stat(self)
	check(err)
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		file := filepath.Join(dir, "git")
		if info, err := os.Stat(file); err == nil && !os.SameFile(own, info) && info.Mode()&0o111 != 0 {
			return file
		}
	}
	fail("there is no other git on PATH")
	return ""
}

func like(name string, args []string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Stdin, cmd.Stderr = os.Stdin, os.Stderr
	return cmd
}

// cut dies by a signal with half of git's first answer.
func cut(real string, args []string) {
	cmd := like(real, args)
	out, err := cmd.StdoutPipe()
	check(err)
	check(cmd.Start())
	answer := make([]byte, 64<<10)
	n, _ := out.Read(answer)
	_, _ = os.Stdout.Write(answer[:n/2])
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	check(syscall.Kill(os.Getpid(), syscall.SIGKILL))
	time.Sleep(time.Minute)
}
