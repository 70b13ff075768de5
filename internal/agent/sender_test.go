package agent

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"entire-plumb/internal/testdir"
)

func TestSender(t *testing.T) {
	type env = map[string]string
	for name, test := range map[string]struct {
		agent Agent
		env   env
		sent  Sent
		want  string // empty: not known
	}{
		"Claude Code":                      {ClaudeCode, env{"HOME": "/h"}, Sent{Transcript: "/h/.claude/projects/-r/s.jsonl"}, "Claude Code"},
		"Claude Code, by hand":             {ClaudeCode, nil, Sent{}, "Claude Code"},
		"Claude Code, elsewhere":           {ClaudeCode, env{"CLAUDE_CONFIG_DIR": "/h/.cursor/x"}, Sent{Transcript: "/h/.cursor/x/s.jsonl"}, "Claude Code"},
		"Claude Code, run by Copilot CLI":  {ClaudeCode, env{"COPILOT_CLI": "1"}, Sent{Transcript: "/h/.claude/projects/-r/s.jsonl"}, "Claude Code"},
		"Copilot CLI, before a stop":       {ClaudeCode, env{"COPILOT_CLI": "1", "CLAUDECODE": "1"}, Sent{}, "Copilot CLI"},
		"Copilot CLI, a stop":              {ClaudeCode, nil, Sent{Transcript: "/h/.copilot/session-state/s/events.jsonl"}, "Copilot CLI"},
		"Copilot CLI, elsewhere":           {ClaudeCode, env{"COPILOT_HOME": "/c"}, Sent{Transcript: "/c/session-state/s/events.jsonl"}, "Copilot CLI"},
		"Copilot CLI, a subagent":          {ClaudeCode, env{"COPILOT_CLI": "1"}, Sent{Camel: true}, "Copilot CLI"},
		"Copilot Chat":                     {ClaudeCode, nil, Sent{Transcript: "/h/.config/Code/User/workspaceStorage/1/GitHub.copilot-chat/t/s.jsonl"}, "Copilot Chat"},
		"Cursor":                           {ClaudeCode, nil, Sent{Cursor: true, Camel: true}, "Cursor"},
		"Cursor, its transcript":           {ClaudeCode, nil, Sent{Transcript: "/h/.cursor/projects/r/agent-transcripts/s.jsonl"}, "Cursor"},
		"Grok":                             {ClaudeCode, nil, Sent{Transcript: "/h/.grok/sessions/s.jsonl", Camel: true}, "Grok"},
		"Claude Code, another's directory": {ClaudeCode, env{"HOME": "/h", "COPILOT_HOME": "/c"}, Sent{Transcript: "/elsewhere/s.jsonl"}, "Claude Code"},
		"Copilot CLI, a home and a mark":   {ClaudeCode, env{"HOME": "/h", "COPILOT_CLI": "1"}, Sent{}, "Copilot CLI"},
		"of no known directory":            {ClaudeCode, env{"HOME": "/h", "COPILOT_HOME": "c"}, Sent{Transcript: "c/s.jsonl", Camel: true}, ""},
		"nobody knows":                     {ClaudeCode, nil, Sent{Camel: true}, ""},
		"Codex, run by Copilot CLI":        {Codex, env{"COPILOT_CLI": "1"}, Sent{}, "Codex"},
		"any other":                        {Generic, nil, Sent{Camel: true, Cursor: true}, "Generic"},
	} {
		test.sent.Getenv = func(name string) string { return test.env[name] }
		got, known := test.agent.Sender(test.sent)
		if known != (test.want != "") || known && got.Title != test.want {
			t.Errorf("%s: %q, %t", name, got.Title, known)
		}
	}
}

// TestOwnHooks: an agent's own hooks are in the repository, and in the directory that its variable
// names, or the one in the home directory.
func TestOwnHooks(t *testing.T) {
	top, home, elsewhere := t.TempDir(), t.TempDir(), t.TempDir()
	for _, file := range []string{filepath.Join(top, ".github/hooks/a.json"), filepath.Join(home, ".copilot/hooks/b.json"),
		filepath.Join(elsewhere, "hooks/c.json"), filepath.Join(top, ".cursor/hooks.json")} {
		testdir.Must(t, os.MkdirAll(filepath.Dir(file), 0o700))
		testdir.Must(t, os.WriteFile(file, []byte("{}"), 0o600))
	}
	for name, c := range map[string]struct {
		agent Agent
		env   map[string]string
		want  []string
	}{
		"in its home":     {copilot.Agent, map[string]string{"HOME": home}, []string{"a.json", "b.json"}},
		"elsewhere":       {copilot.Agent, map[string]string{"HOME": home, "COPILOT_HOME": elsewhere}, []string{"a.json", "c.json"}},
		"relative":        {copilot.Agent, map[string]string{"HOME": home, "COPILOT_HOME": "x"}, []string{"a.json", "b.json"}},
		"without a home":  {copilot.Agent, nil, []string{"a.json"}},
		"another agent":   {cursor.Agent, map[string]string{"HOME": home}, []string{"hooks.json"}},
		"one without any": {ClaudeCode, map[string]string{"HOME": home}, nil},
	} {
		var got []string
		for _, file := range c.agent.OwnHooks(func(name string) string { return c.env[name] }, top) {
			got = append(got, filepath.Base(file))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
