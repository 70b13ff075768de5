package transcript

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The texts that tools were asked to write are found in the records of each agent; what tools
// answered is not.
func TestWrittenTexts(t *testing.T) {
	records := []string{
		`{"type":"user","cwd":"/w","message":{"role":"user","content":"Go"}}`,
		`{"type":"assistant","cwd":"/w","timestamp":"2026-01-02T10:00:00Z","message":{"id":"m","role":"assistant","content":[{"type":"tool_use","id":"1","name":"Write","input":{"file_path":"/w/a","content":"one\ntwo"}}]}}`,
		`{"type":"assistant","message":{"id":"m","role":"assistant","content":[{"type":"tool_use","id":"2","name":"MultiEdit","input":{"file_path":"b","edits":[{"old_string":"x","new_string":"three"},{"old_string":"y","new_string":"four"}]}}]}}`,
		`{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":"{\"file_path\":\"/w/no\",\"content\":\"no\"}"}]},"toolUseResult":{"file_path":"/w/no","content":"no"}}`,
		`{"type":"response_item","payload":{"type":"custom_tool_call","name":"apply_patch","input":"*** Begin Patch\n*** Add File: c\n+five\n+six\n*** Update File: d\n@@\n-old\n+seven\n context\n*** Delete File: e\n*** End Patch\n"}}`,
		`{"type":"response_item","payload":{"type":"function_call","name":"shell","arguments":"{\"command\":[\"apply_patch\",\"*** Begin Patch\\n*** Add File: f\\n+eight\\n*** End Patch\"]}"}}`,
		`{"type":"gemini","toolCalls":[{"name":"replace","args":{"file_path":"/w/g","old_string":"x","new_string":"nine"}}]}`,
		`not JSON`,
	}
	file := filepath.Join(t.TempDir(), "t.jsonl")
	if err := os.WriteFile(file, []byte(strings.Join(records, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var got []string
	err := WrittenTexts(t.Context(), file, func(w WrittenText) {
		got = append(got, w.File+": "+strings.ReplaceAll(strings.TrimSpace(w.Text), "\n", " "))
		if w.Text == "one\ntwo" && (w.When.IsZero() || w.Turn != 1) {
			t.Errorf("%+v", w)
		}
	})
	want := []string{"/w/a: one two", "/w/b: three", "/w/b: four", "/w/c: five six", "/w/d: seven", "/w/f: eight", "/w/g: nine"}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v\ngot  %q\nwant %q", err, got, want)
	}
	if err := WrittenTexts(t.Context(), file+"none", func(WrittenText) {}); err == nil {
		t.Error("no error for a missing file")
	}
}
