package transcript

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// passagesIn are the passages of lines, each as its kind and its text.
func passagesIn(t *testing.T, text string) (all []string) {
	t.Helper()
	err := Passages(strings.NewReader(text), func(p Passage) error {
		all = append(all, fmt.Sprintf("%d %d %q", p.Line, p.Kind, p.Text))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestPassages(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"Claude Code, two tools in a message": {
			`{"type":"user","message":{"role":"user","content":"Do it"}}` + "\n" + `{"type":"assistant","message":{"content":[{"type":"text","text":"I do."},` +
				`{"type":"tool_use","name":"Bash","input":{"command":"make all","description":"Build","timeout":3}},` +
				`{"type":"tool_use","name":"Edit","input":{"file_path":"/r/a.go","edits":[{"new_string":"b"}]}}]}}` + "\n" +
				`{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"1","content":"never found"}]}}`,
			`0 1 "Do it"|1 2 "I do."|1 3 "make all\nBuild"|1 3 "b"|1 4 "/r/a.go"`},
		"Codex: arguments in a string": {
			`{"timestamp":"2026-11-21T20:25:47Z","type":"response_item","payload":{"type":"function_call","name":"exec_command","arguments":"{\"cmd\": \"seq 1 3\"}"}}`,
			`0 3 "seq 1 3"`},
		"Codex: a patch": {
			`{"timestamp":"2026-11-21T20:25:47Z","type":"response_item","payload":{"type":"custom_tool_call","name":"apply_patch","input":"*** Begin Patch\n*** Add File: a/b\n+x"}}`,
			`0 3 "*** Begin Patch\n*** Add File: a/b\n+x"|0 4 "a/b"`},
		"Gemini CLI: a message grows": {
			`{"id":"1","type":"gemini","content":"I do.","toolCalls":[{"name":"run_shell_command","args":{"command":"one"}}]}` + "\n" +
				`{"id":"1","type":"gemini","content":"I do.","toolCalls":[{"name":"run_shell_command","args":{"command":"one"}},{"name":"x","args":{"command":"two"}}]}`,
			`0 2 "I do."|0 3 "one"|1 3 "two"`},
		"any program": {`{"role":"tool","tool":"edit","files":["b","c"],"text":"sed s/a/b/"}`, `0 3 "sed s/a/b/"|0 4 "b\nc"`},
		"any program's input": {
			`{"role":"tool","tool":"Bash","input":{"command":"make all"}}` + "\n" +
				`{"role":"tool","tool":"edit","files":["/r/b"],"input":{"file_path":"/r/b","old_string":"one","new_string":"two"}}`,
			`0 3 "make all"|1 3 "one\ntwo"|1 4 "/r/b"`},
		"Antigravity: a command": {
			`{"step_index":1,"type":"PLANNER_RESPONSE","tool_calls":[{"name":"run_command","args":{"CommandLine":"\"make all\""}}]}`,
			`0 3 "make all"`},
		"input of no shape":  {`{"type":"assistant","message":{"content":[{"type":"tool_use","name":"Bash","input":[1,{"a":[["b"]],"path":"p"},null]}]}}`, `0 3 "b"|0 4 "p"`},
		"no JSON, and blank": {"x\n\n{\"role\":\n", ``},
	} {
		if got := strings.Join(passagesIn(t, c.text), "|"); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, c.want)
		}
	}
}

// Whatever Spoken gives of the agent's words and the user's is a passage.
func TestPassagesHaveWhatIsSpoken(t *testing.T) {
	for _, name := range []string{"claude", "codex", "gemini", "generic", "claude-subagent", "session"} {
		data, err := os.ReadFile("testdata/" + name + ".jsonl")
		if err != nil {
			t.Fatal(err)
		}
		var said, found []string
		_ = Spoken(strings.NewReader(string(data)), func(w Words) error {
			if w.Who != "tool" {
				said = append(said, w.Text)
			}
			return nil
		})
		_ = Passages(strings.NewReader(string(data)), func(p Passage) error {
			if p.Kind <= Answer {
				found = append(found, p.Text)
			}
			return nil
		})
		for i := range said {
			said[i] = strings.TrimSpace(said[i])
		}
		if !slices.Equal(said, found) {
			t.Errorf("%s:\n%q\nwant\n%q", name, found, said)
		}
	}
}

// TestPassagesOfTools: of each agent's transcript it is found what a tool was given.
func TestPassagesOfTools(t *testing.T) {
	for name, want := range map[string]string{"claude": "Write the helper file\ngeneral-purpose\nPlease [play:cl2]",
		"codex": "seq 1 3 > one.txt; env | sort > env.txt", "gemini": "a\nb", "copilot": "a\nb", "opencode": "a\nb", "qwen": "a\nb", "pi": "a\nb",
		"kimi": "help\ncoder\nPlease [play:k3]"} {
		data, err := os.ReadFile("testdata/" + name + ".jsonl")
		if err != nil {
			t.Fatal(err)
		}
		found := ""
		_ = Passages(strings.NewReader(string(data)), func(p Passage) error {
			if p.Kind == Command && found == "" {
				found = p.Text
			}
			return nil
		})
		if found != want {
			t.Errorf("%s: %q, want %q", name, found, want)
		}
	}
}

func TestLongPassage(t *testing.T) {
	text := strings.Repeat("ä", mostPassage)
	_ = Passages(strings.NewReader(`{"role":"user","text":"x`+text+`"}`), func(p Passage) error {
		if len(p.Text) > mostPassage || len(p.Text) < mostPassage-1 || strings.ToValidUTF8(p.Text, "?") != p.Text {
			t.Errorf("%d bytes", len(p.Text))
		}
		return nil
	})
}
