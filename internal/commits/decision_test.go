package commits

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"entire-plumb/gitexec"
	"entire-plumb/internal/decided"
)

// id is an object ID that begins with a digit, twice: the record of decisions takes no other.
func id(digit string) gitexec.OID { return gitexec.OID(strings.Repeat(digit, 40)) }

// TestRememberWarns: what can't be kept is said once the hook ends.
func TestRememberWarns(t *testing.T) {
	run := fakeRun(t, map[string]string{"entire-plumb": "a file is in the way"})
	Remember(run, decided.Made(id("a")))
	run.PrintWarnings()
	if said := run.Stderr.(*strings.Builder).String(); !strings.Contains(said, "what was decided cannot be kept") {
		t.Errorf("%q", said)
	}
}

// decidedText is what the record has in the file of a commit.
func decidedText(t *testing.T, sharedDir string, commit gitexec.OID) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(sharedDir, "decided", string(commit[:2])))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return data
}
