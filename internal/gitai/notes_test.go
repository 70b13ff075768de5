package gitai

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/ainote"
	"entire-plumb/internal/testrepo"
)

// read reads the notes of a repository as it is now.
func read(r *testrepo.Repository) notes {
	r.Helper()
	r.Open()
	n, err := readNotes(r.Context(), r.Repo, r.DB)
	r.Must(err)
	return n
}

// add writes a note, as git would, and as a file of the tree.
func add(r *testrepo.Repository, path gitexec.Path, text string) {
	r.Helper()
	_, err := read(r).write(r.Context(), r.Repo, time.Unix(1e9, 0), gitexec.Edits{path: r.Blob(text)})
	r.Must(err)
}

// TestWhereNotesAre: a note is found wherever git would find it, and git finds those that are written.
func TestWhereNotesAre(t *testing.T) {
	r := testrepo.New(t)
	id := r.Commit("One", "a", "a\n")
	if n := read(r); n.tip != "" || n.tree != "" {
		t.Errorf("%+v", n)
	} else if all, err := n.all(); err != nil || len(all) != 0 {
		t.Errorf("%v, %v", all, err)
	}
	for i, path := range names(id) {
		if depth := strings.Count(string(path), "/"); depth != i || strings.ReplaceAll(string(path), "/", "") != string(id) {
			t.Errorf("%d: %s", i, path)
		}
		text := fmt.Sprint("note ", i)
		add(r, path, text)
		if got := r.Git("notes", "--ref", "ai", "show", string(id)); got != text {
			t.Errorf("git shows %q", got)
		}
		n := read(r)
		found, err := n.of([]gitexec.OID{id, gitexec.OID(strings.Repeat("0", len(id)))})
		if err != nil || len(found) != 1 || found[id].path != path || r.Text(gitexec.Entry{Mode: gitexec.ModeFile, ID: found[id].blob}) != text {
			t.Errorf("%s: %v, %v", path, found, err)
		}
		all, err := n.all()
		if err != nil || len(all) != 1 || all[0] != found[id] {
			t.Errorf("%s: %v, %v", path, all, err)
		}
		_, err = n.write(r.Context(), r.Repo, time.Unix(1e9, 0), gitexec.Edits{path: {}})
		r.Must(err)
	}
	if n := r.Git("rev-list", "--count", ainote.Ref); n != "8" {
		t.Errorf("%s commits", n)
	}
}

// TestTwoNotes: of a commit that has two notes both import and export take the one nearest to the root.
func TestTwoNotes(t *testing.T) {
	r := testrepo.New(t)
	id := r.Commit("One", "a", "a\n")
	add(r, names(id)[2], "below")
	add(r, names(id)[0], "flat")
	n := read(r)
	found, err := n.of([]gitexec.OID{id})
	r.Must(err)
	all, err := n.all()
	if err != nil || len(all) != 2 || all[0] != found[id] {
		t.Errorf("%v, %v, %v", found, all, err)
	}
	if blobs := blobsOf(all, map[gitexec.OID]bool{id: true}); blobs[id] != found[id].blob {
		t.Errorf("%v", blobs)
	}
}

// TestWriteMoved: notes that another process wrote meanwhile stay.
func TestWriteMoved(t *testing.T) {
	r := testrepo.New(t)
	id := r.Commit("One", "a", "a\n")
	n := read(r)
	r.Git("notes", "--ref", "ai", "add", "-m", "theirs", string(id))
	if _, err := n.write(r.Context(), r.Repo, time.Unix(1e9, 0), gitexec.Edits{names(id)[0]: r.Blob("ours")}); err == nil {
		t.Error("a ref that has moved was overwritten")
	}
	if got := r.Git("notes", "--ref", "ai", "show", string(id)); got != "theirs" {
		t.Error(got)
	}
}

// TestFansOut: many notes go into directories, and so does each where others are in some.
func TestFansOut(t *testing.T) {
	r := testrepo.New(t)
	id := r.Commit("One", "a", "a\n")
	n := read(r)
	for more, want := range map[int]bool{1: false, 256: false, 257: true} {
		if got, err := n.fansOut(more); err != nil || got != want {
			t.Errorf("%d: %v, %v", more, got, err)
		}
	}
	add(r, names(id)[0], "flat")
	if got, err := read(r).fansOut(1); err != nil || got {
		t.Errorf("%v, %v", got, err)
	}
	add(r, names(id)[1], "below")
	if got, err := read(r).fansOut(1); err != nil || !got {
		t.Errorf("%v, %v", got, err)
	}
}

// TestNoNotes: a ref that is no commit is an error, and other files in the tree are no notes.
func TestNoNotes(t *testing.T) {
	r := testrepo.New(t)
	id := r.Commit("One", "a", "a\n")
	add(r, "README", "no note")
	add(r, gitexec.Path(string(id[:2])+"/README"), "nor this")
	add(r, gitexec.Path(string(id)+"/deep"), "nor this")
	if all, err := read(r).all(); err != nil || len(all) != 0 {
		t.Errorf("%v, %v", all, err)
	}
	r.Git("update-ref", ainote.Ref, r.Git("rev-parse", "HEAD:a"))
	r.Open()
	if _, err := readNotes(t.Context(), r.Repo, r.DB); err == nil || !strings.Contains(err.Error(), "is no commit") {
		t.Error(err)
	}
	if !slices.Equal(names("0123456789")[:2], []gitexec.Path{"0123456789", "01/23456789"}) {
		t.Error(names("0123456789"))
	}
}

// TestTooMany: a few small trees, of which each is there a thousand times in another, are no notes
// that anything waits for.
func TestTooMany(t *testing.T) {
	r := testrepo.New(t)
	n := read(r)
	below := gitexec.Entry{Mode: gitexec.ModeTree, ID: r.Repo.Format.EmptyTree()}
	for range 3 {
		tree := gitexec.Tree{}
		for i := range 1100 {
			tree[string([]byte{byte('A' + i/40), byte('A' + i%40)})] = below
		}
		ids, err := r.DB.WriteTrees(tree)
		r.Must(err)
		below.ID = ids[0]
	}
	n.tree = below.ID
	if all, err := n.all(); err == nil || !strings.Contains(err.Error(), "more than 1000000") {
		t.Errorf("%d notes, %v", len(all), err)
	}
}

// TestMany: so many notes are read that their directories are too large to be read at once.
func TestMany(t *testing.T) {
	r := testrepo.New(t)
	n, root := read(r), gitexec.Tree{}
	blob := r.Blob("note")
	for i := range 40 {
		tree := gitexec.Tree{}
		for j := range 7000 {
			tree[fmt.Sprintf("%038x", i*7000+j)] = blob
		}
		ids, err := r.DB.WriteTrees(tree)
		r.Must(err)
		root[fmt.Sprintf("%02x", i)] = gitexec.Entry{Mode: gitexec.ModeTree, ID: ids[0]}
	}
	ids, err := r.DB.WriteTrees(root)
	r.Must(err)
	n.tree = ids[0]
	if all, err := n.all(); err != nil || len(all) != 280_000 {
		t.Errorf("%d notes, %v", len(all), err)
	}
}
