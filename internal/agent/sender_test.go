package agent

import "testing"

func TestSender(t *testing.T) {
	type env = map[string]string
	for name, test := range map[string]struct {
		agent Agent
		env   env
		sent  Sent
		want  string // empty: not known
	}{
		"Claude Code":                     {ClaudeCode, env{"HOME": "/h"}, Sent{Transcript: "/h/.claude/projects/-r/s.jsonl"}, "Claude Code"},
		"Claude Code, by hand":            {ClaudeCode, nil, Sent{}, "Claude Code"},
		"Claude Code, elsewhere":          {ClaudeCode, env{"CLAUDE_CONFIG_DIR": "/h/.cursor/x"}, Sent{Transcript: "/h/.cursor/x/s.jsonl"}, "Claude Code"},
		"Claude Code, run by Copilot CLI": {ClaudeCode, env{"COPILOT_CLI": "1"}, Sent{Transcript: "/h/.claude/projects/-r/s.jsonl"}, "Claude Code"},
		"Copilot CLI, before a stop":      {ClaudeCode, env{"COPILOT_CLI": "1", "CLAUDECODE": "1"}, Sent{}, "Copilot CLI"},
		"Copilot CLI, a stop":             {ClaudeCode, nil, Sent{Transcript: "/h/.copilot/session-state/s/events.jsonl"}, "Copilot CLI"},
		"Copilot CLI, elsewhere":          {ClaudeCode, env{"COPILOT_HOME": "/c"}, Sent{Transcript: "/c/session-state/s/events.jsonl"}, "Copilot CLI"},
		"Copilot CLI, a subagent":         {ClaudeCode, env{"COPILOT_CLI": "1"}, Sent{Camel: true}, "Copilot CLI"},
		"Copilot Chat":                    {ClaudeCode, nil, Sent{Transcript: "/h/.config/Code/User/workspaceStorage/1/GitHub.copilot-chat/t/s.jsonl"}, "Copilot Chat"},
		"Cursor":                          {ClaudeCode, nil, Sent{Cursor: true, Camel: true}, "Cursor"},
		"Cursor, its transcript":          {ClaudeCode, nil, Sent{Transcript: "/h/.cursor/projects/r/agent-transcripts/s.jsonl"}, "Cursor"},
		"Grok":                            {ClaudeCode, nil, Sent{Transcript: "/h/.grok/sessions/s.jsonl", Camel: true}, "Grok"},
		"nobody knows":                    {ClaudeCode, nil, Sent{Camel: true}, ""},
		"Codex, run by Copilot CLI":       {Codex, env{"COPILOT_CLI": "1"}, Sent{}, "Codex"},
		"any other":                       {Generic, nil, Sent{Camel: true, Cursor: true}, "Generic"},
	} {
		test.sent.Getenv = func(name string) string { return test.env[name] }
		got, known := test.agent.Sender(test.sent)
		if known != (test.want != "") || known && got.Title != test.want {
			t.Errorf("%s: %q, %t", name, got.Title, known)
		}
	}
}
