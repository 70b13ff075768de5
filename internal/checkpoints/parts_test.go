package checkpoints

import (
	"fmt"
	"slices"
	"testing"

	"entire-plumb/gitexec"
	"entire-plumb/internal/testdir"
	"entire-plumb/internal/testrepo"
)

// TestEachPart: of checkpoints of which one is damaged all parts are passed on that can be read, in
// the order that is asked for.
func TestEachPart(t *testing.T) {
	db := testrepo.New(t).DB
	blob := func(text string) gitexec.Entry {
		id, err := db.WriteBlob([]byte(text))
		testdir.Must(t, err)
		return gitexec.Entry{Mode: gitexec.ModeFile, ID: id}
	}
	checkpoint := func(sessions ...string) gitexec.Entry {
		edits := gitexec.Edits{}
		for i, session := range sessions {
			dir := fmt.Sprintf("%d/", i)
			edits[gitexec.Path(dir+"metadata.json")] = blob(session)
			edits[gitexec.Path(dir+"full.jsonl")], edits[gitexec.Path(dir+"full.jsonl.001")] = blob("a"), blob("b"+session)
		}
		tree, err := db.EditTree("", edits)
		testdir.Must(t, err)
		return gitexec.Entry{Mode: gitexec.ModeTree, ID: tree}
	}
	a, b, bad := checkpoint(`{"session_id":"s1"}`, `{"session_id":"s2"}`), checkpoint(`{"session_id":"s3"}`), checkpoint(`{`, `{"session_id":"s4"}`)
	for name, c := range map[string]struct {
		dirs []gitexec.Entry
		want []string
	}{
		"none":              {nil, nil},
		"all are whole":     {[]gitexec.Entry{b, a}, []string{"0 s3 2", "1 s1 2", "1 s2 2"}},
		"one is damaged":    {[]gitexec.Entry{a, bad, b}, []string{"0 s1 2", "0 s2 2", "1 s4 2", "2 s3 2"}},
		"one is a file":     {[]gitexec.Entry{blob("x"), b}, []string{"1 s3 2"}},
		"one isn't there":   {[]gitexec.Entry{{Mode: gitexec.ModeTree, ID: a.ID[:39] + "x"}, b}, []string{"1 s3 2"}},
		"without a session": {[]gitexec.Entry{checkpoint(`{}`), b}, []string{"1 s3 2"}},
	} {
		var ids, got []string
		for i := range c.dirs {
			ids = append(ids, fmt.Sprint(i))
		}
		for i := range ids {
			ids[i] = "00000000000" + ids[i]
		}
		err := EachPart(db, ids, c.dirs, func(p StoredPart) error {
			got = append(got, fmt.Sprintf("%s %s %d", p.Checkpoint[11:], p.Metadata.SessionID, len(p.Stored.Chunks)))
			return nil
		})
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q: %v", name, got, c.want, err)
		}
	}
}
