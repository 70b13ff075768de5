package hooks

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/agent"
	"entire-plumb/internal/journal"
	"entire-plumb/internal/settings"
	"entire-plumb/internal/testdir"
	"entire-plumb/internal/testrepo"
	"entire-plumb/internal/workspace"
)

// enabledRepo is a repository with a commit, where this program is enabled.
func enabledRepo(t *testing.T) string {
	t.Helper()
	r := testrepo.New(t)
	r.Git("config", "user.name", "A")
	r.Git("config", "user.email", "a@example.org")
	r.Commit("First")
	_, err := settings.Enable(t.Context(), r.Repo, false)
	r.Must(err)
	return r.Dir
}

// A panic in a hook is one line for the user, and where it was is in the journal.
func TestPanicInAHook(t *testing.T) {
	ctx := context.Background()
	for name, run := range map[string]func(e Env) error{
		"post-commit": func(e Env) error {
			e.Git(ctx, "post-commit", nil)
			return errors.New(e.Stderr.(*bytes.Buffer).String())
		},
		"claude-code session-start": func(e Env) error { return e.Agent(ctx, agent.ClaudeCode, "session-start") },
	} {
		dir := enabledRepo(t)
		said := new(bytes.Buffer)
		e := Env{Env: workspace.Env{Dir: dir, Stdin: strings.NewReader(`{"session_id": "s1"}`), Stdout: said, Stderr: said, NewID: workspace.RandomID,
			Getenv: func(string) string { return "" }, Now: func() time.Time { panic("the clock is broken") }}}
		err := run(e)
		const report = "a bug of this program, please report it: the clock is broken"
		if err == nil || !strings.Contains(err.Error(), report) || strings.Contains(strings.TrimSpace(err.Error()), "\n") {
			t.Errorf("%s: %v", name, err)
		}
		repo, err := gitexec.Discover(ctx, dir, nil)
		testdir.Must(t, err)
		entries, err := journal.Read(repo.SharedDir())
		if err != nil || len(entries) != 1 || entries[0].Hook != name || entries[0].Outcome != "panic" ||
			!strings.Contains(entries[0].Error, "panic_test.go") {
			t.Errorf("%s: the journal: %+v, %v", name, entries, err)
		}
	}
}
