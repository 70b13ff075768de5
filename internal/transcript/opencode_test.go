package transcript

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"entire-plumb/internal/testdir"
)

// TestOpenCode reads what our plugin writes while OpenCode is at work, line by line.
func TestOpenCode(t *testing.T) {
	const prompt = `{"timestamp":"2026-11-27T10:00:00Z","cwd":"/repo","info":{"id":"m1","role":"user"},"parts":[` +
		`{"type":"text","text":"Do it"},{"type":"text","text":"made up","synthetic":true},{"type":"text","text":"left out","ignored":true}]}`
	answer := func(info, parts string) string {
		return `{"timestamp":"2026-11-27T10:00:01Z","cwd":"/repo","info":{"id":"m2","role":"assistant","modelID":"m",` + info + `},"parts":[` + parts + `]}`
	}
	const none = `"tokens":{"input":0,"output":0,"reasoning":0,"cache":{"read":0,"write":0}}`
	const some = `"tokens":{"input":1,"output":2,"reasoning":3,"cache":{"read":4,"write":5}}`
	tool := func(name, input string) string {
		return `{"type":"tool","tool":"` + name + `","callID":"c","state":{"status":"running","input":` + input + `}}`
	}
	const output = `{"timestamp":"2026-11-27T10:00:02Z","cwd":"/repo","tool_use_id":"c","status":"completed","output":"*** Begin Patch\n*** Add File: not.txt\n+no"}`
	for name, test := range map[string]struct {
		lines    []string
		want     Wrote
		usage    Usage
		complete bool
	}{
		"at work": {[]string{answer(none, tool("write", `{"filePath":"a","content":"x\n"}`)), output},
			Wrote{Files: []string{"/repo/a"}, Texts: map[string]Texts{"/repo/a": textsOf(Edit{New: "x\n", Whole: true})}, All: true}, Usage{}, false},
		"at work in a shell": {[]string{answer(none, tool("bash", `{"command":"git commit"}`))}, Wrote{}, Usage{}, false},
		"an edit": {[]string{answer(none, tool("edit", `{"filePath":"/r/b","oldString":"1\n2\n","newString":"1\nnew\n"}`))},
			Wrote{Files: []string{"/r/b"}, Texts: map[string]Texts{"/r/b": textsOf(Edit{Old: "1\n2\n", New: "1\nnew\n", Located: true})}, All: true}, Usage{}, false},
		"a patch": {[]string{answer(none, tool("apply_patch", `{"patchText":"*** Begin Patch\n*** Update File: c\n+new\n*** End Patch"}`))},
			Wrote{Files: []string{"/repo/c"}, Texts: map[string]Texts{"/repo/c": textsOf(Edit{New: "new\n", Located: true})}, All: true}, Usage{}, false},
		"finished": {[]string{answer(none, `{"type":"text","text":"Done."}`), answer(some+`,"finish":"stop"`, ""), answer(some+`,"finish":"stop"`, "")},
			Wrote{All: true}, Usage{InputTokens: 1, CacheCreationTokens: 5, CacheReadTokens: 4, OutputTokens: 5, APICallCount: 1}, true},
		"before tools":     {[]string{answer(some+`,"finish":"tool-calls"`, "")}, Wrote{All: true}, Usage{1, 5, 4, 5, 1, nil}, false},
		"another shape":    {[]string{answer(none, tool("write", `"a"`))}, Wrote{}, Usage{}, false},
		"without a name":   {[]string{answer(none, tool("write", `{"filePath":["a"],"content":3}`))}, Wrote{}, Usage{}, false},
		"less than no use": {[]string{answer(`"tokens":{"input":-1,"output":2}`, "")}, Wrote{All: true}, Usage{}, false},
	} {
		file := filepath.Join(t.TempDir(), "t.jsonl")
		testdir.Must(t, os.WriteFile(file, []byte(prompt+"\n"+strings.Join(test.lines, "\n")+"\n"), 0o600))
		got, err := Written(t.Context(), file)
		if err != nil || !slices.Equal(got.Files, test.want.Files) || !reflect.DeepEqual(got.Texts, test.want.Texts) || got.All != test.want.All || got.Prompt != "Do it" {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
		part, err := Read(t.Context(), file, Position{}, func([]byte, bool) error { return nil })
		if err != nil || !reflect.DeepEqual(part.Usage, test.usage) || part.Model != "m" {
			t.Errorf("%s: %+v, %q, %v", name, part.Usage, part.Model, err)
		}
		if ended := got.ToItsEnd(""); ended != test.complete {
			t.Errorf("%s: ended is %t", name, ended)
		}
		if stopped, err := Interrupted(file); err != nil || stopped {
			t.Errorf("%s: interrupted, %v", name, err)
		}
	}
	for line, want := range map[string]bool{answer(none+`,"error":{"name":"MessageAbortedError"}`, ""): true, answer(none+`,"error":null`, ""): false} {
		if rec, ok := openCodeRecord([]byte(line)); !ok || rec.interrupted != want {
			t.Errorf("%s: %t, %t", line, rec.interrupted, ok)
		}
	}
	child, ok := decode([]byte(strings.Replace(answer(some, ""), `"cwd"`, `"parentID":"s","cwd"`, 1)))
	if !ok || !child.subagent || child.usage == nil || child.usage.SubagentTokens == nil || child.usage.InputTokens != 0 {
		t.Errorf("a child session's: %+v, %t", child, ok)
	}
	for _, line := range []string{`{"info":{"role":"user"},"parts":[]}`, `{"info":{"id":"a","role":"system"},"parts":[]}`, `{"info":["role"],"parts":3}`, `{"info":{"id":1,"role":"user"},"parts":[]}`} {
		if rec, ok := openCodeRecord([]byte(line)); ok {
			t.Errorf("%s is a record: %+v", line, rec)
		}
	}
	commands, known := commandsIn([]byte(answer(none, tool("bash", `{"command":"git commit -m x","description":"commit"}`))))
	if !known || len(commands) != 1 {
		t.Errorf("commands %s, %t", commands, known)
	}
}
