// Package demo plays the main job for a newcomer, in a scratch repository, told step by step.
package demo

// The story is a script like the test-suite's and run by the same code: what it tells is what
// happens.

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/rogpeppe/go-internal/testscript"

	"entire-plumb/gitexec"
	"entire-plumb/internal/replay"
)

//go:embed demo.txtar
var script []byte

// Run plays it with the program at exe, and tells it on w while it happens. The scratch repository
// is removed, unless keep says otherwise.
func Run(ctx context.Context, exe string, w io.Writer, keep bool) (err error) {
	if _, err := gitexec.CheckVersion(ctx, nil); err != nil {
		return err
	}
	// `demo | head` closes the pipe early. Without this the signal would end the program before it
	// has cleaned up.
	pipe := make(chan os.Signal, 1)
	signal.Notify(pipe, syscall.SIGPIPE)
	defer signal.Stop(pipe)

	scratch, err := os.MkdirTemp("", "entire-plumb-demo-*")
	if err != nil {
		return fmt.Errorf("no scratch directory: %w\nhint: set TMPDIR to a writable directory", err)
	}
	defer func() {
		if !keep {
			err = errors.Join(err, os.RemoveAll(scratch))
		}
	}()
	file := filepath.Join(scratch, "demo.txtar")
	if err := os.WriteFile(file, script, 0o644); err != nil {
		return err
	}
	t := &story{ctx: ctx, w: w}
	params := t.params()
	params.Files = []string{file}
	params.WorkdirRoot = scratch
	var result replay.Result
	if err := replay.Play(exe, params, func(r replay.Result) { result = r }); err != nil {
		return err
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(t.err, syscall.EPIPE):
		return nil // the reader has seen enough
	case t.err != nil:
		return t.err
	case result.Failed:
		fmt.Fprintf(w, "\nThe demo stopped here. Its log:\n\n%s\n", strings.TrimSpace(result.Log))
		return errors.New("the demo failed\nhint: if the temporary directory is mounted noexec, set TMPDIR to another one; otherwise please report the lines above")
	}
	if keep {
		fmt.Fprintln(w, "The scratch repository is yours to explore and to remove:")
		fmt.Fprintf(w, "  %s\n", typed([]string{"cd", filepath.Join(t.workDir, "repo")}))
		fmt.Fprintf(w, "  %s\n", typed([]string{"rm", "-rf", scratch}))
	} else {
		fmt.Fprintln(w, "To keep the scratch repository: entire-plumb demo --keep")
	}
	fmt.Fprintln(w, "Next: entire-plumb enable --agent claude-code in a repository of yours")
	return nil
}

// params are those of every scenario, but with the true clock, random IDs and the program's own
// version.
func (t *story) params() testscript.Params {
	params := replay.Params()
	fixed := params.Setup
	params.Setup = func(env *testscript.Env) error {
		t.workDir = env.WorkDir
		if err := fixed(env); err != nil {
			return err
		}
		env.Vars = slices.DeleteFunc(env.Vars, func(v string) bool {
			name, _, _ := strings.Cut(v, "=")
			return strings.HasPrefix(name, "ENTIRE_TEST_") || name == "GIT_AUTHOR_DATE" || name == "GIT_COMMITTER_DATE"
		})
		return nil
	}
	params.Cmds = maps.Clone(params.Cmds)
	for verb, hook := range map[string]string{"start": "session-start", "prompt": "user-prompt-submit", "answer": "stop"} {
		params.Cmds[verb] = t.timed(hook, params.Cmds[verb])
	}
	params.Cmds["say"] = t.say
	params.Cmds["show"] = t.show
	params.Cmds["costs"] = t.costs
	return params
}
