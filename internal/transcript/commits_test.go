package transcript

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"entire-plumb/internal/testdir"
)

// TestCommandsRun: a command that commits counts since the last prompt, and no text that names one.
func TestCommandsRun(t *testing.T) {
	const prompt = `{"type":"user","message":{"content":"commit it"}}` + "\n"
	use := func(tool, input string) string {
		return `{"type":"assistant","message":{"content":[{"type":"tool_use","name":"` + tool + `","input":` + input + `}]}}` + "\n"
	}
	const said = `{"type":"assistant","message":{"content":[{"type":"text","text":"I commit"}]}}` + "\n"
	const result = `{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"1","content":"git commit"}]}}` + "\n"
	const output = `{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"1","content":"[main 7654321] words"}]}}` + "\n"
	const said1, said2 = "1234567890", "7654321098"
	asked := map[string]string{said1: "<Say> \\\"it\\\" & so", said2: ""}
	const codex = `{"timestamp":"2026-11-21T20:25:47.202Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"Do it"}]}}
{"timestamp":"2026-11-21T20:25:54.937Z","type":"response_item","payload":{"type":"function_call","name":"exec_command","arguments":"{\"cmd\": \"git commit -m 'x'\"}"}}
{"timestamp":"2026-11-21T20:25:54.937Z","type":"response_item","payload":{"type":"function_call_output","output":"[main 7654321] words"}}
`
	const gemini = `{"id":"1","timestamp":"2026-11-21T20:25:47.202Z","type":"user","content":"Do it"}
{"id":"2","timestamp":"2026-11-21T20:25:47.202Z","type":"gemini","content":"I commit","toolCalls":[{"name":"run_shell_command","args":{"command":"git commit -m x","description":"commit"}}]}
`
	file := filepath.Join(t.TempDir(), "t.jsonl")
	for name, c := range map[string]struct {
		text string
		want Commands
	}{
		"nothing":                      {"", Commands{}},
		"another format":               {"[{\"role\":\"user\"}]\n", Commands{}},
		"no answer yet":                {said + prompt, Commands{Prompt: true}},
		"words":                        {prompt + said, Commands{Prompt: true, Told: true}},
		"a commit":                     {prompt + use("Bash", `{"command":"git add . && git commit -m x"}`), Commands{Prompt: true, Told: true, Commit: true}},
		"its message":                  {prompt + use("Bash", `{"command":"git commit -m \"$(cat <<'E'\n<Say> \\\"it\\\" & so\nE\n)\""}`), Commands{Prompt: true, Told: true, Commit: true, Named: []string{said1}}},
		"what git printed":             {prompt + use("Bash", `{"command":"make commit"}`) + output, Commands{Prompt: true, Told: true, Commit: true, Named: []string{said2}}},
		"git log's output":             {prompt + use("Bash", `{"command":"git log --oneline; commit"}`) + strings.Replace(output, "[main 7654321]", "7654321", 1), Commands{Prompt: true, Told: true, Commit: true}},
		"another one's message":        {prompt + use("Bash", `{"command":"git commit -m 'Other words'"}`), Commands{Prompt: true, Told: true, Commit: true}},
		"Codex":                        {codex, Commands{Prompt: true, Told: true, Commit: true, Named: []string{said2}}},
		"Gemini CLI":                   {gemini, Commands{Prompt: true, Told: true, Commit: true}},
		"another tool of Gemini's":     {strings.Replace(gemini, "git commit", "git log", 1), Commands{Prompt: true, Told: true}},
		"a tool of anybody's":          {`{"role":"user","text":"Do it"}` + "\n" + `{"role":"tool","tool":"sh"}` + "\n", Commands{Prompt: true, Told: true, Commit: true}},
		"one that writes":              {`{"role":"user","text":"Do it"}` + "\n" + `{"role":"tool","tool":"sh","files":["commit"]}` + "\n", Commands{Prompt: true, Told: true}},
		"a merge":                      {prompt + use("Bash", `{"command":"git merge side"}`), Commands{Prompt: true, Told: true, Replay: true}},
		"a list of words with a pull":  {prompt + use("shell", `["git","pull","--rebase"]`), Commands{Prompt: true, Told: true, Replay: true}},
		"no merge":                     {prompt + use("Bash", `{"command":"git merge-base a b; git log --merge; git mergetool"}`), Commands{Prompt: true, Told: true}},
		"by plumbing":                  {prompt + use("shell", `{"command":["git","commit-tree","x"]}`), Commands{Prompt: true, Told: true, Commit: true}},
		"a list of words":              {prompt + use("shell", `["git","commit","-m"]`), Commands{Prompt: true, Told: true, Commit: true}},
		"a list of commands":           {prompt + use("shell", `[{"command":"git commit"},{"command":"ls"}]`), Commands{Prompt: true, Told: true, Commit: true}},
		"a list without one":           {prompt + use("shell", `["git","log"]`), Commands{Prompt: true, Told: true}},
		"of another program's tool":    {prompt + use("mcp__git__run", `{"args":{"verb":"commit"}}`), Commands{Prompt: true, Told: true, Commit: true}},
		"before the prompt":            {prompt + use("Bash", `{"command":"git commit"}`) + prompt + said, Commands{Prompt: true, Told: true}},
		"a subagent's prompt after it": {prompt + use("Bash", `{"command":"git commit"}`) + strings.Replace(prompt, `{`, `{"isSidechain":true,`, 1), Commands{Prompt: true, Told: true, Commit: true}},
		"a queued prompt after it":     {prompt + use("Bash", `{"command":"git commit"}`) + `{"type":"attachment","attachment":{"type":"queued_command","prompt":"and then"}}` + "\n", Commands{Prompt: true, Told: true, Commit: true}},
		"another command":              {prompt + use("Bash", `{"command":"git log; committed","description":"look for the commit"}`), Commands{Prompt: true, Told: true}},
		"a file that names one":        {prompt + use("Write", `{"file_path":"/r/commit","content":"git commit"}`), Commands{Prompt: true, Told: true}},
		"a search for one":             {prompt + use("Grep", `{"pattern":"commit"}`), Commands{Prompt: true, Told: true}},
		"a tool's output":              {prompt + use("Bash", `{"command":"ls"}`) + result, Commands{Prompt: true, Told: true}},
		"a line that is cut off":       {prompt + use("Bash", `{"command":"git commit"}`)[:90], Commands{Prompt: true}},
	} {
		testdir.Must(t, os.WriteFile(file, []byte(c.text), 0o600))
		if got, err := CommandsRun(t.Context(), file, asked); err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v %v, want %+v", name, got, err, c.want)
		}
	}
	dir := subagents(file)
	testdir.Must(t, os.MkdirAll(dir, 0o700))
	testdir.Must(t, os.WriteFile(file, []byte(prompt+said), 0o600))
	testdir.Must(t, os.WriteFile(filepath.Join(dir, "agent-1.jsonl"), []byte(use("Bash", `{"command":"git commit"}`)), 0o600))
	if got, err := CommandsRun(t.Context(), file, nil); err != nil || !got.Commit {
		t.Errorf("a subagent's: %+v %v", got, err)
	}
	if _, err := CommandsRun(t.Context(), file+"x", nil); err == nil {
		t.Error("a missing transcript is no error")
	}
}

func TestPrintedID(t *testing.T) {
	long := strings.Repeat("0123456789abcdef", 4)
	for text, want := range map[string]string{
		"[main 1a2b3c4":                "1a2b3c4",
		"x[main (root-commit) 1a2b3c4": "1a2b3c4",
		"[a] [main " + long:            long,
		"[main " + long + "0":          "",
		"[main 1a2b3c":                 "",
		"[main1a2b3c4":                 "",
		"[ 1a2b3c4":                    "",
		"[main] 1a2b3c4":               "",
		"main 1a2b3c4":                 "",
		"1a2b3c4":                      "",
		"":                             "",
		"[" + strings.Repeat("m", 198) + " 1a2b3c4":   "1a2b3c4",
		"[" + strings.Repeat("m", 1<<10) + " 1a2b3c4": "",
	} {
		if got := printedID([]byte(text)); got != want {
			t.Errorf("%.40q: %q, want %q", text, got, want)
		}
	}
}
