package agentsettings

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/tailscale/hujson"

	"entire-plumb/internal/agent"
	"entire-plumb/internal/testdir"
)

// claude is an agent of this package's tests, so that the table may change.
var claude = agent.Agent{Name: "claude-code", Title: "Claude Code", TimeoutUnit: 1, Events: []agent.Event{
	{Name: "SessionStart", Verb: "session-start"},
	{Name: "UserPromptSubmit", Verb: "user-prompt-submit"},
	{Name: "Stop", Verb: "stop"},
	{Name: "PreToolUse", Matcher: "Task", Verb: "pre-task"},
	{Name: "PostToolUse", Matcher: "Task", Verb: "post-task"},
	{Name: "PostToolUse", Matcher: "TodoWrite", Verb: "post-todo"},
	{Name: "SessionEnd", Verb: "session-end"},
}}

// only is the agent with some of its events.
func only(a agent.Agent, events ...agent.Event) agent.Agent {
	a.Events = events
	return a
}

func at(path string) func(string) string {
	return func(verb string) string { return path + " hooks claude-code " + verb }
}

var command = at("/usr/bin/entire-plumb")

func enable(t *testing.T, data string) string {
	t.Helper()
	return enableFor(t, claude, data)
}

func enableFor(t *testing.T, a agent.Agent, data string) string {
	t.Helper()
	out, err := Enable([]byte(data), a, command)
	if err != nil {
		t.Fatalf("Enable(%q): %v", data, err)
	}
	return string(out)
}

func disable(t *testing.T, data string) string {
	t.Helper()
	out, err := Disable([]byte(data), claude)
	if err != nil {
		t.Fatalf("Disable(%q): %v", data, err)
	}
	return string(out)
}

const fresh = `{
  "hooks": {
    "SessionStart": [
      {
        "hooks": [
          {
            "type": "command",
            "command": "/usr/bin/entire-plumb hooks claude-code session-start"
          }
        ]
      }
    ],
    "UserPromptSubmit": [
      {
        "hooks": [
          {
            "type": "command",
            "command": "/usr/bin/entire-plumb hooks claude-code user-prompt-submit"
          }
        ]
      }
    ],
    "Stop": [
      {
        "hooks": [
          {
            "type": "command",
            "command": "/usr/bin/entire-plumb hooks claude-code stop"
          }
        ]
      }
    ],
    "PreToolUse": [
      {
        "matcher": "Task",
        "hooks": [
          {
            "type": "command",
            "command": "/usr/bin/entire-plumb hooks claude-code pre-task"
          }
        ]
      }
    ],
    "PostToolUse": [
      {
        "matcher": "Task",
        "hooks": [
          {
            "type": "command",
            "command": "/usr/bin/entire-plumb hooks claude-code post-task"
          }
        ]
      },
      {
        "matcher": "TodoWrite",
        "hooks": [
          {
            "type": "command",
            "command": "/usr/bin/entire-plumb hooks claude-code post-todo"
          }
        ]
      }
    ],
    "SessionEnd": [
      {
        "hooks": [
          {
            "type": "command",
            "command": "/usr/bin/entire-plumb hooks claude-code session-end"
          }
        ]
      }
    ]
  }
}
`

func TestEnableWithoutAFile(t *testing.T) {
	for _, data := range [][]byte{nil, {}} {
		out, err := Enable(data, claude, command)
		if err != nil || string(out) != fresh {
			t.Errorf("Enable(%q) = %s, %v", data, out, err)
		}
		if out, err = Disable(out, claude); out != nil || err != nil {
			t.Errorf("Disable after it = %q, %v; want nil", out, err)
		}
	}
	if out, err := Disable(nil, claude); out != nil || err != nil {
		t.Errorf("Disable(nil, claude) = %q, %v", out, err)
	}
}

func TestEnableKeepsTheLayout(t *testing.T) {
	stop := only(claude, agent.Event{Name: "Stop", Verb: "stop"})
	cases := [][2]string{
		{`{"a":1}`, `{"a":1,"hooks":{"Stop":[{"hooks":[{"type":"command","command":"C"}]}]}}`},
		{`{"a": 1}`, `{"a": 1, "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "C"}]}]}}`},
		{"{\n\t\"hooks\": {\n\t\t\"Stop\": [\n\t\t\t{} // theirs\n\t\t],\n\t},\n}\n",
			"{\n\t\"hooks\": {\n\t\t\"Stop\": [\n\t\t\t{}, // theirs\n\t\t\t{\n\t\t\t\t\"hooks\": [\n\t\t\t\t\t{\n\t\t\t\t\t\t\"type\": \"command\",\n\t\t\t\t\t\t\"command\": \"C\"\n\t\t\t\t\t}\n\t\t\t\t]\n\t\t\t}\n\t\t],\n\t},\n}\n"},
		{"{\r\n    \"hooks\": {}\r\n}",
			"{\r\n    \"hooks\": {\r\n\r\n        \"Stop\": [\r\n            {\r\n                \"hooks\": [\r\n                    {\r\n                        \"type\": \"command\",\r\n                        \"command\": \"C\"\r\n                    }\r\n                ]\r\n            }\r\n        ]\r\n    }\r\n}"},
	}
	for _, c := range cases {
		want := strings.ReplaceAll(c[1], `"C"`, `"`+command("stop")+`"`)
		if got := enableFor(t, stop, c[0]); got != want {
			t.Errorf("Enable(%q):\ngot:  %q\nwant: %q", c[0], got, want)
		}
	}
}

func TestEnableWithMatcher(t *testing.T) {
	data := `{"hooks":{"PostToolUse":[{"matcher":"Task","hooks":[{"type":"command","command":"mine"}]}]}}`
	out := enable(t, data)
	for _, want := range []string{`{"matcher":"Task","hooks":[{"type":"command","command":"/usr/bin/entire-plumb hooks claude-code post-task"}]}`, `{"matcher":"TodoWrite","hooks"`} {
		if !strings.Contains(out, want) {
			t.Errorf("%s is not in %s", want, out)
		}
	}
	if got := disable(t, out); got != data {
		t.Errorf("Disable gives %s", got)
	}
	fewer, err := Disable([]byte(out), only(claude, claude.Events[0]))
	if got := string(fewer); err != nil || got != data {
		t.Errorf("Disable by a program that knows fewer verbs gives %s", got)
	}
}

func TestEnableUpdatesAMovedProgram(t *testing.T) {
	out, err := Enable([]byte(enable(t, `{"a": [1]}`)), claude, at(`test -x "/new place/entire-plumb" && "/new place/entire-plumb"`))
	testdir.Must(t, err)
	if n := bytes.Count(out, []byte(`\"/new place/entire-plumb\" hooks`)); n != len(claude.Events) || bytes.Contains(out, []byte("/usr/bin")) {
		t.Errorf("updated settings: %s", out)
	}
	if got := disable(t, string(out)); got != `{"a": [1]}` {
		t.Errorf("Disable gives %q", got)
	}
}

func TestByHandIsLeft(t *testing.T) {
	data := `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"beep; entire-plumb hooks claude-code stop"}]}]}}`
	out := enable(t, data)
	if strings.Count(out, "claude-code stop") != 1 {
		t.Errorf("a second hook was added: %s", out)
	}
	if got := disable(t, out); got != data {
		t.Errorf("Disable gives %s", got)
	}
	if there, _, err := Installed([]byte(data), claude); err != nil || len(there) != 1 || there[0].Verb != "stop" {
		t.Errorf("Installed = %v, %v", there, err)
	}
}

func TestInstalled(t *testing.T) {
	for data, want := range map[string]int{"": 0, "{}": 0, fresh: len(claude.Events), strings.Replace(fresh, `"Stop"`, `"Other"`, 1): len(claude.Events) - 1} {
		there, missing, err := Installed([]byte(data), claude)
		if err != nil || len(there) != want || len(missing) != len(claude.Events)-want {
			t.Errorf("Installed(%q) = %v, %v, %v; want %d", data, there, missing, err, want)
		}
	}
	if there, _, _ := Installed([]byte(fresh), claude); !slices.Equal(there, claude.Events) {
		t.Errorf("Installed = %v", there)
	}
}

// Two events of one name and one verb are told apart by their matchers.
func TestMatchersTellApart(t *testing.T) {
	todo := agent.Event{Name: "PostToolUse", Matcher: "TodoWrite", Verb: "post-todo"}
	tasks := agent.Event{Name: "PostToolUse", Matcher: "TaskCreate|TaskUpdate", Verb: "post-todo"}
	both := only(claude, append(slices.Clone(claude.Events), tasks)...)
	for _, data := range samples {
		older := enable(t, data)
		newer := enableFor(t, both, older)
		if _, missing, err := Installed([]byte(older), both); err != nil || !slices.Equal(missing, []agent.Event{tasks}) {
			t.Errorf("an older installation lacks %v, %v", missing, err)
		}
		if _, missing, err := Installed([]byte(newer), both); err != nil || len(missing) > 0 {
			t.Errorf("%v is missing, %v:\n%s", missing, err, newer)
		}
		if again := enableFor(t, both, newer); again != newer {
			t.Errorf("enabled twice: %s", again)
		}
		if got := disable(t, newer); got != data {
			t.Errorf("Disable gives %q, not %q", got, data)
		}
	}
	for matcher, want := range map[string]int{"TodoWrite": 1, "TaskCreate|TaskUpdate": 1, "TaskUpdate|X|TaskCreate": 1, "TaskCreate": 0, "": 2, "*": 2, "TodoWrite|TaskCreate|TaskUpdate": 2} {
		data := strings.Replace(enableFor(t, only(claude, todo), ""), "TodoWrite", matcher, 1)
		if there, _, err := Installed([]byte(data), only(claude, todo, tasks)); err != nil || len(there) != want {
			t.Errorf("with the matcher %q %v is installed, %v; want %d", matcher, there, err, want)
		}
	}
}

// A hook that was installed before its event had a timeout gets it.
func TestTimeout(t *testing.T) {
	end := agent.Event{Name: "SessionEnd", Verb: "session-end"}
	with := end
	with.Timeout = 60
	for unit, want := range map[int]string{1: `60`, 1000: `60000`} {
		older, newer := only(claude, end), only(claude, with)
		newer.TimeoutUnit = unit
		for _, data := range samples {
			fresh, updated := enableFor(t, newer, data), enableFor(t, newer, enableFor(t, older, data))
			if fresh != updated {
				t.Errorf("updated: %s\nfresh: %s", updated, fresh)
			}
			if spaced := strings.ReplaceAll(fresh, " ", ""); !strings.Contains(spaced, `"timeout":`+want) {
				t.Errorf("no timeout of %s in %s", want, fresh)
			}
			if again := enableFor(t, newer, updated); again != updated {
				t.Errorf("enabled twice: %s", again)
			}
			if got := disable(t, updated); got != data {
				t.Errorf("Disable gives %q, not %q", got, data)
			}
		}
	}
	own := strings.Replace(enableFor(t, only(claude, end), ""), `"type"`, `"timeout": 5, "type"`, 1)
	if got := enableFor(t, only(claude, with), own); got != own {
		t.Errorf("the user's timeout is changed: %s", got)
	}
	moved, err := Enable([]byte(enableFor(t, only(claude, end), "")), only(claude, with), at("/new/entire-plumb"))
	if err != nil || !strings.Contains(string(moved), `"/new/entire-plumb hooks claude-code session-end",`) || !strings.Contains(string(moved), `"timeout": 60`) {
		t.Errorf("moved, with a timeout: %s, %v", moved, err)
	}
}

// Each agent of the table has settings of this shape.
func TestAllAgents(t *testing.T) {
	for _, a := range agent.All {
		if a.Settings == "" || a.Plugin != "" {
			continue
		}
		for _, data := range samples {
			out, err := Enable([]byte(data), a, func(verb string) string { return "entire-plumb hooks " + a.Name + " " + verb })
			testdir.Must(t, err)
			if _, missing, err := Installed(out, a); err != nil || len(missing) > 0 {
				t.Errorf("%s: %v is missing, %v", a.Name, missing, err)
			}
			if back, err := Disable(out, a); err != nil || string(back) != data {
				t.Errorf("%s: Disable gives %q, %v; not %q", a.Name, back, err, data)
			}
		}
	}
}

// Codex's hooks that somebody pointed at Claude Code's are replaced by its own.
func TestOfAnotherAgent(t *testing.T) {
	data := enable(t, "")
	out, err := Enable([]byte(data), agent.Codex, func(verb string) string { return "entire-plumb hooks codex " + verb })
	if err != nil || strings.Count(string(out), "hooks codex stop") != 2 || strings.Contains(string(out), "claude-code stop") {
		t.Errorf("%s, %v", out, err)
	}
}

func TestBadInput(t *testing.T) {
	for data, want := range map[string]string{
		`{"a":`:                       "not valid JSON",
		`nonsense`:                    "not valid JSON",
		`[]`:                          "top level of the settings is an array, not an object",
		`"x"`:                         "top level of the settings is a string",
		`{"hooks":[]}`:                `"hooks" is an array, not an object`,
		`{"hooks":null}`:              `"hooks" is null`,
		`{"hooks":{"Stop":{}}}`:       `"hooks.Stop" is an object, not an array`,
		`{"hooks":{"SessionEnd":1}}`:  `"hooks.SessionEnd" is a number`,
		`{"hooks":{"Stop":"a"},"b":}`: "not valid JSON",
	} {
		_, err1 := Enable([]byte(data), claude, command)
		_, err2 := Disable([]byte(data), claude)
		_, _, err3 := Installed([]byte(data), claude)
		for _, err := range []error{err1, err2, err3} {
			if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "\nhint: ") {
				t.Errorf("%q: error %v; want %q and a hint", data, err, want)
			}
		}
	}
	if _, err := Enable(nil, claude, func(string) string { return "entire hooks claude-code stop" }); err == nil {
		t.Error("a command that Disable wouldn't recognise is accepted")
	}
}

// What isn't shaped as Claude Code wants it, and isn't in our way, is left.
func TestOddShapesAreTolerated(t *testing.T) {
	for _, data := range []string{
		`{"hooks":{"Stop":[1,null,"x",[],{"hooks":1},{"hooks":[1,{},{"command":5}]}],"Other":7}}`,
		`{"hooks":{"Stop":[]},"hooks":{}}`,
		`{"\u0068ooks":{"Sto\u0070":[]}}`,
	} {
		if got := disable(t, enable(t, data)); got != data {
			t.Errorf("round trip of %s gives %s", data, got)
		}
	}
}

// After other edits what is ours goes, what is not stays, and it is still JSON.
func TestDisableAfterEdits(t *testing.T) {
	edits := map[string]func(string) string{
		"comment before, bracket close": func(s string) string {
			return strings.Replace(s, "    \"SessionStart\"", "    // c\n    \"SessionStart\"", 1)
		},
		"another hook in our group": func(s string) string {
			return strings.Replace(s, "[\n          {", "[\n          {\"x\":1},\n          {", 1)
		},
		"another key in our group": func(s string) string {
			return strings.Replace(s, "      {\n        \"hooks\"", "      {\"x\":1, \"hooks\"", 1)
		},
		"our entry with a timeout": func(s string) string { return strings.Replace(s, `"type"`, `"timeout": 5, "type"`, 1) },
		"another event first": func(s string) string {
			return strings.Replace(s, "\"SessionStart\"", "\"Other\": [],\n    \"SessionStart\"", 1)
		},
		"another event last": func(s string) string {
			return strings.Replace(s, "    ]\n  }\n}", "    ],\n    \"Other\": []\n  }\n}", 1)
		},
		"line comments all over":    func(s string) string { return strings.ReplaceAll(s, "\n", " // c\n") },
		"comments at closed braces": func(s string) string { return strings.ReplaceAll(s, "}\n", "// c\n}") },
		"comments and joined items": func(s string) string { return strings.ReplaceAll(s, ",\n", ", // c\n\n") },
		"block comments":            func(s string) string { return strings.ReplaceAll(s, "\n", "/* http://x */") },
		"minified":                  func(s string) string { var b bytes.Buffer; json.Compact(&b, []byte(s)); return b.String() },
		"trailing commas": func(s string) string {
			return strings.NewReplacer("}\n", "},\n", "]\n", "],\n").Replace(s[:len(s)-2]) + "}"
		},
	}
	for name, edit := range edits {
		for _, start := range []string{"", "{\n  \"a\": 1\n}\n", "{\"hooks\":{\"Stop\":[{\"hooks\":[{\"command\":\"theirs\"}]}]}}", "{}"} {
			edited := edit(enable(t, start))
			if _, err := hujson.Parse([]byte(edited)); err != nil {
				continue // the edit doesn't fit this file
			}
			out := disable(t, edited)
			if out == "" {
				continue
			}
			if _, err := hujson.Parse([]byte(out)); err != nil {
				t.Errorf("%s: no JSON any more: %v\n%s", name, err, out)
			}
			for _, word := range []string{`"Other"`, `"x"`, `"a"`, `"theirs"`} {
				if strings.Contains(edited, word) != strings.Contains(out, word) {
					t.Errorf("%s: %s is lost:\n%s", name, word, out)
				}
			}
			if strings.Contains(out, "entire-plumb") {
				t.Errorf("%s: ours is left:\n%s", name, out)
			}
		}
	}
}
