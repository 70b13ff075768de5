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

// TestPi reads lines of pi's, of which some are not as they should be.
func TestPi(t *testing.T) {
	const begin = `{"type":"session","id":"s","timestamp":"2026-11-27T10:00:00Z","cwd":"/repo"}` + "\n" +
		`{"type":"message","id":"1","timestamp":"2026-11-27T10:00:00Z","message":{"role":"user","content":[{"type":"text","text":"Do it"}]}}` + "\n"
	answer := func(stop, name, arguments string) string {
		return `{"type":"message","id":"2","timestamp":"2026-11-27T10:00:01Z","message":{"role":"assistant","model":"m","stopReason":"` + stop +
			`","content":[{"type":"toolCall","id":"c","name":"` + name + `","arguments":` + arguments + `}]}}`
	}
	for name, test := range map[string]struct {
		line        string
		want        Wrote
		interrupted bool
	}{
		"a file": {answer("toolUse", "write", `{"path":"a","content":"x\n"}`),
			Wrote{Files: []string{"/repo/a"}, Texts: map[string]Texts{"/repo/a": textsOf(Edit{New: "x\n", Whole: true})}, All: true}, false},
		"edits": {answer("toolUse", "edit", `{"path":"/r/b","edits":[{"oldText":"1\n","newText":"1\nnew\n"},3]}`),
			Wrote{Files: []string{"/r/b"}, Texts: map[string]Texts{"/r/b": textsOf(Edit{Old: "1\n", New: "1\nnew\n", Located: true})}, All: true}, false},
		"one edit": {answer("toolUse", "edit", `{"path":"/r/b","oldText":"1\n","newText":"2\n"}`),
			Wrote{Files: []string{"/r/b"}, Texts: map[string]Texts{"/r/b": textsOf(Edit{Old: "1\n", New: "2\n", Located: true})}, All: true}, false},
		"a shell":       {answer("toolUse", "bash", `{"command":"git commit"}`), Wrote{}, false},
		"an abort":      {answer("aborted", "read", `{"path":"a","content":"x"}`), Wrote{All: true}, true},
		"another shape": {answer("toolUse", "write", `["a"]`), Wrote{}, false},
	} {
		file := filepath.Join(t.TempDir(), "t.jsonl")
		testdir.Must(t, os.WriteFile(file, []byte(begin+test.line+"\n"), 0o600))
		got, err := Written(t.Context(), file)
		if err != nil || !slices.Equal(got.Files, test.want.Files) || !reflect.DeepEqual(got.Texts, test.want.Texts) || got.All != test.want.All || got.Prompt != "Do it" {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
		if stopped, err := Interrupted(file); err != nil || stopped != test.interrupted {
			t.Errorf("%s: interrupted %t, %v", name, stopped, err)
		}
	}
	for _, line := range []string{`{"type":"message","timestamp":"","message":{"role":"user"}}`, `{"type":"compaction","id":"a","timestamp":""}`, `{"type":"message","id":3,"timestamp":""}`,
		`{"type":"message","id":"a","timestamp":"","message":{"role":"bashExecution"}}`} {
		if rec, ok := piRecord([]byte(line)); ok {
			t.Errorf("%s is a record: %+v", line, rec)
		}
	}
	if rec, ok := piRecord([]byte(`{"type":"session_info","id":"a","timestamp":"","name":"Named"}`)); !ok || rec.title != "Named" {
		t.Errorf("a title: %+v, %t", rec, ok)
	}
	commands, known := commandsIn([]byte(answer("toolUse", "bash", `{"command":"git commit -m x"}`)))
	if !known || len(commands) != 1 || !strings.Contains(string(commands[0]), "commit") {
		t.Errorf("commands %s, %t", commands, known)
	}
}
