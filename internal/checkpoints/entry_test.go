package checkpoints

import (
	"context"
	"os/exec"
	"testing"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/ledger"
)

// TestSideVersions: a version that only a side has is asked for in the commit that has it: not in
// the parent of a replaced commit.
func TestSideVersions(t *testing.T) {
	dir := t.TempDir()
	if out, err := exec.Command("git", "-C", dir, "init", "-q").CombinedOutput(); err != nil {
		t.Fatalf("%s %v", out, err)
	}
	repo, err := gitexec.Discover(context.Background(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	db := repo.ODB(context.Background())
	defer db.Close()
	tree := func(text string) (gitexec.OID, gitexec.Entry) {
		id, err := db.WriteBlob([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		e := gitexec.Entry{Mode: gitexec.ModeFile, ID: id}
		root, err := db.EditTree("", gitexec.Edits{"f": e})
		if err != nil {
			t.Fatal(err)
		}
		return root, e
	}
	side, _ := tree("a line of the side\n")
	now, e := tree("a line of the side\nand another one\n")
	empty, err := db.EditTree("", nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		side look
		want gitexec.OID
	}{
		"a commit that is replaced": {look{tree: side, commit: "replaced", base: "parent"}, "replaced"},
		"another one":               {look{tree: side, base: "side", side: true}, "side"},
	} {
		g := &gathering{db: db, book: ledger.New(), nextPlace: ledger.FirstPlace, sides: []look{c.side}, large: map[gitexec.OID]bool{},
			seen: map[*ledger.Version]time.Time{}}
		l := look{before: empty, tree: now, by: ledger.Human, changes: []gitexec.Change{{Path: "f", New: e}}}
		if err := g.enterLook(l); err != nil || len(g.older) != 1 || g.older[0].commit != c.want {
			t.Errorf("%s: %+v, %v; want %s", name, g.older, err, c.want)
		}
	}
}
