package testdir

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// NoHome has this process know no home directory, no agent's settings, no configuration of git's
// and no identity: a test that forgets to have its own finds none, on each machine, instead of the
// user's. It does nothing where a script runs the test's program as ours, with a home of the
// script's. It is called from TestMain.
//
// It ends the process where a hook that a test has installed calls the test's program as ours:
// that would run all tests again, in which that hook would be called, and so on.
func NoHome() {
	if filepath.Base(os.Args[0]) == "entire-plumb" {
		return
	}
	if len(os.Args) > 1 && !strings.HasPrefix(os.Args[1], "-") {
		fmt.Fprintf(os.Stderr, "%s is a test, and called as the program: %q\n", filepath.Base(os.Args[0]), os.Args[1:])
		os.Exit(1)
	}
	os.Setenv("HOME", "/nonexistent/home/of/a/test")
	os.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	os.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	for _, name := range []string{"CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "EMAIL",
		"GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"} {
		os.Unsetenv(name)
	}
	// A commit starts a process that looks whether there is much to pack, and finds little here.
	os.Setenv("GIT_CONFIG_COUNT", "1")
	os.Setenv("GIT_CONFIG_KEY_0", "maintenance.auto")
	os.Setenv("GIT_CONFIG_VALUE_0", "false")
}
