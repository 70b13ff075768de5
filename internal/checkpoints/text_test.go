package checkpoints

import (
	"strings"
	"testing"

	"entire-plumb/gitexec"
	"entire-plumb/internal/ledger"
	"entire-plumb/internal/testrepo"
)

// TestBeside: what another file was before a look, and its lines in it, from which others may have moved.
func TestBeside(t *testing.T) {
	r := testrepo.New(t)
	db := r.DB
	tree := func(files map[gitexec.Path]string) gitexec.OID {
		edits := gitexec.Edits{}
		for path, text := range files {
			edits[path] = r.Blob(text)
		}
		return r.EditTree("", edits)
	}
	l := look{
		before: tree(map[gitexec.Path]string{"same": "one\ntwo\n", "changed": "one\ntwo\n", "gone": "one\n", "binary": "\x00", "was-binary": "\x00",
			"becomes-binary": "one\n", "becomes-directory": "one\n"}),
		tree: tree(map[gitexec.Path]string{"same": "one\ntwo\n", "changed": "two\nthree\nfour\n", "new": "one\n", "binary": "\x00\x00", "was-binary": "one\n",
			"becomes-binary": "\x00", "becomes-directory/file": "one\n"}),
	}
	for name, c := range map[string]struct {
		look     look
		was, now int // lines
		known    bool
	}{
		"same":              {l, 2, 2, true},
		"changed":           {l, 2, 3, true},
		"gone":              {l, 1, 0, true},
		"new":               {l, 0, 1, true},
		"nowhere":           {l, 0, 0, true},
		"binary":            {l, 0, 0, false},
		"was-binary":        {l, 0, 0, false},
		"becomes-binary":    {l, 0, 0, false},
		"becomes-directory": {l, 1, 0, true},
	} {
		g := &gathering{db: db, book: ledger.New()}
		was, now, known := g.beside(c.look)(name)
		lines := 0
		if was != nil {
			lines = len(was.Text)
		}
		if lines != c.was || len(now) != c.now || known != c.known {
			t.Errorf("%s: %d lines, then %d, %v; want %d, %d, %v", name, lines, len(now), known, c.was, c.now, c.known)
		}
		if at, err := db.Lookup(l.tree, gitexec.Path(name)); err == nil && name == "changed" && g.book.Known(name, string(at[0].ID)) != nil {
			t.Errorf("%s: its version after the look is entered", name)
		}
	}
	l.tree = gitexec.OID(strings.Repeat("a", len(l.tree)))
	g := &gathering{db: db, book: ledger.New()}
	if _, _, known := g.beside(l)("same"); known {
		t.Error("a tree that is missing is known")
	}
}

// TestAskedAt: of a version that the parent has, and the commit has no file in its place, the reader
// finds the lines; else the parent is asked, and base of one that the parent hasn't.
func TestAskedAt(t *testing.T) {
	r := testrepo.New(t)
	one, two := r.Blob("one\n"), r.Blob("two\n")
	g := &gathering{db: r.DB, before: "parent", parent: r.EditTree("", gitexec.Edits{"kept": one, "changed": one, "gone": one}),
		tree: r.EditTree("", gitexec.Edits{"kept": one, "changed": two, "new": two})}
	for _, c := range []struct {
		path    gitexec.Path
		version gitexec.Entry
		want    gitexec.OID
	}{{"kept", one, "parent"}, {"changed", one, "parent"}, {"gone", one, ""}, {"changed", two, "base"}, {"new", two, "base"}} {
		if got := askedAt(g, c.path, c.version, "base"); got != c.want {
			t.Errorf("%s: %q, want %q", c.path, got, c.want)
		}
	}
}
