package gitexec

import (
	"strings"
	"testing"

	"entire-plumb/internal/testdir"
)

func TestDiffText(t *testing.T) {
	top := t.TempDir()
	testdir.Git(t, top, "init", "-q")
	testdir.Write(t, top, "a.txt", "one\ntwo\n", ".entire/metadata/x", "1\n")
	testdir.Git(t, top, "add", "-A")
	testdir.Git(t, top, "commit", "-qm", "first")
	before := OID(strings.TrimSpace(testdir.Git(t, top, "rev-parse", "HEAD^{tree}")))
	testdir.Write(t, top, "a.txt", "one\n"+strings.Repeat("more\n", 1000), "dir/ü b", "new\n", ".entire/metadata/x", "2\n")
	testdir.Git(t, top, "add", "-A")
	testdir.Git(t, top, "commit", "-qm", "second")
	after := OID(strings.TrimSpace(testdir.Git(t, top, "rev-parse", "HEAD^{tree}")))
	repo, err := Discover(t.Context(), top, nil)
	testdir.Must(t, err)
	db := repo.ODB(t.Context())
	defer db.Close()
	text, err := db.DiffText(before, after, 1<<20)
	testdir.Must(t, err)
	for _, want := range []string{"--- a/a.txt\n+++ b/a.txt\n@@ ", "\n-two\n+more\n", "+++ b/dir/ü b"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %q in\n%.300s", want, text)
		}
	}
	if strings.Contains(string(text), "metadata") {
		t.Error("our own files are in it")
	}
	if text, err = db.DiffText(before, after, 100); err != nil || len(text) != 100 {
		t.Errorf("%d bytes, %v", len(text), err)
	}
	if _, err = db.DiffText(before, OID(strings.Repeat("1", 40)), 100); err == nil {
		t.Error("a tree that is not there has a diff")
	}
}
