package gitexec

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"entire-plumb/internal/testdir"
)

// TestRootRefIsAskedOnce: git is asked once for a ref outside of refs/, until it changes the tables;
// also where there is none. Another git stands in its place, since not each git has reftables.
func TestRootRefIsAskedOnce(t *testing.T) {
	dir := t.TempDir()
	testdir.Write(t, dir, "bin/git", "#!/bin/sh\necho asked >>"+dir+"/asked\ntest -e "+dir+"/picks && echo "+strings.Repeat("a", 40)+" CHERRY_PICK_HEAD\n")
	testdir.Must(t, os.Chmod(filepath.Join(dir, "bin", "git"), 0o755))
	t.Setenv("PATH", filepath.Join(dir, "bin")+string(os.PathListSeparator)+os.Getenv("PATH"))
	git := filepath.Join(dir, "repo", ".git")
	r := &Repo{GitDir: git, CommonDir: git, runner: runner{dir: dir}, roots: &rootRefs{}}
	for i, step := range []struct {
		tables string
		picks  bool
		asked  int // so far, after two questions
	}{
		{"one\n", false, 1},
		{"one\n", true, 1}, // git changes the tables with a ref
		{"two\n", true, 2},
		{"two\n", true, 2},
		{"", true, 4}, // the list can't be read
	} {
		testdir.Write(t, git, "reftable/tables.list", step.tables)
		if step.picks {
			testdir.Write(t, dir, "picks", "")
		}
		r.rootRef("CHERRY_PICK_HEAD")
		id := r.rootRef("CHERRY_PICK_HEAD")
		asked, _ := os.ReadFile(filepath.Join(dir, "asked"))
		if n := strings.Count(string(asked), "asked"); n != step.asked || (id != "") != (step.asked > 1) {
			t.Errorf("step %d: %q, git was asked %d times, want %d", i, id, n, step.asked)
		}
	}
}
