package gitexec

import (
	"context"
	"errors"
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"entire-plumb/internal/testdir"
)

// A line of commits, and what each of them did, read together are what git says of each.
func TestAncestors(t *testing.T) {
	bothFormats(t, func(t *testing.T, r *Repo) {
		ctx := context.Background()
		db := r.ODB(ctx)
		defer db.Close()
		random := rand.New(rand.NewSource(5))
		tip, tree := r.Head.ID, r.Head.Tree
		for i := range 70 {
			edits := Edits{}
			for range 1 + random.Intn(3) {
				blob, err := db.WriteBlob([]byte(fmt.Sprint(i, len(edits))))
				testdir.Must(t, err)
				path := fmt.Sprintf("%s/f%d", []string{"dir", "a/b", "kept out/x", "kept out/y"}[random.Intn(4)], random.Intn(4))
				edits[Path(path)] = Entry{Mode: ModeFile, ID: blob}
			}
			var err error
			tree, err = db.EditTree(tree, edits)
			testdir.Must(t, err)
			parents := []OID{tip}
			if i%9 == 0 {
				parents = append(parents, r.Head.ID)
			}
			made, err := db.CommitTree(NewCommit{Tree: tree, Parents: parents, Author: someone, Committer: someone, Message: "m\n"})
			testdir.Must(t, err)
			tip = made[0]
		}
		testdir.Must(t, db.Flush())
		want := strings.Fields(git(t, r.Top, "rev-list", "--first-parent", string(tip)))
		var line []Commit
		for _, n := range []int{200, 1, 7, 70, 71} {
			fresh := r.ODB(ctx)
			line = nil
			for next := tip; next != ""; {
				some, err := fresh.Ancestors(next, n)
				if err != nil || len(some) == 0 || len(some) > n {
					t.Fatalf("%d of %d: %v", len(some), n, err)
				}
				line, next = append(line, some...), ""
				if last := line[len(line)-1]; len(last.Parents) > 0 {
					next = last.Parents[0]
				}
			}
			var got []string
			for _, c := range line {
				got = append(got, string(c.ID))
			}
			if !slices.Equal(got, want) {
				t.Errorf("by %d: %v, git says %v", n, got, want)
			}
			testdir.Must(t, fresh.Close())
		}
		for _, read := range []int{1, 3, 10} { // some are known, the others are read
			fresh := r.ODB(ctx)
			if _, err := fresh.Ancestors(line[3].ID, read); err != nil {
				t.Fatal(err)
			}
			known, err := fresh.Ancestors(line[3].ID, 4)
			if err != nil || len(known) != 4 || known[0].ID != line[3].ID || known[3].ID != line[6].ID {
				t.Errorf("read again after %d: %v %v", read, known, err)
			}
			if all, err := fresh.Ancestors(line[3].ID, 200); err != nil || len(all) != len(line)-3 {
				t.Errorf("all of them after %d: %d %v", read, len(all), err)
			}
			testdir.Must(t, fresh.Close())
		}
		var trees []Trees
		for i, c := range line[:len(line)-1] {
			trees = append(trees, Trees{line[i+1].Tree, c.Tree})
		}
		trees = append(trees, Trees{tree, tree}, Trees{"", tree})
		diffs, err := db.DiffEach("kept out/x", trees...)
		testdir.Must(t, err)
		for i, pair := range trees {
			var gits []Change
			if pair.Old == "" {
				pair.Old = r.Format.EmptyTree()
			}
			gits, err = r.rawDiff(ctx, "", []string{"diff-tree", "-r"}, []string{string(pair.Old), string(pair.New)}, nil)
			testdir.Must(t, err)
			gits = slices.DeleteFunc(sameZero(gits), func(c Change) bool { return strings.HasPrefix(string(c.Path), "kept out/x/") })
			if fmt.Sprint(diffs[i]) != fmt.Sprint(gits) {
				t.Errorf("%d: %v, git says %v", i, diffs[i], gits)
			}
		}
		if _, err := db.Ancestors(tree, 3); !isKind(err) {
			t.Errorf("of a tree: %v", err)
		}
		missing := OID(strings.Repeat("1", len(tip)))
		if _, err := db.Ancestors(missing, 3); err == nil || !errors.As(err, new(*MissingError)) {
			t.Errorf("of nothing: %v", err)
		}
		// What the line leads to may not be here.
		cut, err := db.CommitTree(NewCommit{Tree: tree, Parents: []OID{missing}, Author: someone, Committer: someone, Message: "m\n"})
		testdir.Must(t, err)
		for range 2 {
			if some, err := db.Ancestors(cut[0], 3); err != nil || len(some) != 1 {
				t.Errorf("before what is missing: %v %v", some, err)
			}
		}
	})
}

func isKind(err error) bool { return errors.As(err, new(*KindError)) }
