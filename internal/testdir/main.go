package testdir

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Main is what a package's TestMain calls: the tests run as InMemory and NoHome say.
func Main(m *testing.M) {
	InMemory()
	NoHome()
	os.Exit(m.Run())
}

// Must ends a test in which something that it needs goes wrong.
func Must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Write writes files below a directory, each a name and its content, with the directories that
// they are in.
func Write(t testing.TB, dir string, files ...string) {
	t.Helper()
	for i := 0; i < len(files); i += 2 {
		file := filepath.Join(dir, files[i])
		Must(t, errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(files[i+1]), 0o644)))
	}
}

// Git runs git in a directory, as a user whom only this command knows, and returns its output
// without the last newlines.
func Git(t testing.TB, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=A", "-c", "user.email=a@b"}, args...)...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return strings.TrimRight(string(out), "\n")
}
