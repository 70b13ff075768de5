package gitexec

import (
	"context"
	"io"
	"os"
	"os/exec"
	"strings"
)

// Pager is the program that the user reads long answers with: it takes what is written to it, and
// shows it on the terminal.
type Pager struct {
	in  io.WriteCloser
	cmd *exec.Cmd
}

// pagerDefaults are what git tells common pagers, where the user tells them nothing: less ends by
// itself if all fits on the screen, and both take colours.
var pagerDefaults = []string{"LESS=FRX", "LV=-c"}

// StartPager starts the pager of git's choice (GIT_PAGER, core.pager, PAGER, or its own default) in
// a directory, to write to the two files. nil without an error: the user wants none, or what is
// wanted isn't there. One process of git, and a shell with the pager.
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
	if !strings.ContainsAny(program, shellLetters) {
		if _, err := exec.LookPath(program); err != nil {
			return nil, nil // as git does: the answer matters more
		}
	}
	cmd := exec.Command("sh", "-c", program) // no context: it is the user who ends it
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

// shellLetters are those that mean something to a shell.
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

// Write hands text to the pager. After the user has ended it the error is EPIPE.
func (p *Pager) Write(text []byte) (int, error) { return p.in.Write(text) }

// Close tells the pager that there is no more, and waits until the user has ended it. How it ends
// says nothing about the answer.
func (p *Pager) Close() {
	p.in.Close()
	p.cmd.Wait()
}
