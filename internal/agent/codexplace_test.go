package agent

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"entire-plumb/internal/testdir"
)

// The rollout of a session is found by its whole ID, whatever other IDs end with it.
func TestCodexPlaceOfAlikeIDs(t *testing.T) {
	const id = "7492-9a67"
	own := "rollout-2026-03-01T10-00-00-" + id + ".jsonl"
	for name, want := range map[string]string{
		own: own,
		"rollout-2026-03-01T10-00-00-01a1ffc9-" + id + ".jsonl": "",
		"rollout-2026-03-01T10-00-" + id + ".jsonl":             "",
		"rollout-" + id + ".jsonl":                              "",
	} {
		dir := t.TempDir()
		day := filepath.Join(dir, "sessions", "2026", "03", "01")
		testdir.Must(t, os.MkdirAll(day, 0o755))
		testdir.Must(t, os.WriteFile(filepath.Join(day, name), nil, 0o600))
		begun := time.Date(2026, 4, 5, 6, 7, 8, 0, time.Local)
		place, err := codexPlace(Conversation{Dir: dir, ID: id, Begun: begun})
		testdir.Must(t, err)
		if want == "" {
			want = "rollout-2026-04-05T06-07-08-" + id + ".jsonl"
		}
		if got := filepath.Base(place.File); got != want {
			t.Errorf("beside %s: %s, want %s", name, got, want)
		}
	}
}
