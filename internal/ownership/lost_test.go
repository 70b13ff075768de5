package ownership

import (
	"strings"
	"testing"

	"entire-plumb/gitexec"
)

// counted counts the versions that are read.
type counted struct {
	blobs
	reads *int
}

func (c counted) Lines(blob gitexec.OID) []string { *c.reads++; return c.blobs.Lines(blob) }

// TestLostLinesAreReadOnce: a version is read once, in however many places it lost lines.
func TestLostLinesAreReadOnce(t *testing.T) {
	const lines = 100
	reads := 0
	h := NewHistory(nil).Reading(counted{reads: &reads})
	whole := gitexec.OID(strings.Repeat("a/b/", lines))
	h.Step([]gitexec.FilePatch{{New: "f", NewBlob: whole, Hunks: []gitexec.Hunk{{NewStart: 1, NewLines: 2 * lines}}}}, FirstTurn)
	remove := gitexec.FilePatch{Old: "f", New: "f", OldBlob: whole, NewBlob: gitexec.OID(strings.Repeat("a/", lines))}
	for i := range lines {
		remove.Hunks = append(remove.Hunks, gitexec.Hunk{OldStart: 2*i + 2, OldLines: 1, NewStart: i + 1})
	}
	h.Step([]gitexec.FilePatch{remove}, Added)
	h.Step([]gitexec.FilePatch{change(string(remove.NewBlob), "b/"+string(remove.NewBlob), 0, 0, 1, 1)}, Added)
	if owner := h.Files["f"].Lines[0].Owner; reads != 2 || owner != FirstTurn {
		t.Errorf("%d reads, first line of %v", reads, owner)
	}
}

// TestLostLinesFollowRenames: they are one file's, under its name, also where names are swapped.
func TestLostLinesFollowRenames(t *testing.T) {
	rename := func(from, to gitexec.Path, blob gitexec.OID) gitexec.FilePatch {
		return gitexec.FilePatch{Old: from, New: to, OldBlob: blob, NewBlob: blob}
	}
	h := NewHistory(nil).Reading(blobs{})
	h.Step([]gitexec.FilePatch{{New: "f", NewBlob: "a/b", Hunks: []gitexec.Hunk{{NewStart: 1, NewLines: 2}}}}, FirstTurn)
	h.Step([]gitexec.FilePatch{{New: "g", NewBlob: "x", Hunks: []gitexec.Hunk{{NewStart: 1, NewLines: 1}}}, change("a/b", "b", 1, 1, 0, 0)}, Added)
	for range 4 {
		h.Step([]gitexec.FilePatch{rename("f", "g", "b"), rename("g", "f", "x")}, Added)
	}
	if len(h.lost["f"]) != 1 || len(h.lost["g"]) != 0 {
		t.Errorf("swapped: %d of f, %d of g", len(h.lost["f"]), len(h.lost["g"]))
	}
	h.Step([]gitexec.FilePatch{rename("f", "e", "b")}, Added)
	back := gitexec.FilePatch{Old: "e", New: "e", OldBlob: "b", NewBlob: "a/b", Hunks: []gitexec.Hunk{{NewStart: 1, NewLines: 1}}}
	h.Step([]gitexec.FilePatch{back}, Added)
	h.Step([]gitexec.FilePatch{{New: "f", NewBlob: "a", Hunks: []gitexec.Hunk{{NewStart: 1, NewLines: 1}}}}, Added)
	if e, f := h.Files["e"].Lines[0].Owner, h.Files["f"].Lines[0].Owner; e != FirstTurn || f != Added {
		t.Errorf("renamed: %v of e, %v of f", e, f)
	}
}
