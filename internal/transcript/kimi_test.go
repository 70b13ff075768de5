package transcript

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"entire-plumb/internal/testdir"
)

// TestKimi: what a subagent of Kimi Code's wrote is in a directory beside the main agent's; its stop
// is none of the main agent's, and an interruption and a prompt within a turn are known.
func TestKimi(t *testing.T) {
	agents := t.TempDir()
	put := func(agent, text string) string {
		t.Helper()
		file := filepath.Join(agents, agent, "wire.jsonl")
		testdir.Must(t, os.MkdirAll(filepath.Dir(file), 0o755))
		testdir.Must(t, os.WriteFile(file, []byte(text), 0o600))
		return file
	}
	const (
		prompt  = `{"type":"turn.prompt","agentId":"main","input":[{"type":"text","text":"Go"}],"origin":{"kind":"user"},"time":1795418354472}` + "\n"
		call    = `{"type":"context.append_loop_event","agentId":"main","event":{"type":"tool.call","stepUuid":"s1","toolCallId":"c1","name":"Agent","args":{"prompt":"p"}},"time":1795418354900}` + "\n"
		edit    = `{"type":"context.append_loop_event","agentId":"main","event":{"type":"tool.call","stepUuid":"s2","toolCallId":"c2","name":"Edit","args":{"path":"/repo/e","old_string":"a\nb\n","new_string":"a\nB\n"}},"time":1795418355900}` + "\n"
		result  = `{"type":"context.append_loop_event","agentId":"main","event":{"type":"tool.result","toolCallId":"c1","result":{"output":"[main 1a2b3c4] x"}},"time":1795418355000}` + "\n"
		steer   = `{"type":"turn.steer","agentId":"main","input":[{"type":"text","text":"Also this"}],"origin":{"kind":"user","inTurn":true},"time":1795418356000}` + "\n"
		done    = `{"type":"context.append_loop_event","agentId":"main","event":{"type":"step.end","uuid":"s2","finishReason":"end_turn"},"time":1795418357000}` + "\n"
		aborted = `{"type":"turn.ended","agentId":"main","turnId":0,"reason":"cancelled","time":1795418358000}` + "\n"
	)
	main := put("main", prompt+call)
	helper, err := os.ReadFile("testdata/kimi-subagent.jsonl")
	testdir.Must(t, err)
	sub := put("agent-0", string(helper))
	if got := OfSubagent(main, "agent-0"); got != sub {
		t.Errorf("the subagent's is %s, not %s", got, sub)
	}
	put("main", prompt+call+`{"type":"subagent.spawned","subagentId":"agent-0","parentToolCallId":"c1","time":1795418354950}`+"\n")
	if got := Spawned(t.Context(), main); !slices.Equal(got, []SpawnedAgent{{"agent-0", "c1"}}) || !EndedOfSubagent(sub, "") {
		t.Errorf("subagents %v", got)
	}
	if !GoesOn(main) {
		t.Error("a stop in a task is not the subagent's")
	}
	put("main", prompt+call+result+edit+steer)
	wrote, err := Written(t.Context(), main)
	if err != nil || !wrote.All || !slices.Equal(wrote.Files, []string{"/repo/e", "/repo/helper.txt"}) {
		t.Errorf("%+v, %v", wrote, err)
	}
	if texts := wrote.Texts["/repo/e"]; !slices.Equal(texts.Parts, []string{"B\n"}) || !slices.Equal(wrote.Texts["/repo/helper.txt"].Wholes, []string{"h\n"}) {
		t.Errorf("texts %+v", wrote.Texts)
	}
	part, err := Read(t.Context(), main, Position{}, func([]byte, bool) error { return nil })
	if err != nil || !slices.Equal(part.Queued, []string{"Also this"}) {
		t.Errorf("queued %q, %v", part.Queued, err)
	}
	part, err = Read(t.Context(), sub, Position{}, func([]byte, bool) error { return nil })
	if err != nil || part.Usage.SubagentTokens == nil || part.Usage.SubagentTokens.OutputTokens != 14 {
		t.Errorf("the subagent's tokens are %+v, %v", part.Usage, err)
	}
	var when []time.Time
	testdir.Must(t, WrittenTexts(t.Context(), main, func(w WrittenText) { when = append(when, w.When) }))
	if len(when) != 1 || when[0].UnixMilli() != 1795418355900 {
		t.Errorf("times %v", when)
	}
	put("main", prompt+done)
	if GoesOn(main) {
		t.Error("the end of a turn is none")
	}
	for _, text := range []string{"", `{"type":"of.newer.versions","agentId":"main"}` + "\n"} {
		if put("main", text); GoesOn(main) {
			t.Errorf("%q tells that the agent is at work", text)
		}
	}
	put("main", prompt+edit+aborted)
	if interrupted, err := Interrupted(main); err != nil || !interrupted {
		t.Errorf("interrupted: %t, %v", interrupted, err)
	}
	put("main", prompt+`{"type":"context.append_loop_event","agentId":"main","event":{"type":"tool.call","name":"Bash","args":{"command":"git commit -m x"}},"time":1795418354900}`+"\n"+result)
	commands, err := CommandsRun(t.Context(), main, map[string]string{"1a2b3c4d5e": "x"})
	if err != nil || !commands.Commit || !slices.Equal(commands.Named, []string{"1a2b3c4d5e"}) {
		t.Errorf("%+v, %v", commands, err)
	}
}
