package githooks

import (
	"os"
	"path/filepath"
	"testing"

	"entire-plumb/internal/testdir"
)

// TestProbed: only an empty file of the probe's name is written.
func TestProbed(t *testing.T) {
	dir := t.TempDir()
	probe, other, link := Probe(dir), filepath.Join(dir, "other"), Probe(t.TempDir())
	if Probed(probe, "pre-push") {
		t.Error("a file that is not there was written")
	}
	for _, file := range []string{probe, other} {
		testdir.Must(t, os.WriteFile(file, nil, 0o600))
	}
	testdir.Must(t, os.Symlink(other, link))
	if Probed(other, "x") || Probed(link, "x") || Probed(filepath.Base(probe), "x") || len(ProbedHooks(other)) > 0 {
		t.Error("another file was written")
	}
	if !Probed(probe, "pre-push") || len(ProbedHooks(probe)) != 1 || ProbedHooks(probe)[0] != "pre-push" {
		t.Errorf("the probe has %q", ProbedHooks(probe))
	}
	if Probed(probe, "x") {
		t.Error("a file with something in it was written")
	}
}
