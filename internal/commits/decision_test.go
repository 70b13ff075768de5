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
	"entire-plumb/internal/journal"
)

// id is an object ID that begins with a digit, twice: the record of decisions takes no other.
func id(digit string) gitexec.OID { return gitexec.OID(strings.Repeat(digit, 40)) }

// TestDecidedBefore: before there was a record, only the journal knew of commits without a link.
func TestDecidedBefore(t *testing.T) {
	for name, c := range map[string]struct {
		entry journal.Entry
		known bool
	}{
		"no link":              {journal.Entry{Hook: "post-commit", Kind: journal.Unlinked}, true},
		"it failed":            {journal.Entry{Hook: "post-commit", Kind: journal.Unlinked, Error: "no room"}, false},
		"another hook":         {journal.Entry{Hook: journal.NoHook, Kind: journal.Unlinked}, false},
		"no session was known": {journal.Entry{Hook: "post-commit", Kind: journal.UnlinkedAlone}, false},
		"git replayed it":      {journal.Entry{Hook: "post-commit", Kind: journal.UnlinkedReplayed}, false},
	} {
		dir := t.TempDir()
		c.entry.Commit = string(id("a"))
		journal.Append(dir, c.entry)
		entries := decidedBefore(dir)
		if err := decided.Begin(dir, entries); err != nil {
			t.Fatal(err)
		}
		if links, known := decided.Open(dir).Links(id("a")); known != c.known || len(links) > 0 {
			t.Errorf("%s: %q, %t", name, links, known)
		}
	}
	if entries := decidedBefore(t.TempDir()); entries != nil {
		t.Errorf("without a journal: %v", entries)
	}
}

// TestWasDecided: the record knows, or the journal does; a commit that was compared with nothing
// was not decided about.
func TestWasDecided(t *testing.T) {
	run := fakeRun(t, nil)
	dir := run.Repo.SharedDir()
	for digit, e := range map[string]journal.Entry{
		"a": {Hook: "post-commit", Kind: journal.Unlinked},
		"b": {Hook: "post-commit", Kind: journal.UnlinkedReplayed},
		"c": {Hook: "post-commit", Kind: journal.UnlinkedAlone},
		"d": {Hook: "post-commit", Kind: journal.UnlinkedReplayed},
		"e": {Hook: "post-commit", Outcome: "condensed", Error: "killed"},
	} {
		e.Commit = string(id(digit))
		journal.Append(dir, e)
	}
	Remember(run, decided.Links(id("d"), nil), decided.Links(id("1"), []string{"000000000001"}), decided.Made(id("2")))
	was, err := wasDecided(run.Repo)
	if err != nil {
		t.Fatal(err)
	}
	for digit, want := range map[string]bool{"a": true, "b": false, "c": false, "d": true, "e": false, "1": true, "2": false, "3": false} {
		if got := was(id(digit)); got != want {
			t.Errorf("%s: %t", digit, got)
		}
	}
}

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
