package hooks

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"entire-plumb/internal/agent"
	"entire-plumb/internal/testdir"
	"entire-plumb/internal/workspace"
)

// Where git doesn't answer, as on a file system that hangs, no hook waits for longer than its limit.
func TestNoHookWaitsForLongerThanItsLimit(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a program in sh")
	}
	dir := enabledRepo(t)
	git, err := exec.LookPath("git")
	testdir.Must(t, err)
	bin := t.TempDir()
	stub := "#!/bin/sh\ncase \" $* \" in *\" cat-file \"*) exec sleep 100 ;; esac\nexec '" + git + "' \"$@\"\n"
	testdir.Must(t, os.WriteFile(filepath.Join(bin, "git"), []byte(stub), 0o755))
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	defer func(before time.Duration) { deadline = before }(deadline)
	deadline = 3 * time.Second
	for name, run := range map[string]func(e Env){
		"post-commit":            func(e Env) { e.Git(t.Context(), "post-commit", nil) },
		"the prompt of an agent": func(e Env) { _ = e.Agent(t.Context(), agent.ClaudeCode, agent.Prompt) },
	} {
		said := new(bytes.Buffer)
		began := time.Now()
		run(Env{Env: workspace.Env{Dir: dir, Stdin: strings.NewReader(`{"session_id": "s1", "prompt": "Write"}`), Stdout: said, Stderr: said,
			NewID: workspace.RandomID, Getenv: func(string) string { return "" }, Now: time.Now}})
		if took := time.Since(began); took < deadline || took > deadline+50*time.Second {
			t.Errorf("%s takes %v: %s", name, took, said)
		}
	}
}

// Where nobody ends what a hook reads, as a hook manager may, the hook ends all the same.
func TestNoHookWaitsForTheEndOfItsInput(t *testing.T) {
	dir := enabledRepo(t)
	defer func(before time.Duration) { deadline = before }(deadline)
	deadline = time.Second
	one := strings.Repeat("1", 40)
	for name, test := range map[string]struct {
		input string
		run   func(e Env)
	}{
		"post-rewrite": {one + " " + one + "\n", func(e Env) { e.Git(t.Context(), "post-rewrite", []string{"amend"}) }},
		"pre-push": {"refs/heads/main " + one + " refs/heads/main " + one + "\n", func(e Env) {
			if refused := e.PrePush(t.Context(), "origin", ""); !refused {
				t.Error("a push is let through that was not examined")
			}
		}},
		"the prompt of an agent": {`{"session_id": "s1"`, func(e Env) { fmt.Fprint(e.Stderr, e.Agent(t.Context(), agent.ClaudeCode, agent.Prompt)) }},
	} {
		in, out, err := os.Pipe()
		testdir.Must(t, err)
		_, err = out.WriteString(test.input)
		testdir.Must(t, err)
		said, done := new(bytes.Buffer), make(chan bool)
		go func() {
			defer close(done)
			test.run(Env{Env: workspace.Env{Dir: dir, Stdin: in, Stdout: said, Stderr: said,
				NewID: workspace.RandomID, Getenv: func(string) string { return "" }, Now: time.Now}})
		}()
		select {
		case <-done:
			if !strings.Contains(said.String(), "deadline exceeded") {
				t.Errorf("%s says %q", name, said)
			}
		case <-time.After(20 * time.Second):
			t.Errorf("%s waits for the end of its input", name)
		}
		testdir.Must(t, out.Close())
		<-done
		testdir.Must(t, in.Close())
	}
}
