package shadow

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/session"
	"entire-plumb/internal/testdir"
)

// TestTemporary writes a checkpoint, lists it, and skips it where nothing is new.
func TestTemporary(t *testing.T) {
	ctx := context.Background()
	dir := newRepo(t, "sha1")
	write(t, dir, "a.txt", "one\n")
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-qm", "First")
	repo, err := gitexec.Discover(ctx, dir, nil)
	testdir.Must(t, err)
	testdir.Must(t, os.MkdirAll(repo.SharedDir(), 0o700))
	db := repo.ODB(ctx)
	defer db.Close()
	blob, err := db.WriteBlob([]byte("by the agent\n"))
	testdir.Must(t, err)
	tree, err := db.EditTree(repo.Head.Tree, gitexec.Edits{"new.txt": {Mode: gitexec.ModeFile, ID: blob}})
	testdir.Must(t, err)
	o := WriteTemporaryOptions{Stream: NewName(repo.Head.ID, "", 3), Base: repo.Head, Who: gitexec.Ident{Name: "A", Email: "a@b", When: time.Unix(1, 0)},
		Steps: []Step{{Session: "s", Turn: "t", Part: Human, Tree: repo.Head.Tree}, {Session: "s", Turn: "t", Part: Agent, Subject: "Work", Tree: tree}}}
	r, err := WriteTemporary(ctx, db, o)
	if err != nil || r.Commit == o.Tip.ID || r.Change.New != r.Commit || r.Change.Old != "" {
		t.Fatalf("%+v %v", r, err)
	}
	if all, err := ListTemporary(ctx, repo, db); err != nil || len(all) != 0 {
		t.Errorf("before the ref moves: %v %v", all, err)
	}
	testdir.Must(t, Apply(ctx, db, session.Store{Dir: t.TempDir()}, []RefChange{r.Change}, nil))
	all, err := ListTemporary(ctx, repo, db)
	if err != nil || len(all) != 1 {
		t.Fatalf("%+v %v", all, err)
	}
	one := all[0]
	if one.Tip.ID != r.Commit || one.Tip.Session != "s" || one.Suffix != 3 || one.Tip.Tree != tree {
		t.Errorf("%+v", one)
	}
	if history, err := one.History(db); err != nil || len(history) != 1 {
		t.Errorf("the human's part, in which nothing was, is there: %v %v", history, err)
	}
	o.Tip, o.Old, o.Steps = one.Tip, one.Tip.ID, o.Steps[1:]
	if again, err := WriteTemporary(ctx, db, o); err != nil || again.Commit != r.Commit {
		t.Errorf("again: %+v %v", again, err)
	}
	ended, end := context.WithCancel(ctx)
	end()
	_, err = WriteTemporary(ended, db, o)
	_, err2 := ListTemporary(ended, repo, db)
	for _, err := range []error{err, err2} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("canceled: %v", err)
		}
	}
}
