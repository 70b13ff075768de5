package transcript

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"entire-plumb/internal/testdir"
)

// said is what a transcript's reader shows, in one line each.
func said(t *testing.T, file string) (lines []string) {
	t.Helper()
	f, err := os.Open(file)
	testdir.Must(t, err)
	defer f.Close()
	testdir.Must(t, Spoken(f, func(w Words) error { lines = append(lines, w.Who+": "+w.Text); return nil }))
	return lines
}

// TestFormats reads transcripts that real agents wrote, and one of the generic format.
func TestFormats(t *testing.T) {
	tests := []struct {
		file     string
		said     []string
		model    string
		usage    Usage
		written  []string // since the last prompt
		all      bool     // nothing else was written
		prompt   string
		complete bool
	}{
		{
			file: "claude",
			said: []string{"user: Delegate [play:cl1]", "assistant: I ask a helper.", "tool: Agent", "assistant: In the background.",
				"tool: Bash env | sort > env.txt; sleep 2; echo x > late.txt", "assistant: It goes on.", "assistant: It is finished."},
			model: "claude-opus-4-8", usage: Usage{400, 80, 12000, 28, 4, nil},
			prompt: "Delegate [play:cl1]", complete: true,
		},
		{
			file: "codex",
			said: []string{"user: First [play:cx1]", "assistant: I write.", "tool: exec_command seq 1 3 > one.txt; env | sort > env.txt", "assistant: Wrote one.",
				"user: Second [play:cx2]", "assistant: I commit.", "tool: exec_command git add one.txt && git commit -qm 'by the agent'", "assistant: Committed."},
			model: "gpt-5.4", usage: Usage{400, 0, 12000, 28, 4, nil},
			prompt: "Second [play:cx2]", complete: true,
		},
		{
			file: "gemini",
			said: []string{"user: First [play:gm1]", "assistant: I write.", "tool: write_file /repo/one.txt", "assistant: I use the shell.",
				"tool: run_shell_command seq 1 3 > two.txt; env | sort > env.txt", "assistant: Wrote one and two.",
				"user: Second [play:gm2]", "assistant: I edit.", "tool: replace /repo/README.md",
				"assistant: I commit.", "tool: run_shell_command git add one.txt && git commit -qm 'by the agent'", "assistant: Committed."},
			model: "gemini-2.5-pro", usage: Usage{600, 0, 18000, 42, 6, nil},
			written: []string{"/repo/README.md"}, prompt: "Second [play:gm2]", complete: true,
		},
		{
			file: "copilot",
			said: []string{"user: First [play:cp1]", "assistant: I write two.", "tool: create /repo/one.txt", "tool: edit /repo/README.md",
				"assistant: I use the shell.", "tool: bash seq 1 3 > two.txt; env | sort > env.txt",
				"assistant: I commit.", "tool: bash git add one.txt README.md && git commit -qm 'by the agent'", "assistant: Wrote one and two.",
				"user: Second [play:cp2]", "assistant: I delegate.", "tool: task", "agent: w", "tool: create /repo/helper.txt",
				"agent: The helper's own words.", "assistant: I make a list.", "tool: sql", "assistant: A failing tool.", "tool: bash exit 3",
				"tool: view /repo/nothere.txt", "assistant: All done."},
			model: "gpt-5", usage: Usage{800, 0, 24000, 56, 8, &Usage{200, 0, 6000, 14, 2, nil}},
			written: []string{"/repo/helper.txt"}, prompt: "Second [play:cp2]", complete: true,
		},
		{
			file: "qwen",
			said: []string{"user: First [play:qw1]", "assistant: I write two.", "tool: write_file /repo/one.txt", "tool: read_file /repo/README.md",
				"assistant: I edit.", "tool: edit /repo/README.md", "assistant: I use the shell.",
				"tool: run_shell_command seq 1 3 > two.txt; env | sort > env.txt", "assistant: I commit.",
				"tool: run_shell_command git add one.txt README.md && git commit -qm 'by the agent'", "assistant: Wrote one and two.",
				"user: Second [play:qw2]", "assistant: I delegate.", "tool: agent", "assistant: I make a list.", "tool: todo_write",
				"assistant: A failing tool.", "tool: run_shell_command exit 3", "tool: read_file /repo/nothere.txt", "assistant: All done.",
				"assistant: nothing left to do"},
			model: "fake-model", usage: Usage{1000, 0, 30000, 70, 10, nil}, prompt: "Second [play:qw2]", complete: true,
		},
		{
			file: "opencode",
			said: []string{`user: "First [play:oc1]"`, "tool: write /repo/one.txt", "tool: edit /repo/README.md", "assistant: I write two.",
				"tool: bash seq 1 3 > two.txt; env | sort > env.txt", "assistant: I use the shell.",
				"tool: bash git add one.txt README.md && git commit -qm 'by the agent'", "assistant: I commit.",
				"assistant: Wrote one and two.", `user: "Second [play:oc2]"`, "tool: task", "assistant: I delegate.", "tool: todowrite", "assistant: I make a list.",
				"tool: bash exit 3", "tool: read /repo/nothere.txt", "assistant: A failing tool.", "assistant: All done."},
			model: "fake-model", usage: Usage{800, 0, 24000, 56, 8, nil},
			prompt: `"Second [play:oc2]"`, complete: true,
		},
		{
			file: "pi",
			said: []string{"user: First [play:pi1]", "assistant: I write two.", "tool: write /repo/one.txt", "tool: edit /repo/README.md",
				"assistant: I use the shell.", "tool: bash seq 1 3 > two.txt; env | sort > env.txt",
				"assistant: I commit.", "tool: bash git add one.txt README.md && git commit -qm 'by the agent'", "assistant: Wrote one and two.",
				"user: Second [play:pi2]", "assistant: I write more.", "tool: write more.txt", "assistant: A failing tool.", "tool: bash exit 3",
				"tool: read nothere.txt", "assistant: All done."},
			model: "fake-model", usage: Usage{700, 0, 21000, 49, 7, nil},
			written: []string{"/repo/more.txt"}, prompt: "Second [play:pi2]", complete: true,
		},
		{
			file:  "kimi",
			said:  []string{"user: Go [play:k2]", "assistant: sub", "tool: Agent", "assistant: bad", "tool: Bash exit 3", "assistant: done", "user: Again hello", "assistant: nothing left to do"},
			model: "fake-model", usage: Usage{400, 0, 12000, 28, 4, nil},
			all: true, prompt: "Again hello", complete: true,
		},
		{
			file: "generic",
			said: []string{"user: Add a file", "assistant: I add it.", "tool: edit a.txt", "user: And another", "tool: patch c.txt", "tool: patch b.txt", "tool: look",
				"assistant: Done."},
			model: "m-1", usage: Usage{5, 1, 2, 7, 2, nil},
			written: []string{"b.txt", "c.txt"}, all: true, prompt: "And another", complete: true,
		},
	}
	for _, test := range tests {
		t.Run(test.file, func(t *testing.T) {
			file := filepath.Join("testdata", test.file+".jsonl")
			if got := said(t, file); !slices.Equal(got, test.said) {
				t.Errorf("said\n%s\nnot\n%s", strings.Join(got, "\n"), strings.Join(test.said, "\n"))
			}
			part, err := Read(t.Context(), file, Position{}, func([]byte, bool) error { return nil })
			if err != nil || part.Model != test.model || !reflect.DeepEqual(part.Usage, test.usage) {
				t.Errorf("%q, %+v, %v; not %q, %+v", part.Model, part.Usage, err, test.model, test.usage)
			}
			if want := strings.TrimPrefix(test.said[len(test.said)-1], "assistant: "); part.LastText != want {
				t.Errorf("the last words are %q, not %q", part.LastText, want)
			}
			wrote, err := Written(t.Context(), file)
			if err != nil || !slices.Equal(wrote.Files, test.written) || wrote.All != test.all || wrote.Prompt != test.prompt || wrote.Last.IsZero() {
				t.Errorf("%+v, %v, not %q, %t, %q", wrote, err, test.written, test.all, test.prompt)
			}
			if got, _, err := endingOf(file, false, ""); err != nil || got != test.complete {
				t.Errorf("complete: %t, %v", got, err)
			}
			if test.file == "claude" {
				own := filepath.Join("testdata", "claude-subagent.jsonl")
				if got, _, err := endingOf(own, true, ""); err != nil || !got {
					t.Errorf("a subagent's: %t, %v", got, err)
				}
			}
			var turns []string
			sum := Usage{}
			in, err := os.Open(file)
			testdir.Must(t, err)
			defer in.Close()
			if err := Turns(in, Limits{Prompt: 1000, Said: 1000, Uses: 1000}, func(turn Turn) error {
				turns = append(turns, turn.Prompt)
				sum = sum.Add(turn.Usage)
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			var prompts []string
			for _, line := range test.said {
				if prompt, ok := strings.CutPrefix(line, "user: "); ok {
					prompts = append(prompts, prompt)
				}
			}
			if !slices.Equal(turns, prompts) || !reflect.DeepEqual(sum, test.usage) {
				t.Errorf("turns %q with %+v", turns, sum)
			}
			halfway(t, file, test.usage)
		})
	}
}

// halfway reads a transcript in two parts, cut at each line: the tokens add up.
func halfway(t *testing.T, file string, want Usage) {
	t.Helper()
	data, err := os.ReadFile(file)
	testdir.Must(t, err)
	growing := filepath.Join(t.TempDir(), "growing.jsonl")
	for at, c := range data {
		if c != '\n' {
			continue
		}
		sum, pos := Usage{}, Position{}
		for _, until := range []int{at + 1, len(data)} {
			testdir.Must(t, os.WriteFile(growing, data[:until], 0o600))
			part, err := Read(context.Background(), growing, pos, func([]byte, bool) error { return nil })
			testdir.Must(t, err)
			sum, pos = sum.Add(part.Usage), part.Position
		}
		if !reflect.DeepEqual(sum, want) {
			t.Fatalf("cut at byte %d: %+v, not %+v", at, sum, want)
		}
	}
}

// TestPatched reads the files of a patch as Codex's tool takes it, in the directory of the turn.
func TestPatched(t *testing.T) {
	line := func(typ, payload string) string {
		return `{"timestamp":"2026-11-21T20:25:46.972Z","ordinal":0,"type":"` + typ + `","payload":` + payload + "}\n"
	}
	file := filepath.Join(t.TempDir(), "rollout.jsonl")
	text := line("turn_context", `{"cwd":"/r/sub","model":"m"}`) +
		line("response_item", `{"type":"message","role":"user","content":[{"type":"input_text","text":"# AGENTS.md instructions for /r"}]}`) +
		line("response_item", `{"type":"message","role":"user","content":[{"type":"input_text","text":"<environment_context>x</environment_context>"}]}`) +
		line("response_item", `{"type":"message","role":"user","content":[{"type":"input_text","text":"go"}]}`) +
		line("response_item", `{"type":"custom_tool_call","name":"apply_patch","input":"*** Begin Patch\n*** Add File: a b.txt\n+x\n*** Update File: ../old\n*** Move to: new\n*** Delete File: /abs\n*** End Patch"}`) +
		line("response_item", `{"type":"function_call","name":"update_plan","arguments":"{}"}`)
	testdir.Must(t, os.WriteFile(file, []byte(text), 0o600))
	got, err := Written(t.Context(), file)
	if want := []string{"/abs", "/r/old", "/r/sub/a b.txt", "/r/sub/new"}; err != nil || !slices.Equal(got.Files, want) || !got.All || got.Prompt != "go" {
		t.Errorf("%+v, %v, not %q", got, err, want)
	}
	if stopped, _, err := endingOf(file, false, ""); stopped || err != nil {
		t.Errorf("it waits for a tool: %t, %v", stopped, err)
	}
}
