package hooks

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/agent"
	"entire-plumb/internal/session"
	"entire-plumb/internal/testdir"
	"entire-plumb/internal/transcript"
	"entire-plumb/internal/workspace"
)

// TestFixtures gives the hooks what real agents sent theirs, with the files that their tools wrote
// and the transcripts as they were then.
func TestFixtures(t *testing.T) {
	for _, test := range []struct {
		file    string
		agent   agent.Agent
		id      string
		prompts string
		tokens  transcript.Usage
		touched []gitexec.Path
		model   string
	}{
		{"claude", agent.ClaudeCode, "70547e91-2682-4b79-9d0e-0e009e3f734b", "Delegate [play:cl1]",
			transcript.Usage{InputTokens: 400, CacheCreationTokens: 80, CacheReadTokens: 12000, OutputTokens: 28, APICallCount: 4,
				SubagentTokens: &transcript.Usage{InputTokens: 200, CacheCreationTokens: 40, CacheReadTokens: 6000, OutputTokens: 14, APICallCount: 2}},
			[]gitexec.Path{"helper.txt"}, "claude-opus-4-8"},
		{"codex", agent.Codex, "01a1ffc9-534c-7492-9a67-eff6c2e89dbe", "First [play:cx1]" + session.PromptSeparator + "Second [play:cx2]",
			transcript.Usage{InputTokens: 400, CacheReadTokens: 12000, OutputTokens: 28, APICallCount: 4}, []gitexec.Path{"one.txt"}, "gpt-5.4"},
		{"gemini", agent.Gemini, "e0a4577d-d91f-4bca-b3ae-d895ed21e2c5", "First [play:gm1]" + session.PromptSeparator + "Second [play:gm2]",
			transcript.Usage{InputTokens: 600, CacheReadTokens: 18000, OutputTokens: 42, APICallCount: 6},
			[]gitexec.Path{"README.md", "one.txt", "two.txt"}, "gemini-2.5-pro"},
		{"copilot", agent.Copilot, "211c2be9-cb38-48c2-8578-04a47a0c6ac2", "First [play:cp1]" + session.PromptSeparator + "Second [play:cp2]",
			transcript.Usage{InputTokens: 800, CacheReadTokens: 24000, OutputTokens: 56, APICallCount: 8,
				SubagentTokens: &transcript.Usage{InputTokens: 200, CacheReadTokens: 6000, OutputTokens: 14, APICallCount: 2}},
			[]gitexec.Path{"README.md", "helper.txt", "one.txt", "two.txt"}, "gpt-5"},
		{"qwen", agent.Qwen, "5e847694-027c-4966-ab07-1ace9ac5c867", "First [play:qw1]" + session.PromptSeparator + "Second [play:qw2]",
			transcript.Usage{InputTokens: 1000, CacheReadTokens: 30000, OutputTokens: 70, APICallCount: 10},
			[]gitexec.Path{"README.md", "helper.txt", "one.txt", "two.txt"}, "fake-model"},
		{"kimi", agent.Kimi, "session_53fa0c89-1ab2-4442-a277-ed652976c306", "Go [play:k2]" + session.PromptSeparator + "Again hello",
			transcript.Usage{InputTokens: 400, CacheReadTokens: 12000, OutputTokens: 28, APICallCount: 4,
				SubagentTokens: &transcript.Usage{InputTokens: 200, CacheReadTokens: 6000, OutputTokens: 14, APICallCount: 2}},
			[]gitexec.Path{"helper.txt"}, "fake-model"},
	} {
		t.Run(test.file, func(t *testing.T) {
			dir, home := enabledRepo(t), t.TempDir()
			plain := strings.NewReplacer(`"/repo`, `"`+dir, "/home/user", home)
			events := fixture(t, filepath.Join("testdata", test.file+"-events.jsonl"), plain)
			log := fixture(t, filepath.Join("..", "internal", "transcript", "testdata", test.file+".jsonl"), plain)
			heard := map[string]bool{}
			stops, delegated := 0, false
			for _, line := range events {
				e, line := readEvent(t, line)
				if e.Transcript == "" { // it isn't named in all events
					e.Transcript = filepath.Join(home, ".copilot/session-state", test.id, "events.jsonl")
					if test.file == "kimi" {
						e.Transcript = filepath.Join(home, ".kimi-code/sessions/wd_repo_1", test.id, "agents/main/wire.jsonl")
					}
				}
				e.write(t, dir)
				verb := verbOf(test.agent, e)
				if verb == "" {
					continue
				}
				heard[verb] = true
				working := test.file == "kimi" && delegated
				if verb == agent.Stop && e.Parent == "" && !working {
					stops++
				}
				delegated = verb == agent.TaskStart || delegated && verb != agent.TaskEnd
				put(t, e.Transcript, strings.Join(log[:until(t, log, stops)], ""))
				if working { // its transcript ends with the call
					put(t, e.Transcript, strings.Join(log[:slices.IndexFunc(log, func(line string) bool { return strings.Contains(line, `"subagent.spawned"`) })+1], ""))
				}
				if test.file == "kimi" {
					put(t, filepath.Join(filepath.Dir(e.Transcript), "../agent-0/wire.jsonl"),
						strings.Join(fixture(t, "../internal/transcript/testdata/kimi-subagent.jsonl", plain), ""))
				}
				if test.file == "claude" {
					put(t, strings.TrimSuffix(e.Transcript, ".jsonl")+"/subagents/agent-af84124c5ef647b79.jsonl",
						strings.Join(fixture(t, "../internal/transcript/testdata/claude-subagent.jsonl", plain), ""))
				}
				said := new(bytes.Buffer)
				env := Env{Env: workspace.Env{Dir: dir, Stdin: strings.NewReader(line), Stdout: said, Stderr: said, NewID: workspace.RandomID,
					Getenv: func(name string) string { return map[string]string{"HOME": home}[name] }, Now: time.Now}}
				if err := env.Agent(context.Background(), test.agent, verb); err != nil || said.Len() > 0 {
					t.Errorf("%s: %v, it says %q", verb, err, said)
				}
			}
			phase := session.Ended
			if test.agent.Name == agent.Qwen.Name || test.agent.Name == agent.Kimi.Name { // run once, they send no end
				heard[agent.SessionEnd], phase = true, session.Idle
			}
			for _, verb := range []string{agent.SessionStart, agent.Prompt, agent.Stop, agent.SessionEnd} {
				if !heard[verb] {
					t.Errorf("no event was %s", verb)
				}
			}
			repo, err := gitexec.Discover(context.Background(), dir, nil)
			testdir.Must(t, err)
			store := session.Store{Dir: workspace.StateDir(repo)}
			s, err := store.Load(test.id)
			testdir.Must(t, err)
			if all, err := store.List(); err != nil || len(all) != 1 {
				t.Errorf("%d sessions, %v", len(all), err)
			}
			// A turn that changes nothing is read with the next one.
			rest, err := transcript.Read(t.Context(), s.TranscriptPath, s.Recorded, func([]byte, bool) error { return nil })
			testdir.Must(t, err)
			prompts, _ := store.ReadPrompts(test.id)
			if s.AgentType != test.agent.Title || s.ModelName != test.model && rest.Model != test.model || s.Phase != phase || string(prompts) != test.prompts {
				t.Errorf("%s, %s, %s, prompts %q", s.AgentType, s.ModelName, s.Phase, prompts)
			}
			if !slices.Equal(s.FilesTouched, test.touched) {
				t.Errorf("touched %q, not %q", s.FilesTouched, test.touched)
			}
			got, _ := json.Marshal(s.TokenUsage.Add(rest.Usage))
			want, _ := json.Marshal(test.tokens)
			if string(got) != string(want) {
				t.Errorf("tokens %s\nnot    %s", got, want)
			}
		})
	}
}

// fixtureEvent is what a fixture's event says of itself and of a tool.
type fixtureEvent struct {
	Name       string `json:"hook_event_name"`
	Transcript string `json:"transcript_path"`
	Tool       string `json:"tool_name"`
	Input      struct {
		File    string `json:"file_path"`
		Path    string `json:"path"` // Kimi Code's
		Content string `json:"content"`
		Command string `json:"command"`
		New     string `json:"new_string"`
	} `json:"tool_input"`

	// Copilot CLI's
	CamelTranscript string `json:"transcriptPath"`
	Parent          string `json:"parentAgentId"`
	CamelInput      struct {
		File    string `json:"path"`
		Content string `json:"file_text"`
		Command string `json:"command"`
		New     string `json:"new_str"`
	} `json:"toolArgs"`
}

// readEvent reads a line, and returns what the hook was sent. Copilot CLI's events don't have their
// name: it stands before them.
func readEvent(t *testing.T, line string) (e fixtureEvent, sent string) {
	t.Helper()
	name, sent, named := strings.Cut(line, "\t")
	if !named {
		sent = line
	}
	testdir.Must(t, json.Unmarshal([]byte(sent), &e))
	if named {
		e.Name, e.Transcript = name, e.CamelTranscript
		e.Input.File, e.Input.Content, e.Input.Command, e.Input.New = e.CamelInput.File, e.CamelInput.Content, e.CamelInput.Command, e.CamelInput.New
	}
	return e, sent
}

var redirected = regexp.MustCompile(`> (one|two)\.txt`)

// write does what the tool did.
func (e fixtureEvent) write(t *testing.T, dir string) {
	if e.Name != "PostToolUse" && e.Name != "AfterTool" && e.Name != "postToolUse" {
		return
	}
	if e.Input.File = cmp.Or(e.Input.File, e.Input.Path); e.Input.File != "" {
		put(t, e.Input.File, e.Input.Content+e.Input.New+"\n")
	}
	if file := redirected.FindStringSubmatch(e.Input.Command); file != nil {
		put(t, filepath.Join(dir, file[1]+".txt"), "1\n2\n3\n")
	}
}

// verbOf is the verb that the agent's settings call for an event; empty: none.
func verbOf(a agent.Agent, e fixtureEvent) string {
	for _, row := range a.Events {
		// Claude Code's matcher Task meets the tool Agent, too.
		matcher := strings.Split(strings.ReplaceAll(row.Matcher, "Task", "Agent"), "|")
		if row.Name == e.Name && (row.Matcher == "" || slices.Contains(matcher, e.Tool)) {
			return row.Verb
		}
	}
	return ""
}

// until counts the lines of a transcript before the prompt that comes after so many stops.
func until(t *testing.T, log []string, stops int) int {
	t.Helper()
	begins := []int{}
	if err := transcript.Turns(strings.NewReader(strings.Join(log, "")), transcript.Limits{Prompt: 100, Said: 100}, func(turn transcript.Turn) error {
		begins = append(begins, turn.First)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if stops < len(begins) {
		return begins[stops]
	}
	return len(log)
}

func fixture(t *testing.T, file string, plain *strings.Replacer) []string {
	t.Helper()
	data, err := os.ReadFile(file)
	testdir.Must(t, err)
	return strings.SplitAfter(strings.TrimSuffix(plain.Replace(string(data)), "\n"), "\n")
}

func put(t *testing.T, file, text string) {
	t.Helper()
	testdir.Must(t, os.MkdirAll(filepath.Dir(file), 0o755))
	testdir.Must(t, os.WriteFile(file, []byte(text), 0o600))
}
