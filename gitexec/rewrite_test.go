package gitexec

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"entire-plumb/internal/testdir"
)

// TestRewriteCommit: what is not replaced stays byte for byte, a signature is left out with all its
// lines, and where nothing differs it is the same commit.
func TestRewriteCommit(t *testing.T) {
	bothFormats(t, func(t *testing.T, r *Repo) {
		db := r.ODB(context.Background())
		defer db.Close()
		const who = "author A <a@b> 60 +0130\ncommitter C <c@d> 120 -0100\n"
		tree, parent := "tree "+string(r.Head.Tree)+"\n", "parent "+string(r.Head.ID)+"\n"
		for _, c := range []struct{ name, text, want string }{
			{"nothing differs", tree + parent + who + "\nmessage\n", tree + parent + who + "\nmessage\n"},
			{"a signature", tree + parent + who + "gpgsig -----BEGIN\n line\n -----END\nencoding latin1\n\nmessage\n", tree + parent + who + "encoding latin1\n\nmessage\n"},
			{"one of another format", tree + who + "gpgsig-sha256 -----BEGIN\n line\n\nmessage\n", tree + parent + who + "\nmessage\n"},
			{"other lines that go on", tree + who + "mergetag object x\n line\n\nother\n", tree + parent + who + "mergetag object x\n line\n\nmessage\n"},
		} {
			ids, err := db.write("commit", []byte(c.text))
			testdir.Must(t, err)
			commits, err := db.Commits(ids...)
			testdir.Must(t, err)
			id, err := db.RewriteCommit(commits[0], r.Head.Tree, []OID{r.Head.ID}, []byte("message\n"))
			testdir.Must(t, err)
			testdir.Must(t, db.Flush())
			if got := git(t, r.Top, "cat-file", "commit", string(id)) + "\n"; got != c.want {
				t.Errorf("%s: %q, want %q", c.name, got, c.want)
			}
			if (id == ids[0]) != (c.text == c.want) {
				t.Errorf("%s: %s became %s", c.name, ids[0], id)
			}
		}
	})
}

// full is a writer that takes so many bytes.
type full struct{ left int }

var errFull = errors.New("full")

func (f *full) Write(p []byte) (int, error) {
	if f.left -= len(p); f.left < 0 {
		return 0, errFull
	}
	return len(p), nil
}

// TestCopy: an object is copied whole, of its type alone, and one whose writer refuses leaves the
// process ready for the next.
func TestCopy(t *testing.T) {
	bothFormats(t, func(t *testing.T, r *Repo) {
		text := strings.Repeat("0123456789abcdef", 64<<10)
		write(t, r.Top, "large", text)
		large := OID(git(t, r.Top, "hash-object", "-w", "large"))
		o := r.Objects(context.Background())
		defer o.Close()
		var missing *MissingError
		var kind *KindError
		if err := o.Copy(&full{}, OID(strings.Repeat("1", r.Format.HexLen())), "blob"); !errors.As(err, &missing) {
			t.Errorf("%v", err)
		}
		if err := o.Copy(&full{}, r.Head.Tree, "blob"); !errors.As(err, &kind) || kind.Kind != "tree" || kind.Want != "blob" {
			t.Errorf("%v", err)
		}
		before := r.Processes()
		for range 2 {
			if err := o.Copy(&full{100 << 10}, large, "blob"); err != errFull {
				t.Errorf("%v", err)
			}
			var out bytes.Buffer
			if err := o.Copy(&out, large, "blob"); err != nil || out.String() != text {
				t.Errorf("%d bytes, %v", out.Len(), err)
			}
		}
		if n := r.Processes() - before; n != 0 {
			t.Errorf("%d more processes", n)
		}
	})
}

// TestLookup: paths lead through trees alone, and a directory is no file.
func TestLookup(t *testing.T) {
	r := repository(t, SHA1)
	o := r.Objects(context.Background())
	defer o.Close()
	paths := []Path{"a.txt", "dir", "dir/b.txt", "a.txt/b", "dir/no", "", "a.txt"}
	id := func(path string) OID { return OID(git(t, r.Top, "rev-parse", "HEAD:"+path)) }
	a, b := Entry{ModeFile, id("a.txt")}, Entry{ModeFile, id("dir/b.txt")}
	for _, c := range []struct {
		ask  func(OID, ...Path) ([]Entry, error)
		root OID
		want []Entry
	}{
		{o.Lookup, r.Head.Tree, []Entry{a, {ModeTree, id("dir")}, b, {}, {}, {}, a}},
		{o.Files, r.Head.Tree, []Entry{a, {}, b, {}, {}, {}, a}},
		{o.Files, "", make([]Entry, 7)},
	} {
		if got, err := c.ask(c.root, paths...); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%v, %v, want %v", got, err, c.want)
		}
	}
}

// TestMergeTrees: what both sides change is a conflict, all else is in the merged tree.
func TestMergeTrees(t *testing.T) {
	r := repository(t, SHA1)
	tree := func(a, b string) OID {
		write(t, r.Top, "a.txt", a)
		write(t, r.Top, "dir/b.txt", b)
		git(t, r.Top, "add", "-A")
		return OID(git(t, r.Top, "write-tree"))
	}
	db := r.ODB(context.Background())
	defer db.Close()
	merged, conflicts, err := r.MergeTrees(context.Background(), db, r.Head.Tree, tree("ours\n", "two\n"), tree("one\n", "theirs\n"))
	if want := tree("ours\n", "theirs\n"); err != nil || merged != want || conflicts != nil {
		t.Errorf("%s, %v, %v, want %s", merged, conflicts, err, want)
	}
	_, conflicts, err = r.MergeTrees(context.Background(), db, r.Head.Tree, tree("ours\n", "two\n"), tree("theirs\n", "two\n"))
	if err != nil || !slices.Equal(conflicts, []Path{"a.txt"}) {
		t.Errorf("%v, %v", conflicts, err)
	}
}
