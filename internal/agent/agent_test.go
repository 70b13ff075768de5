package agent

import (
	"slices"
	"testing"
)

func TestTable(t *testing.T) {
	known := []string{SessionStart, Prompt, Stop, TaskStart, TaskEnd, TaskStep, SessionEnd, WorktreeChange, SubagentStop}
	seen := map[string]bool{}
	for _, a := range All {
		for _, name := range slices.Compact([]string{a.Name, a.Title, a.Settings, a.SessionMark}) {
			if name != "" && seen[name] {
				t.Errorf("%q is there twice", name)
			}
			seen[name] = true
		}
		for _, verb := range []string{Prompt, Stop} {
			if !slices.Contains(a.Verbs(), verb) {
				t.Errorf("%s has no %s", a.Name, verb)
			}
		}
		for _, e := range a.Events {
			if !slices.Contains(known, e.Verb) {
				t.Errorf("%s: the verb of %s is unknown: %s", a.Name, e.Name, e.Verb)
			}
		}
		if got, ok := ByName(a.Name); !ok || got.Title != a.Title {
			t.Errorf("%s is not found by its name", a.Name)
		}
		if got, ok := ByTitle(a.Title); !ok || got.Name != a.Name {
			t.Errorf("%s is not found by its title", a.Name)
		}
	}
	if _, ok := ByName("none"); ok {
		t.Error("there is one of no name")
	}
}

func TestMarks(t *testing.T) {
	for _, test := range []struct {
		env      map[string]string
		marked   bool
		sessions []string
	}{
		{nil, false, nil},
		{map[string]string{"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "a"}, true, []string{"a"}},
		{map[string]string{"CLAUDECODE": "0"}, false, nil},
		{map[string]string{"CODEX_CI": "1", "CODEX_SESSION_ID": "b"}, true, []string{"b"}},
		{map[string]string{"CLAUDE_CODE_SESSION_ID": "a", "CLAUDECODE": "1", "CODEX_CI": "1", "CODEX_SESSION_ID": "b"}, true, []string{"a", "b"}},
		{map[string]string{"GEMINI_CLI": "1"}, true, nil},
		{map[string]string{"CURSOR_AGENT": "1"}, true, nil},
	} {
		getenv := func(name string) string { return test.env[name] }
		if got := Marked(getenv); got != test.marked {
			t.Errorf("%v: marked %t", test.env, got)
		}
		if got := Sessions(getenv); !slices.Equal(got, test.sessions) {
			t.Errorf("%v: sessions %q", test.env, got)
		}
	}
}

func TestUserFile(t *testing.T) {
	for _, test := range []struct {
		agent Agent
		env   map[string]string
		want  string
	}{
		{ClaudeCode, map[string]string{"HOME": "/home/ada"}, "/home/ada/.claude/settings.json"},
		{ClaudeCode, map[string]string{"HOME": "/home/ada", "CLAUDE_CONFIG_DIR": "/x"}, "/x/settings.json"},
		{ClaudeCode, map[string]string{"HOME": "/home/ada", "CLAUDE_CONFIG_DIR": "x"}, "/home/ada/.claude/settings.json"},
		{Codex, map[string]string{"CODEX_HOME": "/x"}, "/x/hooks.json"},
		{Gemini, map[string]string{"HOME": "/home/ada"}, "/home/ada/.gemini/settings.json"},
		{Gemini, nil, ""},
		{Gemini, map[string]string{"HOME": "."}, ""},
		{Generic, map[string]string{"HOME": "/home/ada"}, ""},
	} {
		if got := test.agent.UserFile(func(name string) string { return test.env[name] }); got != test.want {
			t.Errorf("%s with %v: %q, want %q", test.agent.Name, test.env, got, test.want)
		}
	}
}
