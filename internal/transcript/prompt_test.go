package transcript

import "testing"

func TestNotifiedTask(t *testing.T) {
	for text, want := range map[string]struct {
		id      string
		stopped bool
	}{
		"<task-notification><task-id>b</task-id></task-notification>":                           {"b", false},
		"<task-notification><task-id>b</task-id><status>completed</status></task-notification>": {"b", false},
		"<task-notification><task-id>b</task-id><status>killed</status></task-notification>":    {"b", true},
		"<task-notification><task-id>b</task-id><status>failed</status></task-notification>":    {"b", false},
		"go on <status>killed</status>": {"", false},
	} {
		if id, stopped := NotifiedTask(text); id != want.id || stopped != want.stopped {
			t.Errorf("%s: %q, %v", text, id, stopped)
		}
	}
}

func TestPrompt(t *testing.T) {
	tests := []struct{ line, want string }{
		{`{"type":"user","message":{"content":"  fix it\n"}}`, "fix it"},
		{`{"type":"user","message":{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}}`, "a\nb"},
		{`{"type":"user","message":{"content":[{"type":"image"},{"type":"text","text":"look"}]}}`, "look"},
		{`{"type":"user","message":{"content":[7,"x",{"type":"text","text":"a"},{"type":"text","text":{}}]}}`, "a"},
		{`{"type":"user","message":{"content":[{"type":"tool_result","content":"x"},{"type":"text","text":"reminder"}]}}`, ""},
		{`{"type":"user","message":{"content":"<div> is what I want"}}`, "<div> is what I want"},
		{`{"type":"user","message":{"content":"<system-reminder>x</system-reminder>\n<ide_selection a=\"1\">y</ide_selection>do it"}}`,
			"do it"},
		{`{"type":"user","message":{"content":"<command-name>/clear</command-name> <command-args></command-args>"}}`, ""},
		{`{"type":"user","message":{"content":"<command-name"}}`, ""},
		{`{"type":"user","message":{"content":"<command-message>shout</command-message>\n<command-name>/shout</command-name>\n<command-args>a b</command-args>"}}`,
			"/shout a b"},
		{`{"type":"user","message":{"content":"<command-message>init</command-message>\n<command-name>/init</command-name>"}}`, "/init"},
		{`{"type":"user","message":{"content":"<command-message>"}}`, ""},
		{`{"type":"attachment","attachment":{"type":"queued_command","prompt":"and this","origin":{"kind":"human"}}}`, "and this"},
		{`{"type":"attachment","attachment":{"type":"queued_command","prompt":[{"type":"text","text":"a"},{"type":"image"}]}}`, "a"},
		{`{"type":"attachment","attachment":{"type":"queued_command","prompt":"<task-notification>x</task-notification>"}}`, ""},
		{`{"type":"attachment","attachment":{"type":"other","prompt":"x queued_command"}}`, ""},
		{`{"type":"user","message":{"content":"<local-command-stderr>no</local-command-stderr>"}}`, ""},
		{`{"type":"user","message":{"content":"[Request interrupted by user for tool use]"}}`, ""},
		{`{"type":"user","isMeta":true,"message":{"content":"x"}}`, ""},
		{`{"type":"user","isCompactSummary":true,"message":{"content":"x"}}`, ""},
		{`{"type":"user","message":{"content":{"text":"x"}}}`, ""},
		{`{"type":"user","message":{"content":null}}`, ""},
		{`{"type":"user","message":"x"}`, ""},
		{`{"type":"user"}`, ""},
		{`{"type":"assistant","message":{"content":"x"}}`, ""},
		{`{"type":"user","message":{"content":"x"}`, ""},
	}
	for _, test := range tests {
		rec, _ := decode([]byte(test.line))
		if got := rec.prompt; got != test.want {
			t.Errorf("%s: %q, want %q", test.line, got, test.want)
		}
	}
}

func TestLastText(t *testing.T) {
	tests := []struct{ content, want string }{
		{`"plain"`, "plain"},
		{`[{"type":"text","text":"a"},{"type":"text","text":"b"},{"type":"text","text":" "},{"type":"tool_use"}]`, "b"},
		{`[{"type":"thinking","text":"x"}]`, ""},
		{`[]`, ""},
	}
	for _, test := range tests {
		rec, _ := decode([]byte(`{"type":"assistant","message":{"content":` + test.content + `}}`))
		if got := rec.lastText(); got != test.want {
			t.Errorf("%s: %q, want %q", test.content, got, test.want)
		}
	}
}
