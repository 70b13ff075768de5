package hooks

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"entire-plumb/internal/agent"
	"entire-plumb/internal/workspace"
)

// Each verb of an agent's settings, also of those that an older version wrote, has a function.
func TestEachVerbHasAHandler(t *testing.T) {
	called := map[string]bool{}
	for _, a := range agent.All {
		for _, verb := range a.Verbs() {
			if called[verb] = true; handlers[verb] == nil {
				t.Errorf("%s of %s calls nothing", verb, a.Name)
			}
		}
	}
	for verb := range handlers {
		if !called[verb] {
			t.Errorf("no agent has the verb %s", verb)
		}
	}
}

func TestGitHooks(t *testing.T) {
	for _, test := range []struct {
		hook  string
		args  []string
		stdin string
		want  string // on stderr
	}{
		{"post-commit", nil, "", ""},
		{"post-merge", []string{"0"}, "", ""},
		{"post-rewrite", []string{"amend"}, "", ""},
		{"prepare-commit-msg", nil, "", "prepare-commit-msg: git gives the message file as the first argument"},
		{"commit-msg", []string{""}, "", "commit-msg: git gives the message file as the first argument"},
		{"pre-rebase", nil, "", `pre-rebase: unknown hook "pre-rebase"`},
	} {
		said := new(bytes.Buffer)
		e := Env{Env: workspace.Env{Dir: enabledRepo(t), Stdin: strings.NewReader(test.stdin), Stdout: said, Stderr: said, NewID: workspace.RandomID,
			Getenv: func(string) string { return "" }, Now: time.Now}}
		args := slices.Clone(test.args)
		e.Git(t.Context(), test.hook, args)
		if got := said.String(); (got == "") != (test.want == "") || !strings.Contains(got, test.want) || test.want != "" && !strings.HasSuffix(got, "; the commit is not affected\n") {
			t.Errorf("%s %q: it says %q, want %q", test.hook, test.args, got, test.want)
		}
		if !slices.Equal(args, test.args) {
			t.Errorf("%s: git's arguments are changed: %q", test.hook, args)
		}
	}
}
