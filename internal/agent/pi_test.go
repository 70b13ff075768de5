package agent

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"entire-plumb/internal/testdir"
)

// The file of a session of pi's is found by its whole ID, and else named as pi names it.
func TestPiPlace(t *testing.T) {
	dir := t.TempDir()
	c := Conversation{Dir: dir, Top: "/home/ada/r:1", ID: "01a2", Begun: time.Date(2026, 4, 5, 6, 7, 8, 9e6, time.UTC)}
	place, err := piPlace(c)
	want := filepath.Join(dir, "sessions", "--home-ada-r-1--", "2026-04-05T06-07-08-009Z_01a2.jsonl")
	if err != nil || place.File != want {
		t.Errorf("%s, %v, not %s", place.File, err, want)
	}
	testdir.Must(t, os.MkdirAll(filepath.Dir(want), 0o755))
	for name, found := range map[string]bool{"2026-03-01T10-00-00-000Z_901a2.jsonl": false, "2026-03-01T10-00-00-000Z_01a2.jsonl": true} {
		file := filepath.Join(filepath.Dir(want), name)
		testdir.Must(t, os.WriteFile(file, nil, 0o600))
		if place, err := piPlace(c); err != nil || (place.File == file) != found {
			t.Errorf("with %s: %s, %v", name, place.File, err)
		}
		testdir.Must(t, os.Remove(file))
	}
}
