package checkpoints

import (
	"math"
	"testing"

	"entire-plumb/gitexec"
	"entire-plumb/internal/ledger"
	"entire-plumb/internal/testrepo"
)

// TestPlaces: each version has numbers of its own, which lead back to it; when none are left its lines
// are the base's.
func TestPlaces(t *testing.T) {
	g := &gathering{nextPlace: ledger.FirstPlace}
	one := g.places(olderVersion{commit: "a", path: "f"}, []byte("x\ny"))
	two := g.places(olderVersion{commit: "b", path: "g"}, []byte("x\n"))
	for _, c := range []struct {
		o    ledger.Owner
		of   gitexec.OID
		line int
	}{{one(0, false), "a", 0}, {one(1, true), "a", 1}, {two(0, false), "b", 0}, {two(1, false), "b", 1}} {
		v := g.older[g.olderVersionOf(c.o)]
		if v.commit != c.of || int(c.o-v.first) != c.line || !c.o.IsPlace() || c.o.IsTurn() {
			t.Errorf("%d is line %d of %s, want line %d of %s", c.o, c.o-v.first, v.commit, c.line, c.of)
		}
	}
	g.nextPlace = math.MaxInt32 - 2
	if g.places(olderVersion{}, []byte("x\ny\nz")) != nil || len(g.older) != 2 {
		t.Error("numbers that are not left")
	}
}

// TestNewPlaces: only new lines count, and the version with most evidence comes first.
func TestNewPlaces(t *testing.T) {
	g := &gathering{nextPlace: ledger.FirstPlace, book: ledger.New()}
	g.places(olderVersion{commit: "a", path: "f"}, []byte("alpha_one\n}\n"))
	g.places(olderVersion{commit: "b", path: "f"}, []byte("beta_two\ngamma_three\n"))
	a, b := g.older[0].first, g.older[1].first
	g.book.Add("f", "new", []byte("alpha_one\nbeta_two\ngamma_three\n}\nold\n"), a, b, b+1, a+1, ledger.Base)
	changes := map[gitexec.Path]gitexec.Change{"f": {New: gitexec.Entry{ID: "new"}}}
	for _, c := range []struct {
		start, lines int
		want         []gitexec.OID
	}{{1, 5, []gitexec.OID{"b", "a"}}, {1, 1, []gitexec.OID{"a"}}, {5, 1, nil}, {0, 0, nil}, {4, 9, []gitexec.OID{"a"}}} {
		patches := []gitexec.FilePatch{{New: "f", Hunks: []gitexec.Hunk{{NewStart: c.start, NewLines: c.lines}}}, {New: "unknown"}}
		got := g.newPlaces(patches, changes)
		if len(got) != len(c.want) {
			t.Fatalf("%d,%d: %d versions, want %v", c.start, c.lines, len(got), c.want)
		}
		for i, of := range c.want {
			if got[i].of.commit != of {
				t.Errorf("%d,%d: %s at %d, want %s", c.start, c.lines, got[i].of.commit, i, of)
			}
		}
	}
}

// TestMustAsk: of the parent's lines those are asked for that the commit keeps in another file.
func TestMustAsk(t *testing.T) {
	r := testrepo.New(t)
	was, now := r.Blob("alpha_one\nbeta_two\n"), r.Blob("beta_two\n")
	g := &gathering{db: r.DB, nextPlace: ledger.FirstPlace, book: ledger.New(), before: "parent",
		parent: r.EditTree("", gitexec.Edits{"kept": was, "cut": was}), tree: r.EditTree("", gitexec.Edits{"kept": was, "cut": now})}
	for _, path := range []gitexec.Path{"kept", "cut"} {
		g.places(olderVersion{commit: "parent", path: path, blob: was.ID}, []byte("alpha_one\nbeta_two\n"))
		g.book.Add(string(path), string(was.ID), []byte("alpha_one\nbeta_two\n"))
	}
	g.places(olderVersion{commit: "older", path: "cut", blob: was.ID}, []byte("alpha_one\nbeta_two\n"))
	must := mustAsk(g)
	for _, c := range []struct {
		at   int
		line ledger.Owner
		to   gitexec.Path
		want bool
	}{{0, 0, "new", true}, {0, 1, "new", true}, {0, 0, "kept", false}, {1, 0, "new", false}, {1, 1, "new", true}, {2, 0, "cut", true}} {
		if got := must(c.at, g.older[c.at].first+c.line, c.to); got != c.want {
			t.Errorf("line %d of version %d in %s: %v, want %v", c.line, c.at, c.to, got, c.want)
		}
	}
}
