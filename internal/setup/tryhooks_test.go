package setup

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"entire-plumb/internal/githooks"
	"entire-plumb/internal/testdir"
	"entire-plumb/internal/testrepo"
)

// TestTryHooks: a hook that does not reach the program is found among those that do, and one that runs
// another hook, too, is not run.
func TestTryHooks(t *testing.T) {
	repo := testrepo.New(t).Repo
	exe := filepath.Join(t.TempDir(), "entire-plumb")
	program := func(text string) {
		testdir.Must(t, os.WriteFile(exe, []byte("#!/bin/sh\n"+text+"\n"), 0o755))
	}
	program("exit 0")
	ran := filepath.Join(repo.Top, "ran")
	testdir.Must(t, os.MkdirAll(repo.HooksDir, 0o755))
	testdir.Must(t, os.WriteFile(filepath.Join(repo.HooksDir, "pre-push"), []byte("#!/bin/sh\ntouch '"+ran+"'\n"), 0o755))
	if _, err := githooks.Install(repo.HooksDir, exe); err != nil {
		t.Fatal(err)
	}
	states := map[string]string{}
	for _, name := range githooks.Names {
		states[name] = string(githooks.Current)
	}
	states["pre-push"] = string(githooks.Chained)
	try := func() []string {
		failed, err := TryHooks(context.Background(), repo, states)
		testdir.Must(t, err)
		return failed
	}
	if failed := try(); len(failed) != len(githooks.Names)-2 || slices.Contains(failed, "pre-push") {
		t.Errorf("of a program that does not answer: %q", failed)
	}
	program(`echo "$3" >"$` + githooks.ProbeVariable + `"`)
	if failed := try(); len(failed) > 0 {
		t.Errorf("%q did not reach the program", failed)
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("the user's hook was run")
	}
}
