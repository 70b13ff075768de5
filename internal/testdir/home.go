package testdir

import (
	"os"
	"path/filepath"
)

// NoHome has this process know no home directory, and no agent's settings: a test that forgets to
// have its own finds none, instead of the user's. It does nothing where a script runs the test's
// program as ours, with a home of the script's. It is called from TestMain.
func NoHome() {
	if filepath.Base(os.Args[0]) == "entire-plumb" {
		return
	}
	os.Setenv("HOME", "/nonexistent/home/of/a/test")
	for _, name := range []string{"CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_CONFIG_HOME"} {
		os.Unsetenv(name)
	}
}
