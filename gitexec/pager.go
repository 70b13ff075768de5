package gitexec

import (
	"context"
	"io"
	"os"
	"os/exec"
	"strings"
)

// Pager is the program that shows long output on the terminal.
type Pager struct {
	in  io.WriteCloser
	cmd *exec.Cmd
}

// pagerDefaults are the variables that git sets for common pagers, unless the user sets them: less
// quits if everything fits on the screen, and both show colours.
var pagerDefaults = []string{"LESS=FRX", "LV=-c"}

// StartPager starts git's pager (GIT_PAGER, core.pager, PAGER, or git's default) in a directory,
// with stdout and stderr. It returns nil without an error if the user turned it off, or it is
// missing. One git process, and a shell with the pager.
func StartPager(ctx context.Context, dir string, tracer *Tracer, stdout, stderr *os.File) (*Pager, error) {
	run := runner{dir: dir, env: discoveryEnv(), tracer: tracer}
	out, err := run.output(ctx, command{args: []string{"var", "GIT_PAGER"}})
	if err != nil {
		return nil, err
	}
	program := strings.TrimSpace(string(out))
	if program == "" || program == "cat" {
		return nil, nil
	}
	// A word alone is a program; anything else is left to the shell.
	if !strings.ContainsAny(program, shellLetters) {
		if _, err := exec.LookPath(program); err != nil {
			return nil, nil // print without a pager, as git does
		}
	}
	cmd := exec.Command("sh", "-c", program) // no context: the user ends it
	cmd.Dir, cmd.Stdout, cmd.Stderr, cmd.Env = dir, stdout, stderr, pagerEnv(os.Environ())
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &Pager{in: in, cmd: cmd}, nil
}

// shellLetters have a meaning in a shell.
const shellLetters = "|&;<>()$`\\\"' \t\n*?[#~=%"

func pagerEnv(env []string) []string {
	for _, setting := range pagerDefaults {
		name, _, _ := strings.Cut(setting, "=")
		if _, set := os.LookupEnv(name); !set {
			env = append(env, setting)
		}
	}
	return env
}

// Colours reads what the user's configuration says of colours in a directory: color.ui and
// color.pager, where they are set. One process.
func Colours(ctx context.Context, dir string, tracer *Tracer) (map[string]string, error) {
	run := runner{dir: dir, env: discoveryEnv(), tracer: tracer}
	out, err := run.output(ctx, command{accept: 1, args: []string{"config", "-z", "--get-regexp", `^color\.(ui|pager)$`}})
	if err != nil {
		return nil, err
	}
	values := map[string]string{}
	for name, all := range parseConfig(out, "true") {
		values[name] = all[len(all)-1]
	}
	return values, nil
}

// Write writes to the pager. After the user has ended it the error is EPIPE.
func (p *Pager) Write(text []byte) (int, error) { return p.in.Write(text) }

// Close closes the pager's input, and waits until the user has ended it. Its exit code is ignored.
func (p *Pager) Close() {
	p.in.Close()
	p.cmd.Wait()
}
