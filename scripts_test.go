package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"entire-plumb/internal/replay"
	"entire-plumb/internal/testdir"
)

// TestScriptsReadme holds the scripts against what their README says: it explains every verb, a
// script's name begins with a category that it lists, and the first line is a sentence.
func TestScriptsReadme(t *testing.T) {
	data, err := os.ReadFile("testdata/scripts/README.md")
	testdir.Must(t, err)
	readme := string(data)
	for verb := range replay.Params().Cmds {
		if !strings.Contains(readme, "\n| `"+verb+" ") && !strings.Contains(readme, "\n| `"+verb+"`") {
			t.Errorf("README.md doesn't explain %s", verb)
		}
	}
	files, err := filepath.Glob("testdata/scripts/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d scripts, %v", len(files), err)
	}
	for _, file := range files {
		name, listed := filepath.Base(file), false
		for i, c := range name {
			listed = listed || c == '_' && strings.Contains(readme, "`"+name[:i+1]+"`")
		}
		if !listed {
			t.Errorf("%s: README.md has no such category", name)
		}
		data, err := os.ReadFile(file)
		testdir.Must(t, err)
		if first, _, _ := strings.Cut(string(data), "\n"); !strings.HasPrefix(first, "# ") || !strings.HasSuffix(first, ".") ||
			len(first) > 200 {
			t.Errorf("%s begins with %q, which is no sentence of at most 200 bytes", name, first)
		}
	}
}
