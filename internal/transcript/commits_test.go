package transcript

import (
	"os"
	"path/filepath"
	"testing"
)

// TestCommandsRun: a command that commits counts since the last prompt, and no text that names one.
func TestCommandsRun(t *testing.T) {
	const prompt = `{"type":"user","message":{"content":"commit it"}}` + "\n"
	use := func(tool, input string) string {
		return `{"type":"assistant","message":{"content":[{"type":"tool_use","name":"` + tool + `","input":` + input + `}]}}` + "\n"
	}
	const said = `{"type":"assistant","message":{"content":[{"type":"text","text":"I commit"}]}}` + "\n"
	const result = `{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"1","content":"git commit"}]}}` + "\n"
	file := filepath.Join(t.TempDir(), "t.jsonl")
	for name, c := range map[string]struct {
		text string
		want Commands
	}{
		"nothing":                   {"", Commands{}},
		"another format":            {"[{\"role\":\"user\"}]\n", Commands{}},
		"no answer yet":             {said + prompt, Commands{Prompt: true}},
		"words":                     {prompt + said, Commands{Prompt: true, Told: true}},
		"a commit":                  {prompt + use("Bash", `{"command":"git add . && git commit -m x"}`), Commands{true, true, true}},
		"by plumbing":               {prompt + use("shell", `{"command":["git","commit-tree","x"]}`), Commands{true, true, true}},
		"of another program's tool": {prompt + use("mcp__git__run", `{"args":{"verb":"commit"}}`), Commands{true, true, true}},
		"before the prompt":         {prompt + use("Bash", `{"command":"git commit"}`) + prompt + said, Commands{Prompt: true, Told: true}},
		"another command":           {prompt + use("Bash", `{"command":"git log; committed","description":"look for the commit"}`), Commands{Prompt: true, Told: true}},
		"a file that names one":     {prompt + use("Write", `{"file_path":"/r/commit","content":"git commit"}`), Commands{Prompt: true, Told: true}},
		"a search for one":          {prompt + use("Grep", `{"pattern":"commit"}`), Commands{Prompt: true, Told: true}},
		"a tool's output":           {prompt + use("Bash", `{"command":"ls"}`) + result, Commands{Prompt: true, Told: true}},
		"a line that is cut off":    {prompt + use("Bash", `{"command":"git commit"}`)[:90], Commands{Prompt: true}},
	} {
		if err := os.WriteFile(file, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := CommandsRun(t.Context(), file); err != nil || got != c.want {
			t.Errorf("%s: %+v %v, want %+v", name, got, err, c.want)
		}
	}
	dir := subagents(file)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(prompt+said), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "agent-1.jsonl"), []byte(use("Bash", `{"command":"git commit"}`)), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := CommandsRun(t.Context(), file); err != nil || !got.Commit {
		t.Errorf("a subagent's: %+v %v", got, err)
	}
	if _, err := CommandsRun(t.Context(), file+"x"); err == nil {
		t.Error("a missing transcript is no error")
	}
}
