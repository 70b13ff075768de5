package checkpoints

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"entire-plumb/gitexec"
	"entire-plumb/internal/lineage"
	"entire-plumb/internal/testdir"
	"entire-plumb/internal/testrepo"
)

// fingerprinted writes a branch of checkpoints, each with one file of so many lines, all of them
// equal.
func fingerprinted(t *testing.T, db *gitexec.ODB, lines ...int) Branch {
	t.Helper()
	edits := gitexec.Edits{}
	blob := func(data []byte) gitexec.Entry {
		id, err := db.WriteBlob(data)
		testdir.Must(t, err)
		return gitexec.Entry{Mode: gitexec.ModeFile, ID: id}
	}
	for i, n := range lines {
		version := blob([]byte(strings.Repeat("\n", n) + fmt.Sprint(i)))
		owned := OwnedLines{Version: linesVersion, Turns: []string{"t"}, Prompts: []string{"p"}, Files: []OwnedFile{{
			Path: "f", Blob: version.ID, Lines: n, Ranges: [][3]int{{1, n, 0}}, Hashes: base64.RawStdEncoding.EncodeToString(make([]byte, 4*n))}}}
		data, err := json.Marshal(owned)
		testdir.Must(t, err)
		meta, err := json.Marshal(SessionMetadata{SessionID: "s", FilesTouched: []gitexec.Path{"f"}})
		testdir.Must(t, err)
		dir := place(fmt.Sprintf("%012x", i)) + "/0/"
		edits[gitexec.Path(dir+"metadata.json")], edits[gitexec.Path(dir+linesFile)] = blob(meta), blob(data)
	}
	tree, err := db.EditTree("", edits)
	testdir.Must(t, err)
	return Branch{Tree: tree}
}

func newIndex() Index {
	return Index{Version: indexVersion, Shards: map[string][]gitexec.OID{}, Entries: map[string]IndexEntry{}}
}

// TestIndexBounds: a list with more lines than a commit's fingerprint may have is not kept, and is
// named once; the others are.
func TestIndexBounds(t *testing.T) {
	db := testrepo.New(t).DB
	b := fingerprinted(t, db, 5, mostHashed+1, mostHashed, 1_000_000)
	x := newIndex()
	changed, over, err := x.Update(db, b)
	if err != nil || !changed {
		t.Fatal(changed, err)
	}
	if want := []string{"000000000001", "000000000003"}; !slices.Equal(over, want) {
		t.Errorf("over the limit: %v, want %v", over, want)
	}
	for id, want := range map[string]int{"000000000000": 5, "000000000001": 0, "000000000002": mostHashed, "000000000003": 0} {
		if got := x.Entries[id].lines(); got != want {
			t.Errorf("%s: %d lines, want %d", id, got, want)
		}
	}
	if changed, over, err := x.Update(db, b); changed || len(over) > 0 || err != nil {
		t.Errorf("again: %v %v %v", changed, over, err)
	}
}

// TestIndexAllowance: what the large lists of a branch have in all is limited, and small ones cost
// nothing of it.
func TestIndexAllowance(t *testing.T) {
	db := testrepo.New(t).DB
	b := fingerprinted(t, db, 20_000, 20_000, 20_000, 7)
	dirs := map[string]gitexec.Entry{}
	for i := range 4 {
		id := fmt.Sprintf("%012x", i)
		found, err := db.Lookup(b.Tree, gitexec.Path(place(id)))
		testdir.Must(t, err)
		dirs[id] = found[0]
	}
	x := newIndex()
	lines, err := x.add(db, b, dirs, &allowance{large: 250_000}) // two lists have 107 kB each
	if err != nil || lines != 40_007 {
		t.Errorf("%d lines, %v", lines, err)
	}
	if e := x.Entries["000000000002"]; !e.Over || e.Fingerprint != nil {
		t.Errorf("the third large list is read: %+v", e.Over)
	}
}

// TestIndexSheds: beyond the limit for a branch the largest fingerprints go, not those of the last
// checkpoints.
func TestIndexSheds(t *testing.T) {
	x := newIndex()
	for i, n := range []int{3, 50, 4, 40} {
		x.Entries[fmt.Sprint(i)] = IndexEntry{Fingerprint: &lineage.Checkpoint{Files: []lineage.File{{Lines: make([]lineage.Line, n)}}}}
	}
	if left := x.shed(50); left != 47 || !x.Entries["1"].Over || x.Entries["3"].Over {
		t.Errorf("%d lines left: %+v", left, x.Entries)
	}
	if left := x.shed(50); left != 47 {
		t.Errorf("%d lines left, though they fit", left)
	}
}
