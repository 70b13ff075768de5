package gitexec

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"
)

// graceful is how long a git process may take after SIGTERM to remove its lock files.
const graceful = 5 * time.Second

// command is a git command to run.
type command struct {
	args   []string  // after "git"
	dir    string    // where it runs; empty: the runner's
	stdin  io.Reader // nil: none
	env    []string  // in addition to the runner's environment, "NAME=value"; shown in traces
	accept int       // an exit code that is no failure, in addition to 0
	trace  *os.File  // for its trace, as descriptor 3; nil: no trace
	piped  bool      // stdin is a pipe that the caller writes to
	later  bool      // it reads no object before it is asked to
	online bool      // in a partial clone it may fetch what is missing, unless the repository is Offline
}

// shown is the command as errors and traces show it.
func (c command) shown() []string { return append([]string{"git"}, c.args...) }

// runner is what all commands of one repository have in common.
type runner struct {
	dir    string
	env    []string
	shown  []string // the part of env that traces show
	tracer *Tracer

	writer *objectWriter // shared by all copies of a repository; nil before its discovery

	offline  bool      // see Repo.Offline
	promised *promised // shared by all copies of a repository; nil before its discovery
}

// process is a git process that was started with pipes on both sides.
type process struct {
	in      io.WriteCloser
	out     io.Reader
	cmd     *exec.Cmd
	stderr  *tail
	run     *runner
	command command
	begun   time.Time
	context context.Context
}

func (r *runner) prepare(ctx context.Context, c command) (*exec.Cmd, *tail) {
	cmd := exec.CommandContext(ctx, "git", slices.Concat(options(c.args), c.args, ending(c.args))...)
	cmd.Dir = cmp.Or(c.dir, r.dir)
	cmd.Env = append(append(make([]string, 0, len(r.env)+len(c.env)), r.env...), c.env...)
	if r.offline || !c.online && r.promised.partial() {
		cmd.Env = append(cmd.Env, offlineVars...)
	}
	// SIGTERM lets git remove its lock files, which SIGKILL would leave.
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = graceful
	if c.trace != nil {
		cmd.ExtraFiles = []*os.File{c.trace}
	}
	stderr := &tail{}
	cmd.Stderr = stderr
	return cmd, stderr
}

// fixed are the first options of every command, hidden from errors and traces. An option takes
// precedence over the user's own `git -c`, and a variable such as GIT_CONFIG_COUNT wouldn't.
var fixed = []string{
	"-c", "core.hooksPath=/dev/null", // the user's hooks don't run for our changes of refs, index and worktree
	"-c", "i18n.logOutputEncoding=UTF-8", "-c", "i18n.commitEncoding=UTF-8", // what is read and written
	"-c", "core.bigFileThreshold=512m", // git's default: larger files have no lines
}

// ofWorktree are the commands that look at the worktree. All others have no use for fsmonitor, a
// program of the configuration, and some would ask it because they read the index.
var ofWorktree = []string{"add", "blame", "diff-files", "diff-index", "read-tree", "status", "update-index"}

// options are the first options of a command. Commands that print configuration run no hooks, and
// have to print the user's core.hooksPath; RunHook is asked for one, and Switch is the user's own.
func options(args []string) []string {
	switch verb := verbOf(args); {
	case slices.Contains([]string{"rev-parse", "config", "var", "version", "hook", "switch"}, verb):
		return nil
	case slices.Contains(ofWorktree, verb):
		return fixed
	}
	return withoutMonitor
}

// ending is the last argument of a command that takes commits and paths and was given no paths: git
// refuses a name such as HEAD where a file in the worktree has it, too.
func ending(args []string) []string {
	if verb := verbOf(args); (verb == "rev-list" || verb == "log") && !slices.Contains(args, "--") {
		return []string{"--"}
	}
	return nil
}

func verbOf(args []string) string {
	for len(args) > 2 && args[0] == "-c" {
		args = args[2:]
	}
	return args[0]
}

var withoutMonitor = append(slices.Clip(fixed), "-c", "core.fsmonitor=false")

// flush stores what waits, before a command reads it: one that names some of it, or that reads IDs
// from its stdin. No ref names what waits. A command that is asked for objects later has it stored
// then.
func (r *runner) flush(ctx context.Context, c command) error {
	if c.later || c.stdin == nil && !c.piped && !slices.ContainsFunc(c.args, r.writer.namedIn) {
		return nil
	}
	return r.writer.flush(ctx)
}

// output runs a command and returns its stdout.
func (r *runner) output(ctx context.Context, c command) ([]byte, error) {
	cmd, stderr := r.prepare(ctx, c)
	return r.run(ctx, c, cmd, stderr, cmd.Run)
}

// run runs a prepared command by a function, and returns its stdout.
func (r *runner) run(ctx context.Context, c command, cmd *exec.Cmd, stderr *tail, run func() error) ([]byte, error) {
	if err := r.flush(ctx, c); err != nil {
		return nil, err
	}
	cmd.Stdin = c.stdin
	var out bytes.Buffer
	cmd.Stdout = &out
	begun := time.Now()
	r.tracer.started()
	err := run()
	r.tracer.ended(r.dir, append(r.shown, c.env...), c.shown(), time.Since(begun))
	// It has no state where it did not start.
	if err == nil || (c.accept != 0 && cmd.ProcessState != nil && cmd.ProcessState.ExitCode() == c.accept) {
		return out.Bytes(), nil
	}
	return out.Bytes(), r.failed(ctx, c, cmd, stderr, err)
}

// start runs a command with pipes. The caller must call wait, also after an error.
func (r *runner) start(ctx context.Context, c command) (*process, error) {
	c.piped = true
	if err := r.flush(ctx, c); err != nil {
		return nil, err
	}
	cmd, stderr := r.prepare(ctx, c)
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p := &process{in: in, out: out, cmd: cmd, stderr: stderr, run: r, command: c, begun: time.Now(), context: ctx}
	r.tracer.started()
	if err := cmd.Start(); err != nil {
		return nil, r.failed(ctx, c, cmd, stderr, err)
	}
	return p, nil
}

// wait closes the process's input, and returns its error.
func (p *process) wait() error {
	p.in.Close()
	// Else a git that has more to say would wait for its reader.
	io.Copy(io.Discard, p.out)
	err := p.cmd.Wait()
	p.run.tracer.ended(p.run.dir, append(p.run.shown, p.command.env...), p.command.shown(), time.Since(p.begun))
	if err != nil {
		return p.run.failed(p.context, p.command, p.cmd, p.stderr, err)
	}
	return nil
}

// broken ends a process after a read or write failed. Git's own error explains more than that of
// the pipe.
func (p *process) broken(cause error) error {
	if err := p.wait(); errors.As(err, new(*Error)) {
		return err
	}
	return p.run.failed(p.context, p.command, p.cmd, p.stderr, cause)
}

func (r *runner) failed(ctx context.Context, c command, cmd *exec.Cmd, stderr *tail, err error) error {
	code := -1
	if cmd.ProcessState != nil {
		code = cmd.ProcessState.ExitCode()
	}
	if ctx.Err() != nil {
		if err = context.Cause(ctx); !errors.Is(err, ctx.Err()) {
			err = fmt.Errorf("%w: %w", ctx.Err(), err)
		}
	}
	fault := &Error{Args: c.shown(), Dir: r.dir, Code: code, Stderr: stderr.String(), Err: err}
	if !c.online && ctx.Err() == nil && r.promised.failed() && unfetched(fault.Stderr) {
		return &UnfetchedError{fault}
	}
	return fault
}

// tail keeps the end of what is written to it, because git may print a message for each file.
type tail struct{ kept []byte }

const tailSize = 64 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.kept = append(t.kept, p...)
	// Only then, so that not each message moves what is kept.
	if len(t.kept) > 2*tailSize {
		t.kept = append(t.kept[:0], t.kept[len(t.kept)-tailSize:]...)
	}
	return len(p), nil
}

func (t *tail) String() string { return strings.TrimRight(string(t.kept), "\n") }

// RunHook has git run the hook that it would run, in the worktree's top level, with variables
// (NAME=value) in its environment. It is no failure where there is none. One process, and the
// hook's.
func (r *Repo) RunHook(ctx context.Context, name string, env ...string) error {
	_, err := r.output(ctx, command{args: []string{"hook", "run", "--ignore-missing", name}, env: env, online: true})
	return err
}
