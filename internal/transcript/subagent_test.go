package transcript

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"entire-plumb/internal/testdir"
)

// TestSubagents: what subagents wrote counts for the turn that they worked in, wherever their
// transcripts are.
func TestSubagents(t *testing.T) {
	dir := t.TempDir()
	session := filepath.Join(dir, "s.jsonl")
	write := func(name, text string, at time.Time) string {
		t.Helper()
		path := filepath.Join(dir, name)
		testdir.Must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		testdir.Must(t, os.WriteFile(path, []byte(text), 0o600))
		testdir.Must(t, os.Chtimes(path, at, at))
		return path
	}
	noon := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	write("s.jsonl", `{"type":"user","timestamp":"2026-01-02T12:00:00Z","message":{"content":"Delegate"}}
{"type":"assistant","timestamp":"2026-01-02T12:00:01Z","message":{"content":[{"type":"tool_use","name":"Agent","input":{}}]}}
`, noon)
	if got, err := Written(t.Context(), session); err != nil || got.All || !got.Last.Equal(noon.Add(time.Second)) {
		t.Errorf("without a subagent's transcript: %+v, %v", got, err)
	}
	before := write("s/subagents/agent-1.jsonl", `{"type":"assistant","isSidechain":true,"message":{"content":[{"type":"tool_use","name":"Write","input":{"file_path":"/r/before"}}]}}`+"\n", noon.Add(-time.Minute))
	write("s/subagents/agent-2.jsonl", `{"type":"assistant","isSidechain":true,"timestamp":"2026-01-02T12:00:05Z","message":{"content":[{"type":"tool_use","name":"Write","input":{"file_path":"/r/a"}}]}}`+"\n", noon.Add(time.Minute))
	write("s/subagents/agent-2.meta.json", `{}`, noon.Add(time.Minute))
	got, err := Written(t.Context(), session)
	if err != nil || !got.All || !slices.Equal(got.Files, []string{"/r/a"}) || !got.Last.Equal(noon.Add(5*time.Second)) {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := WrittenEver(t.Context(), session, 0); err != nil || !slices.Equal(got.Files, []string{"/r/a"}) {
		t.Errorf("%+v, %v", got, err)
	}
	write("s/subagents/agent-3.jsonl", `{"type":"assistant","isSidechain":true,"message":{"content":[{"type":"tool_use","name":"Bash","input":{}}]}}`+"\n", noon.Add(time.Minute))
	if got, err := Written(t.Context(), session); err != nil || got.All {
		t.Errorf("a subagent used a shell: %+v, %v", got, err)
	}
	testdir.Must(t, os.Remove(filepath.Join(dir, "s/subagents/agent-3.jsonl")))
	for n := range mostSubagents {
		if got, err := Written(t.Context(), session); err != nil || !got.All {
			t.Fatalf("%d subagents: %v, %v", n+1, got.All, err)
		}
		write(fmt.Sprintf("s/subagents/agent-x%d.jsonl", n), `{"type":"assistant","isSidechain":true,"message":{"content":[]}}`+"\n", noon.Add(2*time.Minute))
	}
	if got, err := Written(t.Context(), session); err != nil || got.All {
		t.Errorf("more subagents than are looked into: %+v, %v", got, err)
	}
	if got := OfSubagent(session, "1"); got != before {
		t.Errorf("%s, not %s", got, before)
	}
	if got, want := OfSubagent(session, "9"), filepath.Join(dir, "agent-9.jsonl"); got != want {
		t.Errorf("%s, not %s", got, want)
	}
}
