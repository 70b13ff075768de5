package journal

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"entire-plumb/internal/testdir"
)

// TestAppendAndRead: entries come back as they were written, oldest first; what is no entry is
// skipped.
func TestAppendAndRead(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "entire-plumb")
	if all, err := Read(dir); err != nil || len(all) != 0 {
		t.Errorf("no journal: %v, %v", all, err)
	}
	first := Entry{Time: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Hook: "post-commit", Commit: "1", Outcome: "linked\nin two lines",
		Works: []Work{{Session: "s", Linked: true, Files: []WorkFile{{"f", "held"}}}}, Rewrote: map[string][]string{"2": {"1"}}}
	Append(dir, first)
	f, err := os.OpenFile(File(dir), os.O_APPEND|os.O_WRONLY, 0)
	testdir.Must(t, err)
	f.WriteString("no JSON\n[]\n{\"hook\":\n")
	f.Close()
	Append(dir, Entry{Hook: "stop"})
	all, err := Read(dir)
	if err != nil || len(all) != 2 || !reflect.DeepEqual(all[0], first) || all[1].Hook != "stop" {
		t.Errorf("%+v, %v", all, err)
	}
	if info, err := os.Stat(File(dir)); err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("others can read it: %v, %v", info.Mode(), err)
	}
}

// TestRotation: a file that is too large becomes the older one, and both are read; the one before
// is dropped.
func TestRotation(t *testing.T) {
	dir := t.TempDir()
	for i := range 3 {
		Append(dir, Entry{Hook: fmt.Sprint(i), Outcome: strings.Repeat("x", largest)})
	}
	all, err := Read(dir)
	if err != nil || len(all) != 2 || all[0].Hook != "1" || all[1].Hook != "2" {
		t.Errorf("%d entries, %v", len(all), err)
	}
}

// TestJournalIsNoLink: a link in the place of the journal is not followed, and a failure to write
// is ignored.
func TestJournalIsNoLink(t *testing.T) {
	dir := t.TempDir()
	other := filepath.Join(dir, "other")
	testdir.Must(t, os.WriteFile(other, []byte("x"), 0o600))
	testdir.Must(t, os.Symlink(other, File(dir)))
	Append(dir, Entry{Hook: "stop"})
	if text, err := os.ReadFile(other); err != nil || string(text) != "x" {
		t.Errorf("%s, %v", text, err)
	}
	if _, err := Read(dir); err == nil {
		t.Error("the link was read")
	}
}
