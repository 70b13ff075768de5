package claudesettings

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/tailscale/hujson"
)

func at(path string) func(string) string {
	return func(verb string) string { return path + " hooks claude-code " + verb }
}

var command = at("/usr/bin/entire-plumb")

func enable(t *testing.T, data string) string {
	t.Helper()
	out, err := Enable([]byte(data), command)
	if err != nil {
		t.Fatalf("Enable(%q): %v", data, err)
	}
	return string(out)
}

func disable(t *testing.T, data string) string {
	t.Helper()
	out, err := Disable([]byte(data))
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
		out, err := Enable(data, command)
		if err != nil || string(out) != fresh {
			t.Errorf("Enable(%q) = %s, %v", data, out, err)
		}
		if out, err = Disable(out); out != nil || err != nil {
			t.Errorf("Disable after it = %q, %v; want nil", out, err)
		}
	}
	if out, err := Disable(nil); out != nil || err != nil {
		t.Errorf("Disable(nil) = %q, %v", out, err)
	}
}

func TestEnableKeepsTheLayout(t *testing.T) {
	short := rows
	rows = rows[2:3]
	defer func() { rows = short }()
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
		if got := enable(t, c[0]); got != want {
			t.Errorf("Enable(%q):\ngot:  %q\nwant: %q", c[0], got, want)
		}
	}
}

func TestEnableWithMatcher(t *testing.T) {
	short := rows
	rows = append(slices.Clone(rows), row{"PreToolUse", "Task", "pre-task"}, row{"PostToolUse", "Task", "post-task"},
		row{"PostToolUse", "TodoWrite", "post-todo"})
	defer func() { rows = short }()
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
	rows = short
	if got := disable(t, out); got != data {
		t.Errorf("Disable by a program that knows fewer verbs gives %s", got)
	}
}

func TestEnableUpdatesAMovedProgram(t *testing.T) {
	out, err := Enable([]byte(enable(t, `{"a": [1]}`)), at(`test -x "/new place/entire-plumb" && "/new place/entire-plumb"`))
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(out, []byte(`\"/new place/entire-plumb\" hooks`)); n != len(rows) || bytes.Contains(out, []byte("/usr/bin")) {
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
	if verbs, err := Installed([]byte(data)); err != nil || !slices.Equal(verbs, []string{"stop"}) {
		t.Errorf("Installed = %v, %v", verbs, err)
	}
}

func TestInstalled(t *testing.T) {
	for data, want := range map[string]int{"": 0, "{}": 0, fresh: len(rows), strings.Replace(fresh, `"Stop"`, `"Other"`, 1): len(rows) - 1} {
		if verbs, err := Installed([]byte(data)); err != nil || len(verbs) != want {
			t.Errorf("Installed(%q) = %v, %v; want %d", data, verbs, err, want)
		}
	}
	verbs, _ := Installed([]byte(fresh))
	for i, r := range rows {
		if verbs[i] != r.verb {
			t.Errorf("Installed = %v, and %d is %s", verbs, i, r.verb)
		}
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
		_, err1 := Enable([]byte(data), command)
		_, err2 := Disable([]byte(data))
		_, err3 := Installed([]byte(data))
		for _, err := range []error{err1, err2, err3} {
			if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "\nhint: ") {
				t.Errorf("%q: error %v; want %q and a hint", data, err, want)
			}
		}
	}
	if _, err := Enable(nil, func(string) string { return "entire hooks claude-code stop" }); err == nil {
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
