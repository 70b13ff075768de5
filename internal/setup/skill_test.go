package setup

import (
	"os"
	"path/filepath"
	"testing"

	"entire-plumb/internal/skill"
	"entire-plumb/internal/testdir"
)

// TestHasSettings: a directory that has only our skill is no sign that the agent is in use.
func TestHasSettings(t *testing.T) {
	top := t.TempDir()
	dir := filepath.Join(top, ".claude")
	if hasSettings(dir) {
		t.Error("it is not there")
	}
	ours := filepath.Join(dir, "skills", skill.Name)
	testdir.Must(t, os.MkdirAll(ours, 0o700))
	if hasSettings(dir) {
		t.Error("only our skill is there")
	}
	for _, name := range []string{"skills/other", "settings"} {
		other := filepath.Join(dir, filepath.FromSlash(name))
		testdir.Must(t, os.Mkdir(other, 0o700))
		if !hasSettings(dir) {
			t.Errorf("%s is there, too", name)
		}
		testdir.Must(t, os.Remove(other))
	}
}
