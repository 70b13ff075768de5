package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// world is what every process shares: a home of its own and an environment from which nothing of
// the caller's leaks in, neither git's configuration nor variables that fix the program's clock for
// tests.
type world struct {
	ctx  context.Context
	home string
	env  []string
	cpu  time.Duration // of the last process, and of all that it waited for
	peak int64         // the memory of the largest process since it was 0
}

// A collection of garbage in the background would disturb what is measured after it, so it is never
// due. That git looks after every commit whether it is, stays: that is part of what a commit costs
// a user.
const gitconfig = `[user]
	name = Ada
	email = ada@example.com
[init]
	defaultBranch = main
[gc]
	auto = 10000000
	autoDetach = false
`

func newWorld(ctx context.Context, scratch string) (*world, error) {
	w := &world{ctx: ctx, home: filepath.Join(scratch, "home")}
	if err := os.MkdirAll(w.home, 0o700); err != nil {
		return nil, err
	}
	config := filepath.Join(w.home, "gitconfig")
	w.env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + w.home, "TMPDIR=" + os.TempDir(), "LC_ALL=C",
		"GIT_CONFIG_GLOBAL=" + config, "GIT_CONFIG_NOSYSTEM=1", "GIT_TERMINAL_PROMPT=0", "ENTIRE_PLUMB_TRACE=" + w.trace()}
	return w, os.WriteFile(config, []byte(gitconfig), 0o600)
}

// trace is the file to which the program appends a line for each git process.
func (w *world) trace() string { return filepath.Join(w.home, "trace") }

// traced returns the number of git processes traced since the last call.
func (w *world) traced() int {
	data, _ := os.ReadFile(w.trace()) // none was started yet: none is counted
	os.Remove(w.trace())
	return bytes.Count(data, []byte{'\n'})
}

// process is one to be run.
type process struct {
	dir   string
	env   []string // beyond the world's
	stdin io.Reader
	args  []string
	// chatty says that it may write to stderr, as a long one reports how far it is.
	chatty bool
}

// run runs a process and gives what it printed and how long it took, from its start to its end.
func (w *world) run(p process) (string, time.Duration, error) {
	cmd := exec.CommandContext(w.ctx, p.args[0], p.args[1:]...)
	cmd.Dir, cmd.Stdin = p.dir, p.stdin
	cmd.Env = append(append([]string{}, w.env...), p.env...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) } // git removes its locks then
	cmd.WaitDelay = 5 * time.Second
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	begun := time.Now()
	err := cmd.Run()
	took := time.Since(begun)
	if cmd.ProcessState != nil {
		w.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
		w.peak = max(w.peak, peakOf(cmd.ProcessState))
	}
	if err != nil {
		return "", took, fmt.Errorf("%s: %w\n%s", strings.Join(p.args, " "), err, strings.TrimSpace(errs.String()))
	}
	if p.args[0] != "git" && !p.chatty && errs.Len() > 0 { // a hook never fails: it complains, and then what was measured isn't its work
		return "", took, fmt.Errorf("%s said:\n%s", strings.Join(p.args, " "), strings.TrimSpace(errs.String()))
	}
	return strings.TrimSpace(out.String()), took, nil
}

// megabytes is the size of a directory.
func megabytes(w *world, dir string) (float64, error) {
	out, _, err := w.run(process{args: []string{"du", "-sk", dir}})
	kilobytes := 0.0
	if err == nil {
		_, err = fmt.Sscan(out, &kilobytes)
	}
	return kilobytes / 1024, err
}

// provide puts the program to be measured into the directory: under its own name, by which enable
// knows it again.
func (o options) provide(ctx context.Context, dir string) (string, error) {
	to := filepath.Join(dir, "entire-plumb")
	if o.program != "" {
		data, err := os.ReadFile(o.program)
		if err != nil {
			return "", err
		}
		return to, os.WriteFile(to, data, 0o755)
	}
	// The caller's environment, for Go's caches.
	if out, err := exec.CommandContext(ctx, "go", "build", "-o", to, "entire-plumb").CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return to, nil
}
