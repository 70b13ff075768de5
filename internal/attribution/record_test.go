package attribution

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/testdir"
	"entire-plumb/internal/testrepo"
	"entire-plumb/shadow"
)

func blob(t *testing.T, db *gitexec.ODB, text string) gitexec.Entry {
	id, err := db.WriteBlob([]byte(text))
	testdir.Must(t, err)
	return gitexec.Entry{Mode: gitexec.ModeFile, ID: id}
}

func tree(t *testing.T, db *gitexec.ODB, files gitexec.Edits) gitexec.OID {
	id, err := db.EditTree("", files)
	testdir.Must(t, err)
	return id
}

// owned records files as session s1's in a checkpoint, and reads them.
func owned(t *testing.T, db *gitexec.ODB, files ...checkpoints.OwnedFile) checkpoints.Owners {
	lines, err := json.Marshal(checkpoints.OwnedLines{Turns: []string{"t1"}, Prompts: []string{""}, Files: files})
	testdir.Must(t, err)
	owners, err := checkpoints.LinesOf(db, tree(t, db, gitexec.Edits{
		"metadata.json": blob(t, db, `{"session_id":"s1","agent":"Claude Code"}`), "lines.json": blob(t, db, string(lines))}))
	if err != nil || len(owners) != len(files) {
		t.Fatalf("%v, %v", owners, err)
	}
	return owners
}

// ofAgent records all of a file's lines, first to last, as the agent's.
func ofAgent(path gitexec.Path, version gitexec.OID, first, number int) checkpoints.OwnedFile {
	return checkpoints.OwnedFile{Path: path, Blob: version, Ranges: [][3]int{{first, number, 0}}}
}

// TestRecordOf: what a checkpoint records for a version decides how its lines' authors are found.
func TestRecordOf(t *testing.T) {
	db := testrepo.New(t).DB
	one, two := blob(t, db, "a line\n").ID, blob(t, db, "another line\n").ID
	records := owned(t, db, ofAgent("some", one, 1, 1), ofAgent("any", "", 1, 1),
		checkpoints.OwnedFile{Path: "none", Blob: one, Ranges: [][3]int{}},
		checkpoints.OwnedFile{Path: "unknown", Blob: one, Ranges: [][3]int{}, Unknown: [][2]int{{1, 1}}})
	for _, c := range []struct {
		path    gitexec.Path
		noText  bool
		version gitexec.OID
		want    record
	}{
		{"some", false, one, recordsVersion},
		{"some", true, one, recordsVersion},
		{"some", false, two, recordsOther},
		{"any", false, two, recordsVersion},
		{"none", false, one, recordsVersion},
		{"none", false, two, recordsNothing},
		{"unknown", false, two, recordsOther},
		{"absent", false, one, recordsUnnamed},
		{"absent", true, one, recordsBinary},
	} {
		f, named := records[c.path]
		if got := recordOf(f, named, c.noText, c.version); got != c.want {
			t.Errorf("%s, no text %v, version %s: %d, want %d", c.path, c.noText, c.version.Short(), got, c.want)
		}
	}
}

// TestMayBeRenamed: a name that the commit keeps and changes is no file's old name.
func TestMayBeRenamed(t *testing.T) {
	a, b := gitexec.Entry{Mode: gitexec.ModeFile, ID: "a"}, gitexec.Entry{Mode: gitexec.ModeFile, ID: "b"}
	for name, c := range map[string]struct {
		before *gitexec.Entry
		now    gitexec.Entry
		want   bool
	}{
		"the name is gone":                          {&a, gitexec.Entry{}, true},
		"it is gone, of an unknown parent":          {nil, gitexec.Entry{}, true},
		"the recorded version":                      {&a, a, false},
		"another version, as before":                {&b, b, true},
		"another version, which the commit changes": {&a, b, false},
		"another version, of an unknown parent":     {nil, b, false},
		"another mode":                              {&b, gitexec.Entry{Mode: gitexec.ModeExec, ID: "b"}, false},
	} {
		if got := mayBeRenamed("a", c.before, c.now); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestFileFromRecords: lines have the recorded agent in this version, in a changed one and under an
// old name, and an unknown author where a record cannot be compared.
func TestFileFromRecords(t *testing.T) {
	db := testrepo.New(t).DB
	old, now := blob(t, db, "first of the agent\nsecond of the agent\n"), blob(t, db, "by a human\nfirst of the agent\nsecond of the agent\n")
	binary := blob(t, db, "\x00")
	missing := gitexec.OID(strings.Repeat("a", len(old.ID)))
	for name, c := range map[string]struct {
		files  gitexec.Edits
		record checkpoints.OwnedFile
		here   gitexec.Entry
		want   []Kind // of lines 1, 2…
		moved  bool
		reason string
	}{
		"this version": {gitexec.Edits{"f": old}, ofAgent("f", old.ID, 1, 1), old, []Kind{Agent, Human}, false, ""},
		"any version":  {gitexec.Edits{"f": now}, ofAgent("f", "", 3, 1), now, []Kind{Human, Human, Agent}, false, ""},
		"another":      {gitexec.Edits{"f": now}, ofAgent("f", old.ID, 1, 2), now, []Kind{Human, Agent, Agent}, true, ""},
		"another that is missing": {gitexec.Edits{"f": now}, ofAgent("f", missing, 1, 2), now, []Kind{Unknown}, true,
			"they cannot be compared"},
		"renamed as it is":          {gitexec.Edits{"f": old}, ofAgent("old", old.ID, 1, 2), old, []Kind{Agent, Agent}, true, ""},
		"renamed and changed":       {gitexec.Edits{"f": now}, ofAgent("old", old.ID, 1, 2), now, []Kind{Human, Agent, Agent}, true, ""},
		"the other file is there":   {gitexec.Edits{"f": now, "old": old}, ofAgent("old", old.ID, 1, 2), now, []Kind{Human, Human}, false, ""},
		"the old one is missing":    {gitexec.Edits{"f": now}, ofAgent("old", missing, 1, 2), now, []Kind{Unknown}, false, "may be an earlier name"},
		"the old one is unlike":     {gitexec.Edits{"f": now}, ofAgent("old", blob(t, db, "quite different\n").ID, 1, 1), now, []Kind{Human, Human}, false, ""},
		"a record without lines":    {gitexec.Edits{"f": now}, checkpoints.OwnedFile{Path: "f", Blob: old.ID, Ranges: [][3]int{}}, now, []Kind{Human, Human}, false, ""},
		"it cannot be a text's own": {gitexec.Edits{"f": binary}, ofAgent("f", old.ID, 1, 2), binary, []Kind{Unknown}, true, "they cannot be compared"},
	} {
		commit := Of(db, tree(t, db, c.files), owned(t, db, c.record))
		lines := []int{}
		for i := range c.want {
			lines = append(lines, i+1)
		}
		f, err := commit.File("f", c.here, lines)
		testdir.Must(t, err)
		for i, want := range c.want {
			if got := f.Author(i + 1); got.Kind != want || !strings.Contains(got.Reason, c.reason) || want == Agent && got.Session != "s1" {
				t.Errorf("%s: line %d: %+v, want %s, %q", name, i+1, got, want, c.reason)
			}
		}
		if f.Moved != c.moved {
			t.Errorf("%s: moved %v", name, f.Moved)
		}
	}
}

// TestBinaryInCheckpoint: a file that its checkpoint took for a binary one has no known author, and
// a checkpoint that is not here is named.
func TestBinaryInCheckpoint(t *testing.T) {
	db := testrepo.New(t).DB
	here := blob(t, db, "a line\n")
	claimed := &checkpoints.InitialAttribution{NoText: []gitexec.Path{"f"}}
	commit := Of(db, tree(t, db, gitexec.Edits{"f": here}), nil)
	commit.Links = []checkpoints.Recorded{{ID: "c1", Found: true, Sessions: []checkpoints.RecordedSession{{Claimed: claimed}}}, {ID: "c2"}}
	f, err := commit.File("f", here, []int{1})
	if a := f.Author(1); err != nil || a.Kind != Unknown || !a.Missing || !strings.Contains(a.Reason, "binary") {
		t.Errorf("%+v, %v", a, err)
	}
	commit.Links = commit.Links[:1]
	if f, err = commit.File("f", here, []int{1}); err != nil || f.Author(1).Missing {
		t.Errorf("%+v, %v", f.Author(1), err)
	}
}

// TestCommitTrees: a commit that is missing, or is none, has no tree.
func TestCommitTrees(t *testing.T) {
	db := testrepo.New(t).DB
	root := tree(t, db, gitexec.Edits{"f": blob(t, db, "a line\n")})
	trees, err := commitTrees(db, []gitexec.OID{gitexec.OID(strings.Repeat("a", len(root))), root})
	if err != nil || !slices.Equal(trees, []gitexec.OID{"", ""}) {
		t.Errorf("%v, %v", trees, err)
	}
}

func TestSameVersionFirst(t *testing.T) {
	same, other := layer{}, layer{at: map[int]int{}}
	for i, c := range []struct {
		a, b layer
		want int
	}{{same, other, -1}, {other, same, 1}, {same, same, 0}, {other, other, 0}} {
		if got := sameVersionFirst(c.a, c.b); got != c.want {
			t.Errorf("%d: %d", i, got)
		}
	}
}

// TestRenamedFromTheMostSimilar: an old name has more than half of the recorded lines, and the most
// of all.
func TestRenamedFromTheMostSimilar(t *testing.T) {
	db := testrepo.New(t).DB
	here := blob(t, db, "first of them\nsecond of them\nthird of them\n")
	version := func(text string) gitexec.OID { return blob(t, db, text).ID }
	half := ofAgent("half", version("first of them\nsomething other\n"), 1, 2)
	two := ofAgent("two", version("first of them\nsecond of them\nsomething other\n"), 1, 3)
	three := ofAgent("three", version("first of them\nsecond of them\nthird of them\nsomething other\n"), 1, 4)
	for name, c := range map[string]struct {
		files []checkpoints.OwnedFile
		want  gitexec.OID
	}{
		"half":         {[]checkpoints.OwnedFile{half}, ""},
		"two of three": {[]checkpoints.OwnedFile{half, two}, two.Blob},
		"the most":     {[]checkpoints.OwnedFile{three, two}, three.Blob},
	} {
		commit := Of(db, tree(t, db, gitexec.Edits{"f": here}), nil)
		found, ok, lost, err := commit.renamed(&shadow.Texts{DB: db}, owned(t, db, c.files...), here)
		if err != nil || ok != (c.want != "") || found.Blob != c.want || lost != "" {
			t.Errorf("%s: %v %v %v %v", name, found.Blob, ok, lost, err)
		}
	}
}
