package githooks

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"entire-plumb/internal/testdir"
)

const exe = "/opt/bin/entire-plumb"

func put(t *testing.T, path, body string, mode fs.FileMode) {
	t.Helper()
	testdir.Must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	testdir.Must(t, os.WriteFile(path, []byte(body), 0o600))
	testdir.Must(t, os.Chmod(path, mode))
}

// listing returns names, modes and bytes of a directory, links as their target.
func listing(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	testdir.Must(t, err)
	var b strings.Builder
	for _, e := range entries {
		info, err := e.Info()
		testdir.Must(t, err)
		path, content := filepath.Join(dir, e.Name()), ""
		switch {
		case info.Mode()&fs.ModeSymlink != 0:
			content, _ = os.Readlink(path)
		case info.Mode().IsRegular():
			data, err := os.ReadFile(path)
			testdir.Must(t, err)
			content = string(data)
		}
		fmt.Fprintf(&b, "%s %v %q\n", e.Name(), info.Mode(), content)
	}
	return b.String()
}

func mustInstall(t *testing.T, dir, exe string) []Change {
	t.Helper()
	done, err := Install(dir, exe)
	testdir.Must(t, err)
	return done
}

func actions(done []Change) string {
	var s []string
	for _, c := range done {
		s = append(s, string(c.Action))
	}
	return strings.Join(s, " ")
}

func states(t *testing.T, dir, exe string) string {
	t.Helper()
	hooks, err := State(dir, exe)
	testdir.Must(t, err)
	var s []string
	for _, h := range hooks {
		s = append(s, string(h.State))
	}
	return strings.Join(s, " ")
}

// row is what is expected of all hooks, given that of the first three: the others are like the
// third.
func row(first string) string {
	words := strings.Fields(first)
	for len(words) < len(Names) {
		words = append(words, words[2])
	}
	return strings.Join(words, " ")
}

func equal(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s:\ngot:  %s\nwant: %s", what, got, want)
	}
}

// Any mixture of what may stand in a hooks directory comes back as it was.
func TestRemoveRestoresTheDirectory(t *testing.T) {
	before := map[string]func(path string){
		"none":           func(string) {},
		"script":         func(p string) { put(t, p, "#!/bin/sh\nexit 0\n", 0o755) },
		"private":        func(p string) { put(t, p, "#!/bin/sh\n", 0o700) },
		"not executable": func(p string) { put(t, p, "#!/bin/sh\nexit 1\n", 0o644) },
		"binary":         func(p string) { put(t, p, "\x7fELF\x00\xff", 0o755) },
		"empty":          func(p string) { put(t, p, "", 0o755) },
		"link": func(p string) {
			put(t, filepath.Join(filepath.Dir(p), "shared"), "#!/bin/sh\n", 0o755)
			link(t, "shared", p)
		},
		"dangling link": func(p string) { link(t, "../nowhere", p) },
		"by hand":       func(p string) { put(t, p, "entire-plumb hooks git "+filepath.Base(p)+"\n", 0o755) },
	}
	for a, first := range before {
		for b, second := range before {
			t.Run(a+", "+b, func(t *testing.T) {
				dir := t.TempDir()
				put(t, filepath.Join(dir, "pre-push"), "untouched", 0o755)
				first(filepath.Join(dir, "prepare-commit-msg"))
				second(filepath.Join(dir, "post-commit"))
				was := listing(t, dir)
				mustInstall(t, dir, exe)
				once := listing(t, dir)
				equal(t, "the second install", actions(mustInstall(t, dir, exe)), again(t, dir))
				equal(t, "the directory after installing twice", listing(t, dir), once)
				mustInstall(t, dir, "/elsewhere/entire-plumb")
				if _, err := Remove(dir); err != nil {
					t.Fatal(err)
				}
				equal(t, "the directory after removing", listing(t, dir), was)
			})
		}
	}
}

func again(t *testing.T, dir string) string {
	s := strings.NewReplacer("current", "unchanged", "chained", "unchanged", "manual", "left")
	return s.Replace(states(t, dir, exe))
}

func link(t *testing.T, target, path string) {
	t.Helper()
	testdir.Must(t, os.Symlink(target, path))
}

func TestStates(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "missing", "hooks")
	equal(t, "missing directory", states(t, dir, exe), row("absent absent absent"))
	equal(t, "install", actions(mustInstall(t, dir, exe)), row("installed installed installed"))
	equal(t, "after install", states(t, dir, exe), row("current current current"))
	equal(t, "for a moved program", states(t, dir, "/new/entire-plumb"), row("outdated outdated outdated"))
	equal(t, "for any program", states(t, dir, ""), row("current current current"))
	equal(t, "moved", actions(mustInstall(t, dir, "/new/entire-plumb")), row("updated updated updated"))
	equal(t, "after moving", states(t, dir, "/new/entire-plumb"), row("current current current"))
	testdir.Must(t, os.Chmod(filepath.Join(dir, "commit-msg"), 0o644))
	equal(t, "not executable", states(t, dir, "/new/entire-plumb"), row("current outdated current"))
	equal(t, "repair", actions(mustInstall(t, dir, "/new/entire-plumb")), row("unchanged updated unchanged"))
	done, err := Remove(dir)
	testdir.Must(t, err)
	equal(t, "remove", actions(done), row("removed removed removed"))
	equal(t, "after removing", listing(t, dir), "")
}

func TestOldFormIsUpgraded(t *testing.T) {
	old := form{plain: "#!/bin/sh\n" + marker + " 0\nexec @EXE@ hooks git @NAME@ \"$@\"\n", chained: "#!/bin/sh\n" + marker +
		" 0\n\"$0.x\"\nexec @EXE@ hooks git @NAME@\n"}
	present := forms
	forms = append(slices.Clone(forms), old)
	defer func() { forms = present }()
	dir := t.TempDir()
	put(t, filepath.Join(dir, "commit-msg"), old.render("commit-msg", quote("/it's"), false), 0o755)
	equal(t, "old", states(t, dir, exe), row("absent outdated absent"))
	equal(t, "upgrade", actions(mustInstall(t, dir, exe)), row("installed updated installed"))
	equal(t, "upgraded", states(t, dir, exe), row("current current current"))
}

func TestEditedStubIsLeft(t *testing.T) {
	dir := t.TempDir()
	mustInstall(t, dir, exe)
	path := filepath.Join(dir, "commit-msg")
	put(t, path, stub("commit-msg", exe, false)+"echo mine\n", 0o755)
	was, _ := os.ReadFile(path)
	equal(t, "install", actions(mustInstall(t, dir, exe)), row("unchanged left unchanged"))
	done, err := Remove(dir)
	testdir.Must(t, err)
	equal(t, "remove", actions(done), row("removed left removed"))
	equal(t, "reported", string(done[1].Before), "edited")
	now, _ := os.ReadFile(path)
	equal(t, "the edited hook", string(now), string(was))
}

func TestNewManagerOverOurs(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "commit-msg"), "old", 0o755)
	mustInstall(t, dir, exe)
	put(t, filepath.Join(dir, "commit-msg"), "#!/bin/sh\n# new manager\n", 0o755)
	put(t, filepath.Join(dir, "post-commit"), "foreign", 0o755)
	was := listing(t, dir)
	_, err := Install(dir, exe)
	if !errors.Is(err, ErrConflict) || !strings.Contains(err.Error(), filepath.Join(dir, "commit-msg.pre-entire")) ||
		!strings.Contains(err.Error(), "hint:") {
		t.Errorf("install over a new manager: %v", err)
	}
	equal(t, "nothing is touched", listing(t, dir), was)
	done, err := Remove(dir)
	testdir.Must(t, err)
	equal(t, "remove", actions(done), "removed left left"+strings.Repeat(" removed", len(Names)-3))
}

func TestInstallResumesAfterACrash(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "commit-msg"), "old", 0o755)
	was := listing(t, dir)
	testdir.Must(t, os.Rename(filepath.Join(dir, "commit-msg"), filepath.Join(dir, "commit-msg.pre-entire")))
	mustInstall(t, dir, exe)
	equal(t, "after the crash", states(t, dir, exe), row("current chained current"))
	if _, err := Remove(dir); err != nil {
		t.Fatal(err)
	}
	equal(t, "removed", listing(t, dir), was)
}

func TestBadArguments(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	put(t, file, "", 0o644)
	for _, c := range [][2]string{{"hooks", exe}, {t.TempDir(), "entire-plumb"}, {file, exe}, {os.DevNull, exe}} {
		if _, err := Install(c[0], c[1]); err == nil || !strings.Contains(err.Error(), "hint:") {
			t.Errorf("Install(%q, %q): %v", c[0], c[1], err)
		}
	}
}

func TestFailedInstallGivesTheHookBack(t *testing.T) {
	dir := t.TempDir()
	// A name that is long enough leaves room for the kept hook's, but not for that of the file in
	// which the stub is written first.
	path := filepath.Join(dir, strings.Repeat("h", 255-len(keptSuffix)))
	put(t, path, "theirs", 0o755)
	was := listing(t, dir)
	if err := keepAndReplace(path, path+keptSuffix, "ours"); err == nil || !strings.Contains(err.Error(), "hint:") {
		t.Errorf("keepAndReplace: %v", err)
	}
	equal(t, "the directory", listing(t, dir), was)
}
