package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"entire-plumb/internal/replay"
)

// TestManagers plays the scripts of testdata/managers beside real hook managers: those that are in
// ENTIRE_TEST_MANAGERS_DIR, as npm installs them there, or on PATH. A script is named after its
// manager, and is skipped where that is missing, unless ENTIRE_TEST_MANAGERS names it.
func TestManagers(t *testing.T) {
	path := os.Getenv("PATH")
	if dir := os.Getenv("ENTIRE_TEST_MANAGERS_DIR"); dir != "" {
		path += string(os.PathListSeparator) + filepath.Join(dir, "node_modules", ".bin")
		t.Setenv("PATH", path)
	}
	files, err := filepath.Glob("testdata/managers/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d scripts, %v", len(files), err)
	}
	required := strings.Split(os.Getenv("ENTIRE_TEST_MANAGERS"), ",")
	params := replay.Params()
	for _, file := range files {
		manager, _, _ := strings.Cut(strings.TrimSuffix(filepath.Base(file), ".txtar"), "_")
		switch _, err := exec.LookPath(manager); {
		case err == nil:
			params.Files = append(params.Files, file)
		case slices.Contains(required, manager):
			t.Errorf("%s is not installed", manager)
		default:
			t.Logf("%s is skipped: %s is not installed", file, manager)
		}
	}
	if len(params.Files) == 0 {
		t.Skip("no hook manager is installed")
	}
	setup := params.Setup
	params.Setup = func(env *testscript.Env) error {
		if err := setup(env); err != nil {
			return err
		}
		env.Defer(func() { keepPromises(t, filepath.Base(env.WorkDir), "", env) })
		return nil
	}
	testscript.Run(t, params)
}
