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
	// The commit keeps the file as it was.
	of := &gathering{db: db, book: ledger.New(), tree: l.before}
	if _, now, known := of.beside(l)("changed"); !known || len(now) != 5 {
		t.Errorf("%d lines, %v: what the commit has stands there, too", len(now), known)
	}
	l.tree = gitexec.OID(strings.Repeat("a", len(l.tree)))
	g := &gathering{db: db, book: ledger.New()}
	if _, _, known := g.beside(l)("same"); known {
		t.Error("a tree that is missing is known")
	}
}
