package commits

import (
	"os"
	"path/filepath"
	"testing"

	"entire-plumb/internal/safefile"
)

func TestReplaceFileKeepsTheMode(t *testing.T) {
	file := filepath.Join(t.TempDir(), "COMMIT_EDITMSG")
	if err := os.WriteFile(file, []byte("old"), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := safefile.Rewrite(file, []byte("new")); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(file)
	info, err2 := os.Stat(file)
	if err != nil || err2 != nil || string(data) != "new" || info.Mode().Perm() != 0o640 {
		t.Errorf("%q, %v, %v, %v", data, info, err, err2)
	}
	if err := safefile.Rewrite(filepath.Join(file, "below"), nil); err == nil {
		t.Error("a file below a file was replaced")
	}
}
