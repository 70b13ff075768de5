package agent

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"entire-plumb/internal/testdir"
)

// Conversations of Cursor and Kimi Code are found by the whole ID where they are, in any directory.
func TestPlacesByID(t *testing.T) {
	dir := t.TempDir()
	getenv := func(name string) string { return map[string]string{"HOME": dir}[name] }
	for file, a := range map[string]Agent{
		".cursor/projects/p/agent-transcripts/v1.jsonl":        Cursor,
		".cursor/projects/p/agent-transcripts/v2/v2.jsonl":     Cursor,
		".kimi-code/sessions/wd_p_1/s3/agents/main/wire.jsonl": Kimi,
	} {
		id := map[byte]string{'1': "v1", '2': "v2", 'e': "s3"}[file[len(file)-7]]
		if got := a.Kept(getenv, id); got != "" {
			t.Errorf("%s before it is there: %s", file, got)
		}
		want := filepath.Join(dir, filepath.FromSlash(file))
		testdir.Must(t, os.MkdirAll(filepath.Dir(want), 0o755))
		testdir.Must(t, os.WriteFile(want, nil, 0o600))
		if got := a.Kept(getenv, id); got != want {
			t.Errorf("%s is not found, but %s", file, got)
		}
		if got := a.Kept(getenv, id[1:]); got != "" {
			t.Errorf("%s is found by a part of the ID: %s", file, got)
		}
	}
	place, err := Cursor.Place(getenv, "/home/ada/r.1", "v9", time.Time{})
	if want := filepath.Join(dir, ".cursor/projects/home-ada-r-1/agent-transcripts/v9.jsonl"); err != nil || place.File != want {
		t.Errorf("%s, %v, not %s", place.File, err, want)
	}
}
