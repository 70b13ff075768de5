package safefile

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"entire-plumb/internal/testdir"
)

func TestRemoveUnfinished(t *testing.T) {
	dir := t.TempDir()
	old := time.Now().Add(-time.Hour)
	for _, name := range []string{".a.new-1", ".a.new-x", ".ab.new-1", "a", "a.new-1"} {
		file := filepath.Join(dir, name)
		testdir.Must(t, Write(file, nil, 0o600))
		testdir.Must(t, os.Chtimes(file, old, old))
	}
	if err := Write(filepath.Join(dir, ".a.new-2"), nil, 0o600); err != nil { // of a writer at work
		t.Fatal(err)
	}
	testdir.Must(t, os.Symlink("a", filepath.Join(dir, ".a.new-3")))
	RemoveUnfinished(filepath.Join(dir, "a"), time.Now().Add(-time.Minute))
	RemoveUnfinished(filepath.Join(dir, "nowhere", "a"), time.Now())
	all, err := os.ReadDir(dir)
	testdir.Must(t, err)
	var names []string
	for _, e := range all {
		names = append(names, e.Name())
	}
	if want := []string{".a.new-2", ".a.new-3", ".a.new-x", ".ab.new-1", "a", "a.new-1"}; !slices.Equal(names, want) {
		t.Errorf("there is %q, want %q", names, want)
	}
}
