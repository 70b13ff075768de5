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
)

const exe = "/opt/bin/entire-plumb"

func put(t *testing.T, path, body string, mode fs.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(body), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}

// listing gives names, modes and bytes of a directory, links as their target.
func listing(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		path, content := filepath.Join(dir, e.Name()), ""
		switch {
		case info.Mode()&fs.ModeSymlink != 0:
			content, _ = os.Readlink(path)
		case info.Mode().IsRegular():
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			content = string(data)
		}
		fmt.Fprintf(&b, "%s %v %q\n", e.Name(), info.Mode(), content)
	}
	return b.String()
}

func mustInstall(t *testing.T, dir, exe string) []Change {
	t.Helper()
	done, err := Install(dir, exe)
	if err != nil {
		t.Fatal(err)
	}
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
	if err != nil {
		t.Fatal(err)
	}
	var s []string
	for _, h := range hooks {
		s = append(s, string(h.State))
	}
	return strings.Join(s, " ")
}

// row is what is expected of all hooks, given that of the first three: the others are like the third.
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
	if err := os.Symlink(target, path); err != nil {
		t.Fatal(err)
	}
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
	if err := os.Chmod(filepath.Join(dir, "commit-msg"), 0o644); err != nil {
		t.Fatal(err)
	}
	equal(t, "not executable", states(t, dir, "/new/entire-plumb"), row("current outdated current"))
	equal(t, "repair", actions(mustInstall(t, dir, "/new/entire-plumb")), row("unchanged updated unchanged"))
	done, err := Remove(dir)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "remove", actions(done), row("removed removed removed"))
	equal(t, "after removing", listing(t, dir), "")
}

func TestOldFormIsUpgraded(t *testing.T) {
	old := form{plain: "#!/bin/sh\n" + marker + " 0\nexec @EXE@ hooks git @NAME@ \"$@\"\n", chained: "#!/bin/sh\n" + marker + " 0\n\"$0.x\"\nexec @EXE@ hooks git @NAME@\n"}
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
	if err != nil {
		t.Fatal(err)
	}
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
	if !errors.Is(err, ErrConflict) || !strings.Contains(err.Error(), filepath.Join(dir, "commit-msg.pre-entire")) || !strings.Contains(err.Error(), "hint:") {
		t.Errorf("install over a new manager: %v", err)
	}
	equal(t, "nothing is touched", listing(t, dir), was)
	done, err := Remove(dir)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "remove", actions(done), "removed left left"+strings.Repeat(" removed", len(Names)-3))
}

func TestInstallResumesAfterACrash(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "commit-msg"), "old", 0o755)
	was := listing(t, dir)
	if err := os.Rename(filepath.Join(dir, "commit-msg"), filepath.Join(dir, "commit-msg.pre-entire")); err != nil {
		t.Fatal(err)
	}
	mustInstall(t, dir, exe)
	equal(t, "after the crash", states(t, dir, exe), row("current chained current"))
	if _, err := Remove(dir); err != nil {
		t.Fatal(err)
	}
	equal(t, "removed", listing(t, dir), was)
}

// What a hook manager runs by its own name would do nothing under another: it is left alone, and the other hooks are installed.
func TestHooksNamedBySelfAreLeft(t *testing.T) {
	for _, body := range []string{"#!/usr/bin/env sh\n. \"$(dirname \"$0\")/h\"", "#!/usr/bin/env sh\n. \"${0%/*}/h\"", "#!/usr/bin/env ruby\nhook_type = File.basename($0)\n"} {
		dir := t.TempDir()
		path := filepath.Join(dir, "commit-msg")
		put(t, path, body, 0o755)
		done := mustInstall(t, dir, exe)
		equal(t, "install", actions(done), row("installed wanted installed"))
		equal(t, "the line", done[1].Line, Line("commit-msg"))
		equal(t, "states", states(t, dir, exe), row("current managed current"))
		now, _ := os.ReadFile(path)
		equal(t, "the hook", string(now), body)
		removed, err := Remove(dir)
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "remove", actions(removed), row("removed unchanged removed"))
	}
}

func TestHusky(t *testing.T) {
	top := filepath.Join(t.TempDir(), ".husky")
	dir := filepath.Join(top, "_")
	if _, err := Install(dir, exe); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("husky's directory, not there yet, was made")
	}
	for _, name := range Names {
		put(t, filepath.Join(dir, name), "#!/usr/bin/env sh\n. \"$(dirname \"$0\")/h\"", 0o755)
	}
	was := listing(t, dir)
	done := mustInstall(t, dir, exe)
	equal(t, "install", actions(done), row("wanted wanted wanted"))
	for _, c := range done {
		equal(t, "the file", c.File, filepath.Join(top, c.Name))
		put(t, c.File, "npm test\n"+c.Line+"\n", 0o644)
	}
	equal(t, "states", states(t, dir, exe), row("manual manual manual"))
	equal(t, "again", actions(mustInstall(t, dir, exe)), row("unchanged unchanged unchanged"))
	done, err := Remove(dir)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "remove", actions(done), row("left left left"))
	equal(t, "the line to take out", done[1].Line, Line("commit-msg"))
	equal(t, "husky's directory", listing(t, dir), was)
}

// preCommit plays the two commands of pre-commit that write hooks, as its install_uninstall.py does. Its hook is told by two
// strings, and by the ID in it.
type preCommit struct {
	t    *testing.T
	path string
	id   string
}

func (p preCommit) body() string {
	return "#!/usr/bin/env bash\n# File generated by pre-commit: https://pre-commit.com\n# ID: " + p.id + "\nexec pre-commit hook-impl\n"
}

func (p preCommit) installed() bool {
	body, _ := os.ReadFile(p.path)
	return strings.Contains(string(body), "generated by pre-commit")
}

func (p preCommit) install() {
	if _, err := os.Lstat(p.path); err == nil && !p.installed() {
		if err := os.Rename(p.path, p.path+legacySuffix); err != nil {
			p.t.Fatal(err)
		}
	}
	put(p.t, p.path, p.body(), 0o755)
}

func (p preCommit) uninstall() {
	if !p.installed() {
		return
	}
	os.Remove(p.path)
	if _, err := os.Stat(p.path + legacySuffix); err == nil {
		if err := os.Rename(p.path+legacySuffix, p.path); err != nil {
			p.t.Fatal(err)
		}
	}
}

// In every order of installing and uninstalling ours and pre-commit's hook, each stands where git or pre-commit runs it once; and when
// both are gone, what was there before is there again.
func TestPreCommitInEveryOrder(t *testing.T) {
	const own = "#!/bin/sh\nexit 0\n"
	for _, mine := range []string{"", own} {
		for order := range 1 << 8 { // four steps of two bits each
			dir := t.TempDir()
			path := filepath.Join(dir, "commit-msg")
			if mine != "" {
				put(t, path, mine, 0o755)
			}
			p := preCommit{t, path, "1"}
			ours, theirs, steps := false, false, ""
			for i := range 4 {
				switch order >> (2 * i) & 3 {
				case 0:
					mustInstall(t, dir, exe)
					ours, steps = true, steps+" enable"
				case 1:
					if _, err := Remove(dir); err != nil {
						t.Fatal(err)
					}
					ours, steps = false, steps+" disable"
				case 2:
					p.id += "1" // a newer one each time
					p.install()
					theirs, steps = true, steps+" install"
				case 3:
					p.uninstall()
					theirs, steps = false, steps+" uninstall"
				}
				if got, want := chain(t, dir, "commit-msg"), expected(theirs, ours, mine != ""); got != want {
					t.Fatalf("%q after%s runs%s, want%s\n%s", mine, steps, got, want, listing(t, dir))
				}
			}
		}
	}
}

func expected(theirs, ours, mine bool) string {
	s := ""
	for _, c := range []struct {
		there bool
		name  string
	}{{theirs, " pre-commit"}, {ours, " ours"}, {mine, " mine"}} {
		if c.there {
			s += c.name
		}
	}
	return s
}

// chain says which hooks run, the outer one first, without running them.
func chain(t *testing.T, dir, name string) (names string) {
	t.Helper()
	path := filepath.Join(dir, name)
	for range 10 {
		body, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return names
		}
		if err != nil {
			t.Fatal(err)
		}
		_, ours := parseStub(name, string(body))
		switch {
		case strings.Contains(string(body), "generated by pre-commit"):
			names, path = names+" pre-commit", filepath.Join(dir, name+legacySuffix)
		case ours && string(body) == stub(name, exe, true):
			names, path = names+" ours", filepath.Join(dir, name+keptSuffix)
		case ours:
			return names + " ours"
		default:
			return names + " mine"
		}
	}
	return names + " …"
}

// Programs before this one kept pre-commit's hook behind their stub; what came of that is put right.
func TestPreCommitKeptBehindOurs(t *testing.T) {
	for name, again := range map[string]bool{"once": false, "installed again": true} {
		for _, remove := range []bool{false, true} {
			dir := t.TempDir()
			path := filepath.Join(dir, "commit-msg")
			put(t, path+keptSuffix, preCommit{t, path, "1"}.body(), 0o755)
			put(t, path, forms[1].render("commit-msg", quote(exe), true), 0o755)
			if again {
				preCommit{t, path, "2"}.install()
			}
			equal(t, name, states(t, dir, exe), row("absent outdated absent"))
			if remove {
				if _, err := Remove(dir); err != nil {
					t.Fatal(err)
				}
				equal(t, name+", removed", chain(t, dir, "commit-msg"), " pre-commit")
				continue
			}
			mustInstall(t, dir, exe)
			equal(t, name+", enabled", chain(t, dir, "commit-msg"), " pre-commit ours")
			equal(t, name, states(t, dir, exe), row("current current current"))
		}
	}
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
	put(t, filepath.Join(dir, "commit-msg"), "theirs", 0o755)
	// The place where the stub is written first can't be used.
	put(t, filepath.Join(dir, fmt.Sprintf("commit-msg.entire-plumb-%d", os.Getpid()), "full"), "", 0o644)
	was := states(t, dir, exe)
	done, err := Install(dir, exe)
	if err == nil || !strings.Contains(err.Error(), "hint:") {
		t.Errorf("Install: %v", err)
	}
	equal(t, "done before it", actions(done), "installed")
	equal(t, "the hooks", states(t, dir, exe), strings.Replace(was, "absent", "current", 1))
	if body, _ := os.ReadFile(filepath.Join(dir, "commit-msg")); string(body) != "theirs" {
		t.Errorf("the foreign hook is %q", body)
	}
}
