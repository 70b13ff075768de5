package transcript

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
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
