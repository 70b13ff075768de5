package idle

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"entire-plumb/gitexec"
	"entire-plumb/internal/testdir"
)

// id is a commit's ID that repeats a digit.
func id(digit string) gitexec.OID { return gitexec.OID(strings.Repeat(digit, 40)) }

func TestCommits(t *testing.T) {
	long := strings.Repeat("a", 40) + "\n"
	for _, test := range []struct {
		name, list string
		want       []gitexec.OID
	}{
		{"no list", "", nil},
		{"nothing made yet", "word\n" + string(id("1")) + "\n", nil},
		{"two were made", "word\n" + string(id("1")) + "\n" + string(id("2")) + "\n" + string(id("3")) + "\n", []gitexec.OID{id("2"), id("3")}},
		{"the stub was killed", "word\n" + string(id("1")) + "\n" + string(id("2")) + "\n3333", []gitexec.OID{id("2")}},
		{"rubbish ends it", "word\n" + string(id("1")) + "\n--upload-pack=x\n" + string(id("2")) + "\n", nil},
		{"longer than stubs write it", "word\n" + strings.Repeat(long, 1000), nil},
	} {
		dir := t.TempDir()
		if test.list != "" {
			testdir.Must(t, os.WriteFile(filepath.Join(dir, CommitsFile), []byte(test.list), 0o600))
		}
		if got := Commits(dir); !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}

func TestSeen(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "ours")
	testdir.Must(t, errors.Join(Seen(dir, id("1")), Begin(dir, id("1"))))
	list := filepath.Join(dir, CommitsFile)
	word, err := os.ReadFile(filepath.Join(dir, File))
	testdir.Must(t, err)
	f, err := os.OpenFile(list, os.O_APPEND|os.O_WRONLY, 0)
	testdir.Must(t, err)
	_, err = f.WriteString(string(id("2")) + "\n" + string(id("3")) + "\n" + string(id("4")) + "\n")
	testdir.Must(t, errors.Join(err, f.Close()))
	for _, last := range []gitexec.OID{id("3"), id("2")} { // the second is seen already
		testdir.Must(t, Seen(dir, last))
		data, err := os.ReadFile(list)
		testdir.Must(t, err)
		if want := string(word) + string(id("3")) + "\n" + string(id("4")) + "\n"; string(data) != want {
			t.Errorf("the list is %q, want %q", data, want)
		}
	}
	testdir.Must(t, Seen(dir, id("4")))
	if made := Commits(dir); made != nil {
		t.Errorf("%v are left", made)
	}
	testdir.Must(t, errors.Join(End(dir), End(dir)))
	if _, err := os.Lstat(filepath.Join(dir, File)); err == nil {
		t.Error("it is still idle")
	}
	testdir.Must(t, Begin(dir, id("3")))
	if again, _ := os.ReadFile(filepath.Join(dir, File)); string(again) == string(word) {
		t.Error("an older list counts again")
	}
}

// A commit is prepared where prepare-commit-msg ended, early or not, on the same HEAD.
func TestPrepared(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "ours")
	if IsPrepared(dir, id("1")) {
		t.Error("prepared at first")
	}
	Prepared(dir, id("1"))
	if !IsPrepared(dir, id("1")) || IsPrepared(dir, id("2")) {
		t.Error("not prepared, or on any HEAD")
	}
	testdir.Must(t, os.WriteFile(filepath.Join(dir, PreparedAt), []byte(id("2")+"\n"), 0o600))
	if !IsPrepared(dir, id("2")) {
		t.Error("not prepared by a stub")
	}
	testdir.Must(t, os.Truncate(filepath.Join(dir, PreparedAt), 0))
	if !IsPrepared(dir, id("3")) {
		t.Error("not prepared where the stub of post-commit has emptied the file")
	}
	Started(dir)
	if IsPrepared(dir, id("1")) || IsPrepared(dir, id("2")) {
		t.Error("prepared once the next one has started")
	}
}
