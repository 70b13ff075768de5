//go:build unix

package githooks

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"entire-plumb/internal/testdir"
)

// A shell that can't start another process gives up by itself. Root has no such limit, so there it
// is nobody's.
func TestStubSucceedsWithoutAFork(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("no shell here whose ulimit has -u")
	}
	dir, _ := stubs(t, "#!/bin/sh\necho ran\n", "")
	for at := dir; len(at) > len(os.TempDir()); at = filepath.Dir(at) {
		testdir.Must(t, os.Chmod(at, 0o755))
	}
	for shellName, shell := range shells(t) {
		if shellName == "bash" {
			continue // that tries again for a minute
		}
		for _, name := range Names {
			cmd := exec.Command("bash", "-c", "ulimit -u 0; exec "+strings.Join(shell, " ")+` "$@"`, "bash", filepath.Join(dir, name),
				filepath.Join(dir, "MSG"))
			if os.Getuid() == 0 {
				cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
			}
			out, err := cmd.CombinedOutput()
			if err != nil || strings.Contains(string(out), "ran") {
				t.Errorf("%s: %s: %v\n%s", shellName, name, err, out)
			}
		}
	}
}
