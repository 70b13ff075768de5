package rewind

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

func TestWithin(t *testing.T) {
	for _, c := range []struct {
		path, dir gitexec.Path
		want      bool
	}{
		{"a", "", true}, {"a", "a", true}, {"a/b", "a", true}, {"ab", "a", false}, {"a", "a/b", false}, {"b/a", "a", false},
	} {
		if got := within(c.path, c.dir); got != c.want {
			t.Errorf("%s in %s: %v", c.path, c.dir, got)
		}
	}
}

func TestPathsOf(t *testing.T) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	testdir.Must(t, errors.Join(err, os.Mkdir(filepath.Join(top, "sub"), 0o700), os.Symlink("sub", filepath.Join(top, "link"))))
	for _, c := range []struct{ dir, file, want string }{
		{"", "f", "f"}, {"sub", "f", "sub/f"}, {"link", "f", "sub/f"}, {"sub", "..", ""}, {"", ".", ""}, {"sub", "../x/./y", "x/y"},
		{"sub", filepath.Join(top, "g"), "g"}, {"", "..f", "..f"}, {"", "../f", "error"}, {"sub", "/elsewhere", "error"},
	} {
		paths, err := pathsOf(top, filepath.Join(top, c.dir), []string{c.file})
		if c.want == "error" {
			if !errors.Is(err, ErrNoSuchFile) {
				t.Errorf("%s in %s: %v, %v", c.file, c.dir, paths, err)
			}
		} else if err != nil || len(paths) != 1 || string(paths[0]) != c.want {
			t.Errorf("%s in %s: %q, %v", c.file, c.dir, paths, err)
		}
	}
	if paths, err := pathsOf(top, top, nil); paths != nil || err != nil {
		t.Errorf("no file: %v, %v", paths, err)
	}
}

// change is one of a path: "+p" adds it, "-p" deletes it, "~p" changes it.
func change(s string) gitexec.Change {
	some := gitexec.Entry{Mode: gitexec.ModeFile, ID: "1"}
	c := gitexec.Change{Path: gitexec.Path(s[1:]), Old: some, New: gitexec.Entry{Mode: gitexec.ModeFile, ID: "2"}}
	switch s[0] {
	case '+':
		c.Old = gitexec.Entry{}
	case '-':
		c.New = gitexec.Entry{}
	}
	return c
}

func changes(list string) (all []gitexec.Change) {
	for _, s := range strings.Fields(list) {
		all = append(all, change(s))
	}
	return all
}

// TestLimit: beside the changes at the named paths, files go that are in their way, and are named
// from then on.
func TestLimit(t *testing.T) {
	for _, c := range []struct{ diff, paths, want, named string }{
		{"~a ~b", "a", "~a", "a"},
		{"~d/a ~d/b ~da", "d", "~d/a ~d/b", "d"},
		{"-a ~b", "a", "-a", "a"},
		{"-d +d/a", "d/a", "+d/a -d", "d/a d"},
		{"-d +d/a +d/b", "d/a", "+d/a -d", "d/a d"},
		{"-d -d/a", "d/a", "-d/a", "d/a"}, // nothing takes its place
		{"~d +d/a", "d/a", "+d/a", "d/a"},
		{"-e +d/a", "d/a", "+d/a", "d/a"},
		{"~a", "b", "", "b"},
	} {
		var paths []gitexec.Path
		for _, p := range strings.Fields(c.paths) {
			paths = append(paths, gitexec.Path(p))
		}
		kept, named := limit(changes(c.diff), paths)
		var text []string
		for _, p := range named {
			text = append(text, string(p))
		}
		if !slices.Equal(kept, changes(c.want)) || strings.Join(text, " ") != c.named {
			t.Errorf("%s of %s: %v, %v", c.paths, c.diff, kept, named)
		}
	}
}

// TestMayOverwrite: only a new file can be in the place of one that no snapshot holds, and not
// where something else in its way goes.
func TestMayOverwrite(t *testing.T) {
	for _, c := range []struct {
		change, diff string
		want         bool
	}{
		{"+a", "+a", true}, {"~a", "~a", false}, {"-a", "-a", false}, {"+l/a", "+l/a -l", false}, {"+l/a", "+l/a ~l", false},
		{"+l/a", "+l/a +l", true}, {"+l/a", "+l/a -k", true}, {"+la", "+la -l", true},
	} {
		if got := mayOverwrite(change(c.change), changes(c.diff)); got != c.want {
			t.Errorf("%s in %s: %v", c.change, c.diff, got)
		}
	}
}

func TestList(t *testing.T) {
	r := newRewound()
	r.list(changes("+a -b ~c"))
	if !slices.Equal(r.Restored, []gitexec.Path{"a", "c"}) || !slices.Equal(r.Deleted, []gitexec.Path{"b"}) {
		t.Errorf("%+v", r)
	}
}
