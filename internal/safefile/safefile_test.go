//go:build unix

package safefile

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"entire-plumb/internal/testdir"
)

// top makes a directory, by its real path.
func top(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	testdir.Must(t, err)
	return dir
}

func must(t *testing.T, errs ...error) {
	t.Helper()
	testdir.Must(t, errors.Join(errs...))
}

func content(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	testdir.Must(t, err)
	return string(data)
}

// inTime fails where something hangs.
func inTime(t *testing.T, what string, f func()) {
	t.Helper()
	done := make(chan bool)
	go func() { defer close(done); f() }()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		t.Fatalf("%s hangs", what)
	}
}

func TestIrregularFiles(t *testing.T) {
	dir := top(t)
	path := func(name string) string { return filepath.Join(dir, name) }
	socket, err := net.Listen("unix", path("socket"))
	must(t, err, syscall.Mkfifo(path("fifo"), 0o600), os.Mkdir(path("dir"), 0o700), os.WriteFile(path("file"), []byte("12345"), 0o600),
		os.Symlink("file", path("link")), os.Symlink("fifo", path("link to a fifo")), os.Symlink("/dev/zero",
			path("zero")), os.Symlink("nowhere", path("dangling")),
		os.WriteFile(path("huge"), nil, 0o600), os.Truncate(path("huge"), 200<<20))
	defer socket.Close()
	const limit = 5
	for name, want := range map[string]struct{ followed, own string }{
		"file":           {"", ""},
		"fifo":           {"fifo: is a FIFO, not a regular file", "fifo: is a FIFO, not a regular file"},
		"dir":            {"dir: is a directory", "dir: is a directory"},
		"socket":         {"socket: is a socket, not a regular file", "socket: is a socket, not a regular file"},
		"link":           {"", "link: is a symbolic link to file"},
		"link to a fifo": {"link to a fifo: is a FIFO, not a regular file", "link to a fifo: is a symbolic link to fifo"},
		"zero":           {"zero: is a device, not a regular file", "zero: is a symbolic link to /dev/zero"},
		"dangling":       {"no such file", "dangling: is a symbolic link to nowhere"},
		"huge":           {"huge: holds 209715200 bytes, and at most 5 are read", "huge: holds 209715200 bytes, and at most 5 are read"},
		"none":           {"no such file", "no such file"},
	} {
		check := func(what string, err error, want string) {
			t.Helper()
			if (err == nil) != (want == "") || err != nil && !strings.HasSuffix(err.Error(), want) &&
				!strings.Contains(err.Error(), want+" ") {
				t.Errorf("%s %s: %v, want %q", what, name, err, want)
			}
		}
		inTime(t, name, func() {
			data, err := Read(path(name), limit)
			if check("Read", err, want.followed); err == nil && string(data) != "12345" {
				t.Errorf("Read %s gives %q", name, data)
			}
			_, err = ReadOwn(path(name), limit)
			check("ReadOwn", err, want.own)
			if name == "huge" || name == "none" { // which can be appended to
				return
			}
			f, err := Append(path(name), 0o600)
			if check("Append", err, want.own); err == nil {
				f.Close()
			}
			if err := Check(path(name)); want.own != "" {
				check("Check", err, want.own)
			}
		})
	}
	if _, err := Read(path("file"), limit-1); err == nil {
		t.Error("more than the limit was read")
	}
	if _, err := os.Lstat(path("nowhere")); err == nil {
		t.Error("a file was made by a link")
	}
}

func TestWriteReplacesWhatIsThere(t *testing.T) {
	dir := top(t)
	file, victim := filepath.Join(dir, "f"), filepath.Join(dir, "victim")
	must(t, os.WriteFile(victim, []byte("mine"), 0o755), os.Symlink("victim", file))
	must(t, Write(file, []byte("new"), 0o644))
	if info, err := os.Lstat(file); err != nil || info.Mode() != 0o644 || content(t, file) != "new" || content(t, victim) != "mine" {
		t.Errorf("%v %v, %q", info, err, content(t, victim))
	}
	must(t, os.Chmod(file, 0o777), Rewrite(file, []byte("newer")))
	if info, err := os.Lstat(file); err != nil || info.Mode() != 0o666 || content(t, file) != "newer" {
		t.Errorf("after Rewrite: %v %v", info, err)
	}
	must(t, os.Remove(file), os.Symlink("victim", file))
	if err := Rewrite(file, nil); err == nil || content(t, victim) != "mine" {
		t.Errorf("Rewrite of a link: %v", err)
	}
	must(t, syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o600))
	inTime(t, "Write", func() { must(t, Write(filepath.Join(dir, "fifo"), []byte("x"), 0o600)) })
}

// A file is written whole or not at all: where it cannot be, the old one stays, and nothing is left
// beside it.
func TestWriteIsAtomic(t *testing.T) {
	dir := top(t)
	file, full := filepath.Join(dir, "f"), filepath.Join(dir, "directory")
	must(t, Write(file, []byte("old"), 0o600), os.Mkdir(full, 0o700), os.WriteFile(filepath.Join(full, "x"), nil, 0o600))
	if err := Write(full, []byte("new"), 0o600); err == nil {
		t.Error("Write replaced a directory")
	}
	given := errors.New("given up")
	if err := WriteFrom(file, 0o600, func(f *os.File) error { f.WriteString("half"); return given }); !errors.Is(err, given) {
		t.Errorf("WriteFrom: %v", err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 2 || content(t, file) != "old" {
		t.Errorf("left are %v, %v", entries, err)
	}
}

func TestInside(t *testing.T) {
	outer := top(t)
	dir := filepath.Join(outer, "top")
	path := func(name string) string { return filepath.Join(dir, name) }
	must(t, os.MkdirAll(path("d/e"), 0o700), os.MkdirAll(path(".git"), 0o700), os.MkdirAll(path("sub/.GIT"), 0o700),
		os.WriteFile(path("d/f"), nil, 0o600))
	for link, target := range map[string]string{
		"plain": "d/f", "up": "d/../d/f", "d/back": "../d/f", "absolute": path("d/f"), "chain": "plain", "missing": "d/none/x", "dir": "d/e/..",
		"out": "../x", "far": "d/../../x", "root": "/etc/passwd", "dotdot": "..", "over": "dotdot/top/d/f", "beside": outer +
			"/top-secret", "hidden": "missing-dir/../../x",
		"loop": "loop", "git": ".git/config", "case": "sub/.GIT/hooks", "d/deep": "../chain-out", "chain-out": "out", "through": "d/e/../../../x", "itself": ".",
		"home": "~", "empty-ish": "./././d//f", "file-as-dir": "d/f/x", "abs-out": path("d/../../x"),
	} {
		must(t, os.Symlink(target, path(link)))
	}
	for name, want := range map[string]string{
		"d/f": "d/f", "none": "none", "none/of/it": "none/of/it", "plain": "d/f", "up": "d/f", "d/back": "d/f", "absolute": "d/f", "chain": "d/f",
		"missing": "d/none/x", "dir": "d", "dir/f": "d/f", "itself/d/f": "d/f", "itself": "", "home": "~", "empty-ish": "d/f",
		"out": "!out", "far": "!far", "root": "!root", "dotdot": "!dotdot", "over": "!dotdot", "beside": "!beside", "d/deep": "!out", "through": "!through", "root/x": "!root",
		"git": "!git", "case": "!case", "abs-out": "!abs-out",
		"hidden": "?", "loop": "?", "file-as-dir": "?", "d/f/x": "?",
	} {
		got, _, err := Inside(dir, name)
		var refused *Error
		switch {
		case want == "?":
			if err == nil || errors.As(err, &refused) {
				t.Errorf("%s: %q, %v", name, got, err)
			}
		case strings.HasPrefix(want, "!"):
			if !errors.As(err, &refused) || refused.Path != path(want[1:]) || refused.Target == "" {
				t.Errorf("%s: %q, %v", name, got, err)
			}
		case err != nil || got != path(want):
			t.Errorf("%s: %q, %v, want %s", name, got, err, want)
		}
	}
	if _, links, err := Inside(dir, "chain"); err != nil || strings.Join(links, " ") != "chain plain" {
		t.Errorf("links: %q, %v", links, err)
	}
}

func TestCheckWrite(t *testing.T) {
	dir := top(t)
	must(t, os.Symlink("f", filepath.Join(dir, "link")), syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o600))
	for name, want := range map[string]string{"f": "", "link": "", "theirs": "theirs: is a symbolic link to f, and tracked by git",
		"fifo": "fifo: is a FIFO", "none/x": ""} {
		if name == "theirs" {
			must(t, os.Symlink("f", filepath.Join(dir, name)))
		}
		asked := false
		err := CheckWrite(dir, []string{"g", name}, func(links []string) ([]string, error) {
			asked = true
			if links[0] == "theirs" {
				return links, nil
			}
			return nil, nil
		})
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) ||
			asked != (name == "link" || name == "theirs") {
			t.Errorf("%s: %v, asked %v", name, err, asked)
		}
	}
	must(t, RewriteInside(dir, "link", []byte("x")))
	if info, err := os.Lstat(filepath.Join(dir, "link")); err != nil || info.Mode()&fs.ModeSymlink == 0 ||
		content(t, filepath.Join(dir, "f")) != "x" {
		t.Errorf("the link: %v, %v", info, err)
	}
	must(t, RemoveInside(dir, "link"))
	if _, err := os.Lstat(filepath.Join(dir, "link")); err != nil {
		t.Error(err)
	}
}
