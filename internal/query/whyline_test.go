package query

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"entire-plumb/gitexec"
	"entire-plumb/internal/journal"
	"entire-plumb/internal/workspace"
)

// TestLineNamed: FILE:LINE, and what is not.
func TestLineNamed(t *testing.T) {
	for name, want := range map[string]struct {
		file string
		line int
		ok   bool
	}{
		"a.go:12": {"a.go", 12, true}, "a:b:1": {"a:b", 1, true}, "dir/a b:7": {"dir/a b", 7, true},
		"a.go": {}, "a.go:": {}, "a.go:0": {}, "a.go:-1": {}, ":3": {}, "HEAD:a.go": {}, "": {},
	} {
		file, line, ok := LineNamed(name)
		if ok != want.ok || ok && (file != want.file || line != want.line) {
			t.Errorf("%q: %q, %d, %v", name, file, line, ok)
		}
	}
}

// TestWithPredecessors: a commit comes after those that it replaced, each once, and a circle ends.
func TestWithPredecessors(t *testing.T) {
	rewrote := func(now string, before ...string) journal.Entry {
		return journal.Entry{Rewrote: map[string][]string{now: before}}
	}
	for _, c := range []struct {
		entries []journal.Entry
		ids     []gitexec.OID
		want    []gitexec.OID
	}{
		{nil, []gitexec.OID{"c"}, []gitexec.OID{"c"}},
		{[]journal.Entry{rewrote("b", "a"), rewrote("c", "b")}, []gitexec.OID{"c"}, []gitexec.OID{"a", "b", "c"}},
		{[]journal.Entry{rewrote("c", "a", "b")}, []gitexec.OID{"a", "c"}, []gitexec.OID{"a", "b", "c"}},
	} {
		if got := withPredecessors(c.entries, c.ids); !slices.Equal(got, c.want) {
			t.Errorf("%v: %v, not %v", c.ids, got, c.want)
		}
	}
	circle := withPredecessors([]journal.Entry{rewrote("a", "b"), rewrote("b", "a")}, []gitexec.OID{"a"})
	if slices.Sort(circle); !slices.Equal(circle, []gitexec.OID{"a", "b"}) {
		t.Errorf("a circle: %v", circle)
	}
}

// TestNoLine: only a file that is there can lack a line, or be named without one.
func TestNoLine(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	e := Source{Env: workspace.Env{Dir: dir}}
	for name, want := range map[string]bool{"a.go:0": true, "a.go:x": true, "a.go": true, ":a.go": false, "HEAD:a.go": false, "": false} {
		if err := e.NoLine(name); (err != nil) != want {
			t.Errorf("%q: %v", name, err)
		}
	}
}
