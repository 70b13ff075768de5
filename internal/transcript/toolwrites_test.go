package transcript

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"entire-plumb/internal/testdir"
)

// TestWrittenFailed: what a tool was refused, or failed to do, is not written; the same file by
// another use is.
func TestWrittenFailed(t *testing.T) {
	file := filepath.Join(t.TempDir(), "t.jsonl")
	edit := func(id, name, text string) string {
		return `{"type":"tool_use","id":"` + id + `","name":"Edit","input":{"file_path":"` + name + `","old_string":"","new_string":"` + text + `"}}`
	}
	text := `{"type":"user","message":{"content":"one"}}
{"type":"assistant","message":{"content":[` + edit("1", "/r/a", "refused") + `,` + edit("2", "/r/b", "made") + `]}}
{"type":"assistant","message":{"content":[` + edit("3", "/r/b", "refused") + `,{"type":"tool_use","id":"4","name":"NotebookEdit","input":{"notebook_path":"/r/n"}}]}}
{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"1","is_error":true},{"type":"tool_result","tool_use_id":"2","is_error":false}]}}
{"type":"user","message":{"content":[{"type":"tool_result","is_error":true,"tool_use_id":"3"},{"type":"tool_result","is_error":true,"tool_use_id":"4"}]}}
{"type":"user","message":{"content":[{"type":"tool_result","is_error":true,"content":"whose?"}]}}
`
	testdir.Must(t, os.WriteFile(file, []byte(text), 0o600))
	got, err := Written(t.Context(), file)
	if err != nil || !slices.Equal(got.Files, []string{"/r/b"}) || len(got.Texts) != 1 || !slices.Equal(got.Texts["/r/b"].Parts, []string{"made"}) || !got.All {
		t.Errorf("%+v %v", got, err)
	}
}

// TestFailedUses: of two uses, in each agent's form, the one that failed or was refused wrote
// nothing, in the turn or for an import.
func TestFailedUses(t *testing.T) {
	const patch = "*** Begin Patch\\n*** Add File: "
	for name, lines := range map[string][]string{
		"claude": {
			`{"type":"assistant","message":{"content":[{"type":"tool_use","id":"1","name":"Edit","input":{"file_path":"/r/a","old_string":"x","new_string":"no"}},{"type":"tool_use","id":"2","name":"Edit","input":{"file_path":"/r/a","old_string":"y","new_string":"yes"}}]}}`,
			`{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"1","is_error":true},{"type":"tool_result","tool_use_id":"2"}]}}`,
		},
		"claude, a text that is the ID of another use": {
			`{"type":"assistant","message":{"content":[{"type":"tool_use","id":"1","name":"Edit","input":{"file_path":"/r/a","old_string":"x","new_string":"no"}},{"type":"tool_use","id":"yes","name":"Read","input":{"file_path":"1"}},{"type":"tool_use","id":"2","name":"Edit","input":{"file_path":"/r/a","old_string":"1","new_string":"yes","id":"1"}}]}}`,
			`{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"1","is_error":true},{"type":"tool_result","tool_use_id":"yes","is_error":true},{"type":"tool_result","tool_use_id":"2"}]}}`,
		},
		"codex, that found no place": {
			`{"timestamp":"2026-11-29T20:27:02.376Z","type":"response_item","payload":{"type":"custom_tool_call","id":"ctc_2","status":"completed","call_id":"1","name":"apply_patch","input":"` + patch + `/r/a\n+no\n*** End Patch"}}`,
			`{"timestamp":"2026-11-29T20:27:02.426Z","type":"response_item","payload":{"type":"custom_tool_call_output","id":"ctco_0","call_id":"1","output":"apply_patch verification failed: Failed to find expected lines in /r/a:\nx"}}`,
			`{"timestamp":"2026-11-29T20:27:02.478Z","type":"response_item","payload":{"type":"custom_tool_call","id":"ctc_4","status":"completed","call_id":"2","name":"apply_patch","input":"` + patch + `/r/a\n+yes\n*** End Patch"}}`,
			`{"timestamp":"2026-11-29T20:27:02.483Z","type":"response_item","payload":{"type":"custom_tool_call_output","id":"ctco_1","call_id":"2","output":"Exit code: 1\nWall time: 0 seconds\nOutput:\nFailed to write file /r/patch rejected"}}`,
		},
		"codex, refused": {
			`{"timestamp":"2026-11-29T20:27:02.376Z","type":"response_item","payload":{"type":"custom_tool_call","call_id":"1","name":"apply_patch","input":"` + patch + `/r/a\n+no\n*** End Patch"}}`,
			`{"timestamp":"2026-11-29T20:27:02.378Z","type":"response_item","payload":{"type":"custom_tool_call","call_id":"2","name":"apply_patch","input":"` + patch + `/r/a\n+yes\n*** End Patch"}}`,
			`{"timestamp":"2026-11-29T20:27:02.426Z","type":"response_item","payload":{"type":"custom_tool_call_output","call_id":"1","output":"patch rejected by user"}}`,
		},
		"gemini": {
			`{"id":"c0","timestamp":"2026-11-29T20:27:06.382Z","type":"gemini","content":"I edit.","toolCalls":[{"id":"replace_0","name":"replace","args":{"file_path":"/r/a","old_string":"x","new_string":"no"},"result":[{"functionResponse":{"id":"replace_0","name":"replace","response":{"error":"Could not find it"}}}],"status":"error"},` +
				`{"id":"replace_1","name":"replace","args":{"file_path":"/r/a","old_string":"x","new_string":"no"},"status":"cancelled"},{"id":"write_2","name":"write_file","args":{"file_path":"/r/a","content":"yes"},"status":"success"}]}`,
		},
		"gemini, whose record comes again": {
			`{"id":"c0","timestamp":"2026-11-29T20:27:06.382Z","type":"gemini","content":"I edit.","toolCalls":[{"id":"replace_0","name":"replace","args":{"file_path":"/r/a","old_string":"x","new_string":"no"},"status":"executing"}]}`,
			`{"id":"c0","timestamp":"2026-11-29T20:27:06.382Z","type":"gemini","content":"I edit.","toolCalls":[{"id":"replace_0","name":"replace","args":{"file_path":"/r/a","old_string":"x","new_string":"no"},"status":"error"},{"id":"write_2","name":"write_file","args":{"file_path":"/r/a","content":"yes"},"status":"success"}]}`,
		},
		"qwen": {
			`{"uuid":"43","parentUuid":"44","timestamp":"2026-11-23T07:02:07.201Z","type":"assistant","cwd":"/r","model":"m","message":{"role":"model","parts":[{"functionCall":{"id":"1","name":"edit","args":{"file_path":"/r/a","old_string":"x","new_string":"no"}}},{"functionCall":{"id":"2","name":"write_file","args":{"file_path":"/r/a","content":"yes"}}}]}}`,
			`{"uuid":"8c","parentUuid":"43","timestamp":"2026-11-23T07:02:22.682Z","type":"tool_result","provenance":"tool_result","cwd":"/r","message":{"role":"user","parts":[{"functionResponse":{"id":"1","name":"edit","response":{"error":"No."}}}]},"toolCallResult":{"callId":"1","status":"error","resultDisplay":"No.","error":{},"executionStatus":"not_started"}}`,
			`{"uuid":"8d","parentUuid":"8c","timestamp":"2026-11-23T07:02:22.683Z","type":"tool_result","provenance":"tool_result","cwd":"/r","message":{"role":"user","parts":[]},"toolCallResult":{"callId":"2","status":"success"}}`,
		},
		"copilot": {
			`{"type":"assistant.message","data":{"messageId":"67","model":"gpt-5","content":"I edit.","toolRequests":[{"toolCallId":"1","name":"edit","arguments":{"path":"/r/a","old_str":"x","new_str":"no"}},{"toolCallId":"2","name":"create","arguments":{"path":"/r/a","file_text":"yes"}}]},"id":"5d","timestamp":"2026-11-29T20:27:03.488Z"}`,
			`{"type":"tool.execution_complete","data":{"toolCallId":"1","model":"gpt-5","success":false,"error":{"message":"No match found","code":"failure"}},"id":"7c","timestamp":"2026-11-29T20:27:03.497Z"}`,
			`{"type":"tool.execution_complete","data":{"toolCallId":"2","fileEdits":[{"path":"/r/a","kind":"create"}],"success":true,"result":{"content":"{\"success\":false}"}},"id":"7d","timestamp":"2026-11-29T20:27:03.498Z"}`,
		},
		"opencode, as our plugin writes it": {
			`{"timestamp":"2026-11-23T07:00:00.000Z","cwd":"/r","info":{"id":"m","role":"assistant","modelID":"m"},"parts":[{"type":"tool","tool":"edit","callID":"1","state":{"status":"running","input":{"filePath":"/r/a","oldString":"x","newString":"no"}}}]}`,
			`{"timestamp":"2026-11-23T07:00:00.100Z","cwd":"/r","tool_use_id":"1","status":"error","error":"No such text, assistant"}`,
			`{"timestamp":"2026-11-23T07:00:00.200Z","cwd":"/r","info":{"id":"m","role":"assistant","modelID":"m"},"parts":[{"type":"tool","tool":"write","callID":"2","state":{"status":"running","input":{"filePath":"/r/a","content":"yes"}}}]}`,
			`{"timestamp":"2026-11-23T07:00:00.300Z","cwd":"/r","tool_use_id":"2","status":"completed","output":"error"}`,
		},
		"opencode, as it exports": {
			`{"info":{"id":"m","role":"assistant"},"parts":[{"type":"tool","tool":"edit","callID":"1","state":{"status":"error","input":{"filePath":"/r/a","oldString":"x","newString":"no"}}},{"type":"tool","tool":"write","callID":"2","state":{"status":"completed","input":{"filePath":"/r/a","content":"yes"}}}]}`,
		},
		"pi": {
			`{"type":"message","id":"a1","timestamp":"2026-11-23T07:00:42.700Z","message":{"role":"assistant","content":[{"type":"toolCall","id":"1","name":"edit","arguments":{"path":"/r/a","edits":[{"oldText":"x","newText":"no"}]}},{"type":"toolCall","id":"2","name":"write","arguments":{"path":"/r/a","content":"yes"}}],"stopReason":"toolUse"}}`,
			`{"type":"message","id":"a2","parentId":"a1","timestamp":"2026-11-23T07:00:42.813Z","message":{"role":"toolResult","toolCallId":"1","toolName":"edit","content":[{"type":"text","text":"no such text"}],"isError":true}}`,
			`{"type":"message","id":"a3","parentId":"a2","timestamp":"2026-11-23T07:00:42.845Z","message":{"role":"toolResult","toolCallId":"2","toolName":"write","content":[{"type":"text","text":"written"}],"isError":false}}`,
		},
		"kimi": {
			`{"type":"context.append_loop_event","agentId":"main","event":{"type":"tool.call","uuid":"f7","stepUuid":"ac","toolCallId":"1","name":"Edit","args":{"path":"/r/a","old_string":"x","new_string":"no"}},"time":1795418355750}`,
			`{"type":"context.append_loop_event","agentId":"main","event":{"type":"tool.result","parentUuid":"f7","toolCallId":"1","result":{"output":"no such text","isError":true}},"time":1795418355786}`,
			`{"type":"context.append_loop_event","agentId":"main","event":{"type":"tool.call","uuid":"f8","stepUuid":"ad","toolCallId":"2","name":"Write","args":{"path":"/r/a","content":"yes"}},"time":1795418355790}`,
			`{"type":"context.append_loop_event","agentId":"main","event":{"type":"tool.result","parentUuid":"f8","toolCallId":"2","result":{"output":"written"}},"time":1795418355796}`,
		},
	} {
		file := filepath.Join(t.TempDir(), "t.jsonl")
		testdir.Must(t, os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o600))
		got, err := WrittenEver(t.Context(), file, 0)
		texts := got.Texts["/r/a"].With(Texts{})
		if all := append(texts.Parts, texts.Wholes...); err != nil || len(all) != 1 || strings.TrimSpace(all[0]) != "yes" || !slices.Equal(got.Files, []string{"/r/a"}) || !got.All {
			t.Errorf("%s: %+v %v", name, got, err)
		}
		var imported []string
		err = WrittenTexts(t.Context(), file, func(w WrittenText) { imported = append(imported, strings.TrimSpace(w.Text)) })
		if err != nil || !slices.Equal(imported, []string{"yes"}) {
			t.Errorf("%s: imported %q %v", name, imported, err)
		}
	}
}

// TestInterruptedUses: Claude Code calls a tool refused, too, where the user interrupts a hook that
// follows it: the file tells.
func TestInterruptedUses(t *testing.T) {
	dir := t.TempDir()
	use := func(id, name, input string) string {
		return `{"type":"assistant","message":{"content":[{"type":"tool_use","id":"` + id + `","name":"` + name + `","input":{"file_path":"` + filepath.ToSlash(filepath.Join(dir, id)) + `",` + input + `}}]}}
{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"` + id + `","is_error":true}]}}
`
	}
	text := use("whole", "Write", `"content":"all\n"`) + use("refused", "Write", `"content":"all\n"`) + use("part", "Edit", `"old_string":"old","new_string":"new"`) +
		use("shorter", "Edit", `"old_string":"one two","new_string":"one"`) + use("none", "Write", `"content":""`)
	for name, content := range map[string]string{"whole": "all\n", "refused": "mine\n", "part": "a new one\n", "shorter": "one two\n"} {
		testdir.Must(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
	}
	const interrupted = `{"type":"user","timestamp":"2026-01-02T03:04:05Z","message":{"content":[{"type":"text","text":"[Request interrupted by user for tool use]"}]}}
`
	for more, want := range map[string][]string{"": nil, interrupted: {filepath.Join(dir, "part"), filepath.Join(dir, "whole")}} {
		file := filepath.Join(t.TempDir(), "t.jsonl")
		testdir.Must(t, os.WriteFile(file, []byte(text+more), 0o600))
		got, err := Written(t.Context(), file)
		for i, name := range got.Files {
			got.Files[i] = filepath.FromSlash(name)
		}
		if err != nil || !slices.Equal(got.Files, want) || len(got.Texts) != len(want) {
			t.Errorf("%q: %+v %v", more, got, err)
		}
	}
}

// TestFailedCommand: a shell command that failed may have written any file.
func TestFailedCommand(t *testing.T) {
	for _, name := range []string{"qwen", "opencode", "pi", "kimi"} { // in each, a command of the last turn but one failed
		if got, err := WrittenEver(t.Context(), filepath.Join("testdata", name+".jsonl"), 0); err != nil || got.All {
			t.Errorf("%s: %+v %v", name, got, err)
		}
	}
}

func TestWritten(t *testing.T) {
	file := filepath.Join(t.TempDir(), "t.jsonl")
	const text = `{"type":"user","message":{"content":"one"}}
{"type":"assistant","message":{"content":[{"type":"tool_use","name":"Write","input":{"file_path":"/r/before"}}]}}
{"type":"user","message":{"content":"two"}}
{"type":"assistant","message":{"content":[{"type":"text","text":"x"},{"type":"tool_use","name":"Edit","input":{"file_path":"/r/b c","old_string":"\"tool_use\""}}]}}
{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"1","content":"/r/other"}]}}
{"type":"assistant","message":{"content":[{"type":"tool_use","name":"Read","input":{"file_path":"/r/read"}}]}}
{"type":"assistant","isSidechain":true,"message":{"content":[{"type":"tool_use","name":"NotebookEdit","input":{"notebook_path":"/r/a"}}]}}
{"type":"user","isSidechain":true,"message":{"content":"a subagent's prompt"}}
{"type":"assistant","message":{"content":[{"type":"tool_use","name":"Edit","input":{"file_path":["not a name"]}}]}}
{"type":"assistant","message":{"content":[{"type":"tool_use","name":"Edit","input":{"file_path":"/r/b c"}}]}}
{"type":"assistant","message":{"content":[{"type":"tool_use","name":"Wri`
	testdir.Must(t, os.WriteFile(file, []byte(text), 0o600))
	got, err := Written(t.Context(), file)
	if want := []string{"/r/a", "/r/b c"}; err != nil || !slices.Equal(got.Files, want) || got.All {
		t.Errorf("%+v, %v, not %q", got, err, want)
	}
	for tool, all := range map[string]bool{"Grep": true, "TaskUpdate": true, "Bash": false, "mcp__some__thing": false} {
		text := `{"type":"user","message":{"content":"two"}}
{"type":"assistant","message":{"content":[{"type":"tool_use","name":"Write","input":{"file_path":"/r/a"}},{"type":"tool_use","name":"` + tool + `","input":{}}]}}
`
		testdir.Must(t, os.WriteFile(file, []byte(text), 0o600))
		if got, err := Written(t.Context(), file); err != nil || got.All != all || len(got.Files) != 1 {
			t.Errorf("%s: %+v %v", tool, got, err)
		}
	}
	testdir.Must(t, os.WriteFile(file, []byte(text), 0o600))
	for tool, effect := range effects {
		if effect != writes {
			continue
		}
		text := `{"type":"assistant","message":{"content":[{"type":"tool_use","name":"` + tool + `","input":{"file_path":"/r/x"}}]}}` + "\n"
		testdir.Must(t, os.WriteFile(file, []byte(text), 0o600))
		if got, err := Written(t.Context(), file); err != nil || !got.All || !slices.Equal(got.Files, []string{"/r/x"}) {
			t.Errorf("%s: %+v %v", tool, got, err)
		}
	}
	next := `{"type":"user","message":{"content":"three"}}` + "\n"
	for more, want := range map[string][]string{"": {"/r/a", "/r/b c"}, next: {"/r/a", "/r/b c"},
		next + `{"type":"assistant","message":{"content":[{"type":"text","text":"x"}]}}` + "\n": nil} {
		whole := text[:strings.LastIndex(text, "\n")+1] + more
		testdir.Must(t, os.WriteFile(file, []byte(whole), 0o600))
		if got, err := WrittenInAnswer(t.Context(), file, 0); err != nil || !slices.Equal(got.Files, want) {
			t.Errorf("%q: %+v, %v, not %q", more, got, err, want)
		}
	}
	testdir.Must(t, os.WriteFile(file, []byte(text), 0o600))
	for after, want := range map[int64][]string{
		0: {"/r/a", "/r/b c", "/r/before"},
		int64(strings.Index(text, `{"type":"user","message":{"content":"two"`)): {"/r/a", "/r/b c"},
		int64(len(text)): nil,
		1 << 20:          {"/r/a", "/r/b c", "/r/before"}, // it became shorter
	} {
		if got, err := WrittenAfter(t.Context(), file, after); err != nil || !slices.Equal(got.Files, want) {
			t.Errorf("after %d: %+v, %v, not %q", after, got, err, want)
		}
	}
	if _, err := Written(t.Context(), file+".none"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

// TestUsed: a turn without a tool is known to have none where each record of the format has them
// all, as those of Claude Code's with its version.
func TestUsed(t *testing.T) {
	const prompt = `{"type":"user","version":"2.1.197","message":{"content":"Explain"}}` + "\n"
	for name, c := range map[string]struct {
		answer string
		used   bool
	}{
		"a version":    {`{"type":"assistant","version":"2.1.197","message":{"content":[{"type":"text","text":"It is."}]}}`, true},
		"no version":   {`{"type":"assistant","message":{"content":[{"type":"text","text":"It is."}]}}`, false},
		"no answer":    {"", false},
		"a tool":       {`{"type":"assistant","message":{"content":[{"type":"tool_use","name":"Read","input":{}}]}}`, true},
		"a subagent's": {`{"type":"assistant","isSidechain":true,"version":"2.1.197","message":{"content":[{"type":"text","text":"It is."}]}}`, true},
	} {
		w, err := Written(t.Context(), file(t, prompt+c.answer+"\n"))
		if err != nil || w.Used != c.used || !w.All {
			t.Errorf("%s: used %t, all %t (%v)", name, w.Used, w.All, err)
		}
	}
}

// TestWroteOver: of a tool that was given all of a file, the text that its result says was there
// before is none of the tool's. Without such a text, all is.
func TestWroteOver(t *testing.T) {
	part := textsOf(Edit{Old: "typed\n", New: "typed\nmine\n", Located: true})
	whole := textsOf(Edit{New: "typed\nmine\n", Whole: true})
	for name, c := range map[string]struct {
		lines []string
		want  Texts
	}{
		"claude": {[]string{
			`{"type":"assistant","message":{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"Write","input":{"file_path":"/r/a","content":"typed\nmine\n"}}]}}`,
			`{"type":"user","message":{"role":"user","content":[{"tool_use_id":"1","type":"tool_result","content":"ok"}]},"toolUseResult":{"type":"update","filePath":"/r/a","originalFile":"typed\n"}}`,
		}, part},
		"claude, a new file": {[]string{
			`{"type":"assistant","message":{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"Write","input":{"file_path":"/r/a","content":"typed\nmine\n"}}]}}`,
			`{"type":"user","message":{"role":"user","content":[{"tool_use_id":"1","type":"tool_result","content":"ok"}]},"toolUseResult":{"type":"create","filePath":"/r/a","originalFile":null}}`,
		}, whole},
		"claude, another use": {[]string{
			`{"type":"assistant","message":{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"Write","input":{"file_path":"/r/a","content":"typed\nmine\n"}}]}}`,
			`{"type":"user","message":{"role":"user","content":[{"tool_use_id":"2","type":"tool_result","content":"ok"}]},"toolUseResult":{"type":"update","filePath":"/r/a","originalFile":"typed\n"}}`,
		}, whole},
		"claude, a part": {[]string{
			`{"type":"assistant","message":{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"Edit","input":{"file_path":"/r/a","old_string":"typed\n","new_string":"typed\nmine\n"}}]}}`,
			`{"type":"user","message":{"role":"user","content":[{"tool_use_id":"1","type":"tool_result","content":"ok"}]},"toolUseResult":{"filePath":"/r/a","originalFile":"one\ntyped\n"}}`,
		}, part},
		"qwen": {[]string{
			`{"uuid":"43","parentUuid":"44","timestamp":"2026-11-23T07:02:07.201Z","type":"assistant","cwd":"/r","model":"m","message":{"role":"model","parts":[{"functionCall":{"id":"1","name":"write_file","args":{"file_path":"/r/a","content":"typed\nmine\n"}}}]}}`,
			`{"uuid":"8c","parentUuid":"43","timestamp":"2026-11-23T07:02:22.682Z","type":"tool_result","provenance":"tool_result","cwd":"/r","message":{"role":"user","parts":[]},"toolCallResult":{"callId":"1","status":"success","resultDisplay":{"filePath":"/r/a","originalContent":"typed\n"}}}`,
		}, part},
		"gemini": {[]string{
			`{"id":"c0","timestamp":"2026-11-29T20:27:06.382Z","type":"gemini","content":"I write.","toolCalls":[{"id":"1","name":"write_file","args":{"file_path":"/r/a","content":"typed\nmine\n"},"status":"success","resultDisplay":{"filePath":"/r/a","originalContent":"typed\n"}},{"id":"2","name":"read_file","args":{"absolute_path":"/r/a"},"status":"success","resultDisplay":"read"}]}`,
		}, part},
	} {
		file := filepath.Join(t.TempDir(), "t.jsonl")
		testdir.Must(t, os.WriteFile(file, []byte(strings.Join(c.lines, "\n")+"\n"), 0o600))
		w, err := WrittenEver(t.Context(), file, 0)
		got := w.Texts["/r/a"]
		if got.Found = nil; err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, %v, want %+v", name, got, err, c.want)
		}
	}
}
