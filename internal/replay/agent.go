package replay

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"entire-plumb/gitexec"
	"entire-plumb/internal/settings"
)

// agent makes a verb of one of Claude Code's events; usage begins with the verb. As the agent
// would, a prompt writes the user's words to the session's transcript, and a stop the agent's,
// before the hook is called.
func agent(event, usage string) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, neg bool, args []string) {
		if len(args) < 1 || len(args) > 2 {
			ts.Fatalf("usage: %s", usage)
		}
		session, text := args[0], strings.Join(args[1:], "")
		if file, ok := strings.CutPrefix(text, "<"); ok {
			text = ts.ReadFile(file)
		}
		transcript := transcriptOf(ts, session)
		payload := map[string]any{"session_id": session, "transcript_path": transcript, "cwd": ts.MkAbs("."), "hook_event_name": event}
		switch event {
		case "user-prompt-submit":
			payload["prompt"] = text
			record(ts, transcript, userRecord(text))
		case "stop":
			record(ts, transcript, assistantRecord(session, count(transcript), text))
			payload["stop_hook_active"] = strings.HasPrefix(usage, "continue ")
		case "session-start":
			payload["source"] = "startup"
		}
		agentHook(ts, neg, event, session, payload)
	}
}

// transcriptOf is where a session's transcript is.
func transcriptOf(ts *testscript.TestScript, session string) string {
	return filepath.Join(ts.Getenv("HOME"), "transcripts", session+".jsonl")
}

// agentHook calls the hook of an event. The hook exits with 0, and says on stderr that it failed.
func agentHook(ts *testscript.TestScript, neg bool, event, session string, payload map[string]any) {
	data, err := json.Marshal(payload)
	ts.Check(err)
	in := filepath.Join(ts.Getenv("HOME"), "payload.json")
	ts.Check(os.WriteFile(in, data, 0o600))
	before := indexNow(ts)
	err = ts.Exec("sh", "-c", `exec entire-plumb hooks claude-code "$1" <"$2"`, "sh", event, in)
	if err == nil && strings.Contains(ts.ReadFile("stderr"), "; the agent is not affected\n") {
		err = errors.New("the hook says that it failed")
	}
	expect(ts, neg, err, event+" of "+session)
	if indexNow(ts) != before && !commitsTurns(ts) {
		ts.Fatalf("%s touched the user's index", event)
	}
}

// task EVENT SESSION TOOL-USE INPUT [RESPONSE [MORE]]: a hook about a tool's use: pre-task,
// post-task or post-todo; input and response are JSON, and so are more of the event's keys.
func task(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 4 || len(args) > 6 {
		ts.Fatalf("usage: task EVENT SESSION TOOL-USE INPUT [RESPONSE [MORE]]")
	}
	payload := map[string]any{"session_id": args[1], "transcript_path": transcriptOf(ts, args[1]), "cwd": ts.MkAbs("."),
		"tool_use_id": args[2], "tool_input": json.RawMessage(args[3])}
	if len(args) > 4 {
		payload["tool_response"] = json.RawMessage(args[4])
	}
	if len(args) > 5 {
		ts.Check(json.Unmarshal([]byte(args[5]), &payload))
	}
	agentHook(ts, neg, args[0], args[1], payload)
}

// subagent SESSION AGENT TEXT TOKENS: a subagent's transcript, beside the session's, in which it
// says a text that took tokens.
func subagent(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, neg, len(args) == 4, "subagent SESSION AGENT TEXT TOKENS")
	tokens, err := strconv.Atoi(args[3])
	ts.Check(err)
	record(ts, transcriptOf(ts, "agent-"+args[1]),
		map[string]any{"type": "assistant", "isSidechain": true, "message": map[string]any{
			"id": "msg_" + args[1], "role": "assistant", "content": []any{map[string]any{"type": "text",
				"text": args[2]}}, "usage": map[string]any{"input_tokens": tokens, "output_tokens": 1}}})
}

// indexNow is the user's index, byte for byte, with its time stamp; empty where there is none.
func indexNow(ts *testscript.TestScript) string {
	file := filepath.Join(ts.MkAbs("."), ".git", "index")
	data, err := os.ReadFile(file)
	info, err2 := os.Stat(file)
	if err != nil || err2 != nil {
		return ""
	}
	return string(data) + info.ModTime().String()
}

// commitsTurns reports whether the strategy is the one whose purpose it is to write the index, as a
// commit does.
func commitsTurns(ts *testscript.TestScript) bool {
	for _, name := range []string{"settings.json", "settings.local.json"} {
		var said struct{ Strategy string }
		data, err := os.ReadFile(filepath.Join(ts.MkAbs("."), settings.Dir, name))
		if err == nil && json.Unmarshal(data, &said) == nil && said.Strategy == settings.AutoCommit {
			return true
		}
	}
	return ts.Exec("git", "config", "--get", gitexec.Section+".strategy", "^"+settings.AutoCommit+"$") == nil
}

// use SESSION FILE…: the agent's transcript says that its tools wrote these files; nothing else
// happens.
func use(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, neg, len(args) >= 2, "use SESSION FILE…")
	for _, file := range args[1:] {
		usesTool(ts, args[0], "Write", map[string]any{"file_path": ts.MkAbs(file)})
	}
}

// usesTool says in a session's transcript that the agent used a tool.
func usesTool(ts *testscript.TestScript, session, tool string, input map[string]any) {
	record(ts, transcriptOf(ts, session), map[string]any{"type": "assistant", "message": map[string]any{"role": "assistant",
		"content": []any{map[string]any{"type": "tool_use", "name": tool, "input": input}}}})
}

// edit SESSION FILE LINE…: the agent's tool appends these lines to the file, as its transcript
// says.
func edit(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, neg, len(args) >= 3, "edit SESSION FILE LINE…")
	put(ts, args[1], os.O_APPEND, args[2:])
	usesTool(ts, args[0], "Edit", map[string]any{"file_path": ts.MkAbs(args[1]), "old_string": "", "new_string": strings.Join(args[2:], "\n")})
}

// run SESSION COMMAND: the agent's transcript says that it ran a shell command; nothing else
// happens.
func shell(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, neg, len(args) == 2, "run SESSION COMMAND")
	usesTool(ts, args[0], "Bash", map[string]any{"command": args[1]})
}

func userRecord(text string) any {
	return map[string]any{"type": "user", "message": map[string]any{"role": "user", "content": text}}
}

func assistantRecord(session string, n int, text string) any {
	if text == "" {
		text = "Done."
	}
	return map[string]any{"type": "assistant", "message": map[string]any{
		"id": "msg_" + session + "_" + string(rune('a'+n%26)), "role": "assistant", "model": "claude-test", "stop_reason": "end_turn",
		"content": []any{map[string]any{"type": "text", "text": text}},
		"usage":   map[string]any{"input_tokens": 10, "cache_creation_input_tokens": 2, "cache_read_input_tokens": 3, "output_tokens": 5},
	}}
}

func record(ts *testscript.TestScript, transcript string, r any) {
	line, err := json.Marshal(r)
	ts.Check(err)
	ts.Check(os.MkdirAll(filepath.Dir(transcript), 0o755))
	f, err := os.OpenFile(transcript, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	ts.Check(err)
	_, err = f.Write(append(line, '\n'))
	ts.Check(err)
	ts.Check(f.Close())
}

func count(transcript string) int {
	data, _ := os.ReadFile(transcript)
	return strings.Count(string(data), "\n")
}
