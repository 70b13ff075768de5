package gitexec

import (
	"bytes"
	"context"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"entire-plumb/internal/testdir"
)

// Whatever waits to be stored has git's ID, and git's content once it is stored.
func TestStoredAsGitStores(t *testing.T) {
	bothFormats(t, func(t *testing.T, r *Repo) {
		db := r.ODB(context.Background())
		defer db.Close()
		random := rand.New(rand.NewPCG(1, 2))
		var ids []OID
		var want [][]byte
		for _, size := range []int{0, 1, 15, 16, 2047, 2048, 65535, 65536, 200_000, largestInMemory, largestInMemory + 1, mostInMemory + 1} {
			content := make([]byte, size)
			for i := range content {
				content[i] = byte(random.Uint32())
			}
			id, err := db.WriteBlob(content)
			testdir.Must(t, err)
			from, err := db.WriteBlobFrom(func(w io.Writer) error { _, err := w.Write(content); return err })
			testdir.Must(t, err)
			if from != id {
				t.Errorf("%d bytes: %s in a file, %s in memory", size, from, id)
			}
			ids, want = append(ids, id), append(want, bytes.Clone(content))
			if size > 0 {
				content[0]++ // it is the caller's
			}
		}
		testdir.Must(t, db.Flush())
		for i, id := range ids {
			name := filepath.Join(t.TempDir(), "content")
			testdir.Must(t, os.WriteFile(name, want[i], 0o600))
			if git := git(t, r.Top, "hash-object", name); git != string(id) {
				t.Errorf("%d bytes: %s, git says %s", len(want[i]), id, git)
			}
			if got, err := db.Blob(id, 1<<30); err != nil || !bytes.Equal(got, want[i]) {
				t.Errorf("%d bytes: %d bytes are read, %v", len(want[i]), len(got), err)
			}
		}
		git(t, r.Top, "fsck", "--strict")
	})
}

// What waits is read without git, but where a name is derived from it; the same object waits once.
func TestWaitingIsRead(t *testing.T) {
	r := repository(t, SHA1)
	db := r.ODB(context.Background())
	defer db.Close()
	blob, err := db.WriteBlob([]byte("text"))
	testdir.Must(t, err)
	trees, err := db.WriteTrees(Tree{"f": {ModeFile, blob}}, Tree{"f": {ModeFile, blob}})
	testdir.Must(t, err)
	commits, err := db.CommitTree(NewCommit{Tree: trees[0], Author: someone, Committer: someone, Message: "m\n"})
	testdir.Must(t, err)
	before := r.Processes()
	if got, err := db.Blob(blob, 10); err != nil || string(got) != "text" {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := db.Trees(trees[1]); err != nil || got[0]["f"].ID != blob {
		t.Errorf("%v, %v", got, err)
	}
	if c, err := db.Commit(commits[0]); err != nil || c.Tree != trees[0] {
		t.Errorf("%v, %v", c, err)
	}
	var copied bytes.Buffer
	if err := db.Copy(&copied, blob, "blob"); err != nil || copied.String() != "text" {
		t.Errorf("%q, %v", copied.String(), err)
	}
	if n := r.Processes(); n != before || len(r.writer.waiting) != 3 {
		t.Errorf("%d processes, %d objects wait", n-before, len(r.writer.waiting))
	}
	copied.Reset()
	if err := db.Copy(&copied, OID(git(t, r.Top, "rev-parse", "HEAD:a.txt")), "blob"); err != nil || copied.String() != "one\n" {
		t.Errorf("%q, %v", copied.String(), err)
	}
	if n := r.Processes(); n != before+1 || len(r.writer.waiting) != 3 {
		t.Errorf("%d processes, want cat-file; %d objects wait", n-before, len(r.writer.waiting))
	}
	if found, err := db.Any(commits[0]+"^{tree}", "HEAD"); err != nil || found[0].ID != trees[0] || found[1].ID != r.Head.ID {
		t.Errorf("%v, %v", found, err)
	}
	if n := r.Processes(); n != before+2 || r.writer.waits() {
		t.Errorf("%d processes, want cat-file, unpack-objects", n-before)
	}
}

// TestDiffLeavesWaiting: a diff of trees that are stored leaves waiting what another goroutine
// stores meanwhile, and one of a tree that waits has it stored.
func TestDiffLeavesWaiting(t *testing.T) {
	r := repository(t, SHA1)
	db := r.ODB(context.Background())
	defer db.Close()
	blob, err := db.WriteBlob([]byte("text"))
	testdir.Must(t, err)
	trees, err := db.WriteTrees(Tree{"f": {ModeFile, blob}})
	testdir.Must(t, err)
	diff := func(tree OID) (found int) {
		testdir.Must(t, r.DiffPairs(context.Background(), [][2]OID{{"", tree}}, Pathspecs{}, func(_ int, changes []Change) error {
			found += len(changes)
			return nil
		}))
		return found
	}
	if n := diff(OID(git(t, r.Top, "rev-parse", "HEAD^{tree}"))); n == 0 || !r.writer.waits() {
		t.Errorf("%d changes of HEAD; the objects wait: %t", n, r.writer.waits())
	}
	if n := diff(trees[0]); n != 1 || r.writer.waits() {
		t.Errorf("%d changes of the tree that waited; it waits: %t", n, r.writer.waits())
	}
}

// A ref is never moved to what could not be stored, even where the error was passed over. What is
// written later, by another ODB, is stored.
func TestNotStored(t *testing.T) {
	r := repository(t, SHA1)
	ctx := context.Background()
	db := r.ODB(ctx)
	id, err := db.WriteBlobFrom(func(w io.Writer) error { _, err := io.WriteString(w, "a large content"); return err })
	testdir.Must(t, err)
	files, err := filepath.Glob(filepath.Join(db.temp.Dir, "*"))
	testdir.Must(t, err)
	testdir.Must(t, os.Truncate(files[0], 3))
	create := func(id OID) error {
		update, err := r.StartRefUpdate(ctx, "test")
		testdir.Must(t, err)
		testdir.Must(t, update.Create("refs/tags/x", id))
		return update.Commit()
	}
	for name, err := range map[string]error{"flushed": db.Flush(), "again": db.Flush(), "a ref": create(id), "closed": db.Close()} {
		if err == nil || !strings.Contains(err.Error(), "changed while it was stored") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if refs := git(t, r.Top, "for-each-ref", "refs/tags"); refs != "" {
		t.Error(refs)
	}
	next := r.ODB(ctx)
	defer next.Close()
	id, err = next.WriteBlob([]byte("a small content"))
	testdir.Must(t, err)
	testdir.Must(t, create(id))
}

// What a gc deletes again and again is stored again and again.
func TestStoredAgainTwice(t *testing.T) {
	r := repository(t, SHA1)
	db := r.ODB(context.Background())
	defer db.Close()
	id, err := db.WriteBlob([]byte("text"))
	testdir.Must(t, err)
	again := db.unreferenced[id]
	testdir.Must(t, db.Flush())
	for range 2 {
		testdir.Must(t, os.Remove(filepath.Join(r.GitDir, "objects", string(id[:2]), string(id[2:]))))
		testdir.Must(t, again())
		testdir.Must(t, db.Flush())
		git(t, r.Top, "cat-file", "-e", string(id))
	}
}
