package ownership

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"entire-plumb/gitexec"
)

// TestFilesThatMove: lines of a deleted file that are in a new one keep their owners, however much
// that one has beside them.
func TestFilesThatMove(t *testing.T) {
	const one, two = FirstTurn, FirstTurn + 1
	begin := gitexec.FilePatch{Old: "f", New: "f", OldBlob: "old", NewBlob: "old/a/b/c/d/}", Hunks: []gitexec.Hunk{{OldStart: 1, NewStart: 2, NewLines: 5}}}
	remove := gitexec.FilePatch{Old: "f", OldBlob: "old/a/b/c/d/}", Hunks: []gitexec.Hunk{{OldStart: 1, OldLines: 6}}}
	new := func(path gitexec.Path, lines int, blob gitexec.OID) gitexec.FilePatch {
		return gitexec.FilePatch{New: path, NewBlob: blob, Hunks: []gitexec.Hunk{{NewStart: 1, NewLines: lines}}}
	}
	for name, c := range map[string]struct {
		step []gitexec.FilePatch
		had  Owner // the file's new lines
		by   Owner
		want []Owner // of the file e
	}{
		"the human's, in a turn":        {[]gitexec.FilePatch{remove, new("e", 9, "x/x/a/b/c/d/}/x/}")}, Added, one, []Owner{one, one, Added, Added, Added, Added, Added, one, one}},
		"an agent's, in another turn":   {[]gitexec.FilePatch{remove, new("e", 5, "a/b/c/d/x")}, one, two, []Owner{one, one, one, one, two}},
		"an agent's, by the human":      {[]gitexec.FilePatch{new("e", 5, "a/b/c/d/x"), remove}, one, Added, []Owner{one, one, one, one, Added}},
		"three quarters":                {[]gitexec.FilePatch{remove, new("e", 4, "a/b/x/d")}, Added, one, []Owner{Added, Added, one, Added}},
		"a half":                        {[]gitexec.FilePatch{remove, new("e", 4, "a/b/x/y")}, Added, one, []Owner{one, one, one, one}},
		"to another file, the first":    {[]gitexec.FilePatch{remove, new("d", 4, "a/b/c/d"), new("e", 4, "a/b/c/d")}, Added, one, []Owner{one, one, one, one}},
		"with a line of the base":       {[]gitexec.FilePatch{remove, new("e", 5, "old/a/b/c/d")}, Added, one, []Owner{one, Added, Added, Added, Added}},
		"a copy":                        {[]gitexec.FilePatch{new("e", 4, "a/b/c/d")}, Added, one, []Owner{one, one, one, one}},
		"into a file that was there":    {[]gitexec.FilePatch{remove, {Old: "e", New: "e", OldBlob: "x", NewBlob: "x/a/b/c/d", Hunks: []gitexec.Hunk{{OldStart: 1, NewStart: 2, NewLines: 4}}}}, Added, one, []Owner{Base, one, one, one, one}},
		"a version that cannot be read": {[]gitexec.FilePatch{remove, new("e", 4, "missing")}, Added, one, []Owner{one, one, one, one}},
	} {
		t.Run(name, func(t *testing.T) {
			h := NewHistory(nil).Reading(blobs{})
			h.Step([]gitexec.FilePatch{begin}, c.had)
			h.Step(c.step, c.by)
			if got := h.Files["e"].Lines.Spread(len(c.want)); !reflect.DeepEqual(got, c.want) {
				t.Errorf("%v, want %v", got, c.want)
			}
		})
	}
}

// TestFilesThatMoveAreLimited: what is read and compared does not grow with the number of files.
func TestFilesThatMoveAreLimited(t *testing.T) {
	reads := 0
	h := NewHistory(nil).Reading(counted{reads: &reads})
	text := gitexec.OID(strings.Repeat("a/", 20_000))
	add := gitexec.FilePatch{New: "f", NewBlob: text, Hunks: []gitexec.Hunk{{NewStart: 1, NewLines: 20_000}}}
	h.Step([]gitexec.FilePatch{add}, Added)
	step := []gitexec.FilePatch{{Old: "f", OldBlob: text, Hunks: []gitexec.Hunk{{OldStart: 1, OldLines: 20_000}}}}
	for i := range 100 {
		other := gitexec.OID(strings.Repeat("b/", 20_000))
		step = append(step, gitexec.FilePatch{New: gitexec.Path(fmt.Sprint(i)), NewBlob: other, Hunks: add.Hunks})
	}
	h.Step(step, FirstTurn)
	if most := 2 + mostMoved/40_000; reads > most {
		t.Errorf("%d reads, want at most %d", reads, most)
	}
}
