package transcript

import (
	"os"
	"slices"
	"strings"
	"testing"

	"entire-plumb/internal/testdir"
)

// TestUses: what each agent's tools were given, in real transcripts.
func TestUses(t *testing.T) {
	for name, want := range map[string][]ToolUse{
		"claude":          {{Name: "Bash", Command: "env | sort > env.txt; sleep 2; echo x > late.txt"}, {Name: "Agent"}},
		"claude-subagent": {{Name: "Write", File: "/repo/helper.txt"}},
		"codex": {{Name: "exec_command", Command: "seq 1 3 > one.txt; env | sort > env.txt"},
			{Name: "exec_command", Command: "git add one.txt && git commit -qm 'by the agent'"}},
		"gemini": {{Name: "write_file", File: "/repo/one.txt"}, {Name: "run_shell_command", Command: "seq 1 3 > two.txt; env | sort > env.txt"},
			{Name: "replace", File: "/repo/README.md"}, {Name: "run_shell_command", Command: "git add one.txt && git commit -qm 'by the agent'"}},
		"generic": {{Name: "edit", File: "a.txt"}, {Name: "patch", File: "c.txt"}, {Name: "patch", File: "b.txt"}, {Name: "look"}},
	} {
		data, err := os.ReadFile("testdata/" + name + ".jsonl")
		testdir.Must(t, err)
		var got []ToolUse
		var seen once
		for line := range strings.Lines(string(data)) {
			if toolOutput([]byte(line)) {
				continue
			}
			rec, _ := decode([]byte(line))
			for _, b := range seen.first(rec).blocks {
				got = append(got, b.uses()...)
			}
		}
		for _, one := range want {
			if !slices.Contains(got, one) {
				t.Errorf("%s: %+v is not among %+v", name, one, got)
			}
		}
	}
}

// TestUsesOfOtherShapes: a record whose tools are given something unexpected is still read.
func TestUsesOfOtherShapes(t *testing.T) {
	long := strings.Repeat("ä", mostCommand)
	for line, want := range map[string][]ToolUse{
		`{"type":"assistant","message":{"content":[{"type":"tool_use","name":"Bash","input":{"command":["ls","-l"]}}]}}`:   {{Name: "Bash", Command: "ls -l"}},
		`{"type":"assistant","message":{"content":[{"type":"tool_use","name":"Bash","input":{"command":7}}]}}`:             {{Name: "Bash"}},
		`{"type":"assistant","message":{"content":[{"type":"tool_use","name":"Bash","input":"x"}]}}`:                       {{Name: "Bash"}},
		`{"type":"assistant","message":{"content":[{"type":"tool_use","name":"Read","input":{"file_path":"a/b"}}]}}`:       {{Name: "Read", File: "a/b"}},
		`{"id":"1","type":"gemini","content":"","toolCalls":[{"name":"replace","args":{"file_path":["a"],"command":{}}}]}`: {{Name: "replace"}},
		`{"id":"1","type":"gemini","content":"","toolCalls":[{"name":"replace","args":[]}]}`:                               {{Name: "replace"}},
		`{"timestamp":"","type":"response_item","payload":{"type":"local_shell_call","action":{"command":["ls","a"]}}}`:    {{Name: "local_shell", Command: "ls a"}},
		`{"timestamp":"","type":"response_item","payload":{"type":"function_call","name":"f","arguments":{"cmd":"ls"}}}`:   {{Name: "f"}},
		`{"timestamp":"","type":"response_item","payload":{"type":"custom_tool_call","name":"apply_patch","input":"*** Add File: a\n*** Delete File: b\n"}}`: {
			{Name: "apply_patch", File: "a"}, {Name: "apply_patch", File: "b"}},
		`{"type":"assistant","message":{"content":[{"type":"tool_use","name":"Bash","input":{"command":"` + long + `"}}]}}`: {
			{Name: "Bash", Command: long[:mostCommand] + "…"}},
	} {
		rec, ok := decode([]byte(line))
		var got []ToolUse
		for _, b := range rec.blocks {
			got = append(got, b.uses()...)
		}
		if !ok || !slices.Equal(got, want) {
			t.Errorf("%.150s: %v %+v", line, ok, got)
		}
	}
}

func TestUsesOfATurn(t *testing.T) {
	use := `{"type":"assistant","message":{"content":[{"type":"tool_use","name":"Bash","input":{"command":"ls"}},{"type":"text","text":"x"}]}}` + "\n"
	all := turnsOf(t, asked+use+use+use, Limits{Prompt: 100, Said: 100, Uses: 2})
	if len(all) != 1 || !slices.Equal(all[0].Uses, []ToolUse{{Name: "Bash", Command: "ls"}, {Name: "Bash", Command: "ls"}}) ||
		all[0].UsesLeftOut != 1 || all[0].Tools[0].Times != 3 {
		t.Errorf("%+v", all)
	}
	if all = turnsOf(t, asked+use, roomy); all[0].Uses != nil || all[0].UsesLeftOut != 0 {
		t.Errorf("%+v", all)
	}
}
