package repositories

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"entire-plumb/internal/testdir"
)

func TestMain(m *testing.M) { testdir.Main(m) }

func TestList(t *testing.T) {
	file := filepath.Join(t.TempDir(), "state", "repositories")
	has := func(want ...string) {
		t.Helper()
		if got, err := List(file); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q, want %q: %v", got, want, err)
		}
	}
	has()
	testdir.Must(t, Remove(t.Context(), file, "/a"))
	if _, err := os.Stat(file); err == nil {
		t.Error("removing makes the file")
	}
	for _, dir := range []string{"/a", "/b\nc", "/a"} {
		testdir.Must(t, Add(t.Context(), file, dir))
	}
	has("/b\nc", "/a")
	testdir.Must(t, Remove(t.Context(), file, "/a"))
	has("/b\nc")
	testdir.Must(t, Remove(t.Context(), file, "/x"))
	has("/b\nc")
	info, err := os.Stat(file)
	testdir.Must(t, err)
	if info.Mode().Perm() != 0o600 {
		t.Errorf("others may read it: %v", info.Mode())
	}
}

// Two processes that add at once lose nothing.
func TestAddAtOnce(t *testing.T) {
	file := filepath.Join(t.TempDir(), "repositories")
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() { testdir.Must(t, Add(t.Context(), file, fmt.Sprintf("/r%d", i))) })
	}
	group.Wait()
	if dirs, err := List(file); err != nil || len(dirs) != 8 {
		t.Errorf("%q: %v", dirs, err)
	}
}

// Whatever the file has, only absolute paths are taken from it, and not too many.
func TestParse(t *testing.T) {
	if got := parse("\"/a\"\nx\n\"b\"\n{}\n\n\"/a\"\n\"/c\"\n\"/d"); !slices.Equal(got, []string{"/c", "/a"}) {
		t.Errorf("%q", got)
	}
	var b strings.Builder
	for i := range 3 * mostListed / 2 {
		fmt.Fprintf(&b, "\"/%d\"\n", i%(mostListed+9))
	}
	if n := len(parse(b.String())); n != mostListed {
		t.Errorf("%d directories", n)
	}
}

func TestFile(t *testing.T) {
	home := t.TempDir()
	for name, c := range map[string]struct{ state, home, want string }{
		"the state directory":     {"/s", home, "/s/entire-plumb/repositories"},
		"one that is relative":    {"s", home, home + "/.local/state/entire-plumb/repositories"},
		"that of the home":        {"", home, home + "/.local/state/entire-plumb/repositories"},
		"no home":                 {"", "", ""},
		"a home that isn't there": {"", filepath.Join(home, "gone"), ""},
	} {
		got := File(func(name string) string { return map[string]string{"XDG_STATE_HOME": c.state, "HOME": c.home}[name] })
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestListWithoutADirectory: a file in place of the list's directory is no list.
func TestListWithoutADirectory(t *testing.T) {
	file := filepath.Join(t.TempDir(), "state")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if dirs, err := List(filepath.Join(file, "repositories")); dirs != nil || err != nil {
		t.Errorf("%v, %v", dirs, err)
	}
}
