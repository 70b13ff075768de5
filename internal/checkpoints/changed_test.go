package checkpoints

import (
	"strings"
	"testing"

	"entire-plumb/gitexec"
	"entire-plumb/internal/testrepo"
)

// TestEntryOf: a file is in a checkpoint, a link, an entry of the list, or what is at the top.
func TestEntryOf(t *testing.T) {
	rest := strings.Repeat("c", 38)
	for file, want := range map[gitexec.Path]gitexec.Path{
		"ab/cdef012345/0/metadata.json": "ab/cdef012345", "ab/cdef012345": "ab/cdef012345", "links/ab/" + gitexec.Path(rest) + ".json": "links/ab/" + gitexec.Path(rest) + ".json",
		"purged/ab/cdef012345": "purged/ab/cdef012345", "code/a/b": "code", "README": "README", "ab": "ab",
	} {
		if got := EntryOf(file); got != want {
			t.Errorf("%s: %s", file, got)
		}
	}
	for entry, want := range map[gitexec.Path]string{"ab/cdef012345": "abcdef012345", "ab/cdef": "", "links/ab/cdef012345": "", "README": ""} {
		if got := EntryID(entry); got != want {
			t.Errorf("%s: %s", entry, got)
		}
	}
	for entry, want := range map[gitexec.Path]gitexec.OID{"links/ab/" + gitexec.Path(rest) + ".json": gitexec.OID("ab" + rest), "links/ab/x.json": "", "ab/cdef012345": "", "purged/ab/x": ""} {
		if got := EntryCommit(entry); got != want {
			t.Errorf("%s: %s", entry, got)
		}
	}
}

// TestChangedEntries: entries are whole; with them as edits one tree becomes the other.
func TestChangedEntries(t *testing.T) {
	db := testrepo.New(t).DB
	link := gitexec.Path("links/ab/" + strings.Repeat("c", 38) + ".json")
	tree := func(files map[gitexec.Path]string) gitexec.OID {
		edits := gitexec.Edits{}
		for path, text := range files {
			id, err := db.WriteBlob([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			edits[path] = gitexec.Entry{Mode: gitexec.ModeFile, ID: id}
		}
		id, err := db.EditTree("", edits)
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	nothing, err := db.WriteTrees(gitexec.Tree{})
	if err != nil {
		t.Fatal(err)
	}
	trees := []gitexec.OID{
		nothing[0],
		tree(map[gitexec.Path]string{"ab/cdef012345/metadata.json": "1", "ab/cdef012345/0/full.jsonl": "1", "cd/cdef012345/metadata.json": "1"}),
		tree(map[gitexec.Path]string{"ab/cdef012345/metadata.json": "2", "ab/cdef012345/0/full.jsonl": "1", link: `{"checkpoints": ["abcdef012345", "x"]}`}),
		tree(map[gitexec.Path]string{"ab": "a file", "README": "x", "code/a": "x", "purged/ab/cdef012345": "{}", "links/ab": "a file"}),
	}
	want := map[[2]int]string{{0, 1}: "ab/cdef012345 cd/cdef012345", {1, 2}: "ab/cdef012345 cd/cdef012345 " + string(link), {1, 1}: "",
		{2, 3}: "README ab code links/ab purged/ab/cdef012345"}
	for i := range trees {
		for j := range trees {
			changes, err := ChangedEntries(db, trees[i], trees[j])
			if err != nil {
				t.Fatal(err)
			}
			edits, names := gitexec.Edits{}, []string{}
			for _, c := range changes {
				edits[c.Path], names = c.New, append(names, string(c.Path))
			}
			if got, err := db.EditTree(trees[i], edits); err != nil || got != trees[j] {
				t.Errorf("%d to %d: %s, %v", i, j, got, err)
			}
			if text, known := want[[2]int{i, j}]; known && strings.Join(names, " ") != text {
				t.Errorf("%d to %d: %s", i, j, names)
			}
		}
	}
	changes, _ := ChangedEntries(db, trees[1], trees[2])
	named, err := NamedBeside(db, changes)
	if ids := named[EntryCommit(link)]; err != nil || len(named) != 1 || len(ids) != 1 || ids[0] != "abcdef012345" {
		t.Errorf("%v, %v", named, err)
	}
}
