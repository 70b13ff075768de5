package checkpoints

import (
	"testing"

	"entire-plumb/gitexec"
	"entire-plumb/internal/testdir"
	"entire-plumb/internal/testrepo"
)

// part is a checkpoint with one session of some files.
func part(t *testing.T, db *gitexec.ODB, id string, meta SessionMetadata, files map[string]string) gitexec.OID {
	t.Helper()
	meta.CheckpointID, meta.SessionID = id, "s"
	tree := gitexec.Tree{}
	for name, text := range files {
		blob, err := db.WriteBlob([]byte(text))
		testdir.Must(t, err)
		tree[name] = gitexec.Entry{Mode: gitexec.ModeFile, ID: blob}
	}
	c, edits := &checkpoint{id: id}, gitexec.Edits{}
	c.put(meta, tree)
	testdir.Must(t, c.edits(db, edits))
	root, err := db.EditTree(mustTree(t, db, gitexec.Tree{}), edits)
	testdir.Must(t, err)
	return root
}

// TestUniteOnlyAdds: what has grown arrives, what was changed or deleted does not, whichever side it
// is on, and Lost names it where it would be gone.
func TestUniteOnlyAdds(t *testing.T) {
	const id, first, second = "ab0123456789", gitexec.OID("1111111111111111111111111111111111111111"), gitexec.OID("2222222222222222222222222222222222222222")
	db := testrepo.New(t).DB
	was := map[string]string{"full.jsonl": "one\ntwo", "prompt.txt": "Ask", "context.md": "page", "content_hash.txt": "sum", linesFile: `{"files":[]} `}
	with := func(more map[string]string) map[string]string {
		all := map[string]string{}
		for _, files := range []map[string]string{was, more} {
			for name, text := range files {
				if all[name] = text; text == "" {
					delete(all, name)
				}
			}
		}
		return all
	}
	before := part(t, db, id, SessionMetadata{Agent: "A"}, was)
	moved := SessionMetadata{Agent: "A", AttributedCommit: second, EarlierAttributions: []EarlierAttribution{{first, nil}}}
	for name, c := range map[string]struct {
		root gitexec.OID
		grew bool
	}{
		"a chunk more":            {part(t, db, id, SessionMetadata{Agent: "A"}, with(map[string]string{"full.jsonl.001": "three", "context.md": "later", "content_hash.txt": "other"})), true},
		"a longer chunk":          {part(t, db, id, SessionMetadata{Agent: "A"}, with(map[string]string{"full.jsonl": "one\ntwo\nthree"})), true},
		"a prompt more":           {part(t, db, id, SessionMetadata{Agent: "A"}, with(map[string]string{"prompt.txt": "Ask\n\n---\n\nmore", "context.md": "later"})), true},
		"moved to another commit": {part(t, db, id, moved, with(map[string]string{linesFile: "new", earlierLines(first): was[linesFile]})), true},

		"no checkpoint":           {mustTree(t, db, gitexec.Tree{}), false},
		"emptied lines":           {part(t, db, id, SessionMetadata{Agent: "A"}, with(map[string]string{linesFile: "emptied"})), false},
		"no lines":                {part(t, db, id, SessionMetadata{Agent: "A"}, with(map[string]string{linesFile: ""})), false},
		"moved, without the old":  {part(t, db, id, moved, with(map[string]string{linesFile: "new", earlierLines(first): "forged"})), false},
		"another transcript":      {part(t, db, id, SessionMetadata{Agent: "A"}, with(map[string]string{"full.jsonl": "one\nTWO\nthree", "full.jsonl.001": "four"})), false},
		"a shorter transcript":    {part(t, db, id, SessionMetadata{Agent: "A"}, with(map[string]string{"full.jsonl": "one"})), false},
		"no transcript":           {part(t, db, id, SessionMetadata{Agent: "A"}, with(map[string]string{"full.jsonl": ""})), false},
		"another prompt":          {part(t, db, id, SessionMetadata{Agent: "A"}, with(map[string]string{"prompt.txt": "Asked of me"})), false},
		"another page":            {part(t, db, id, SessionMetadata{Agent: "A"}, with(map[string]string{"context.md": "forged"})), false},
		"another agent":           {part(t, db, id, SessionMetadata{Agent: "B"}, with(map[string]string{"full.jsonl.001": "three"})), false},
		"other lines, but longer": {part(t, db, id, SessionMetadata{Agent: "A"}, with(map[string]string{"full.jsonl.001": "three", linesFile: "emptied"})), false},
	} {
		u, err := Unite(db, Sides{Ours: before, Theirs: c.root, Base: before, First: func(string) (gitexec.OID, error) { return before, nil }})
		testdir.Must(t, err)
		if c.grew != (u.Tree == c.root) {
			t.Errorf("%s: it arrives: %v, want %v", name, u.Tree == c.root, c.grew)
		}
		if lost, err := Lost(db, before, u.Tree); err != nil || len(lost) > 0 {
			t.Errorf("%s: united, %v is lost, %v", name, lost, err)
		}
		if lost, err := Lost(db, before, c.root); err != nil || (len(lost) > 0) == c.grew {
			t.Errorf("%s: %v is lost, %v", name, lost, err)
		}
		// The other clone, which has it, comes to the same.
		other, err := Unite(db, Sides{Ours: c.root, Theirs: u.Tree, Base: c.root, First: func(string) (gitexec.OID, error) { return before, nil }})
		if err != nil || other.Tree != u.Tree {
			t.Errorf("%s: the other side comes to %s, not %s: %v", name, other.Tree, u.Tree, err)
		}
	}
}

// TestUnitePurgedLists: of two entries of the list with the same name that one counts which takes
// out more; rubbish takes the place of none.
func TestUnitePurgedLists(t *testing.T) {
	db := testrepo.New(t).DB
	list := func(text string) gitexec.OID {
		blob, err := db.WriteBlob([]byte(text))
		testdir.Must(t, err)
		root, err := db.EditTree(mustTree(t, db, gitexec.Tree{}), gitexec.Edits{PurgedPath("ab0123456789"): {Mode: gitexec.ModeFile, ID: blob}})
		testdir.Must(t, err)
		return root
	}
	whole := list(`{"what":"checkpoint"}`)
	for _, less := range []string{`{"what":"transcript"}`, `{"what":"transcript","by":"x"}`, `{"what":"transcript","by":"y"}`, "rubbish", "rubbish 2", "{}", `{"what":"x"}`, ""} {
		for _, of := range []Sides{{Ours: whole, Theirs: list(less)}, {Ours: list(less), Theirs: whole}, {Ours: whole, Theirs: list(less), Base: whole}} {
			u, err := Unite(db, of)
			if err != nil || u.Tree != whole {
				t.Errorf("with %q it is %s, not %s: %v", less, u.Tree, whole, err)
			}
		}
	}
}
