package ownership

import (
	"slices"
	"testing"

	"entire-plumb/gitexec"
)

// TestVersionsComeBack: a version that comes back, as by a rewind, has the owners that it had.
func TestVersionsComeBack(t *testing.T) {
	const agent, other = FirstTurn, FirstTurn + 1
	one := gitexec.FilePatch{New: "f", NewBlob: "1", Hunks: []gitexec.Hunk{{NewStart: 1, NewLines: 2}}}
	two := gitexec.FilePatch{Old: "f", New: "f", OldBlob: "1", NewBlob: "2", Hunks: []gitexec.Hunk{{OldStart: 1, OldLines: 2, NewStart: 1, NewLines: 1}}}
	back := gitexec.FilePatch{Old: "f", New: "f", OldBlob: "2", NewBlob: "1", Hunks: []gitexec.Hunk{{OldStart: 1, OldLines: 1, NewStart: 1, NewLines: 2}}}
	owners := func(h *History) []Owner {
		var all []Owner
		for _, r := range h.Files["f"].Lines {
			all = append(all, r.Owner)
		}
		return all
	}
	h := NewHistory(nil)
	h.Step([]gitexec.FilePatch{one}, agent)
	h.Step([]gitexec.FilePatch{two}, other)
	if got := owners(h); !slices.Contains(got, Owner(other)) {
		t.Fatalf("%v", got)
	}
	clone := h.Clone()
	h.Step([]gitexec.FilePatch{back}, Added)
	if got := owners(h); !slices.Contains(got, Owner(agent)) || slices.Contains(got, Added) {
		t.Errorf("it came back as %v", got)
	}
	// What is set later counts, and other content is new.
	clone.Set(gitexec.FilePatch{New: "f", NewBlob: "1"}, File{Lines: Whole(Unknown)})
	clone.Step([]gitexec.FilePatch{back}, Added)
	if got := owners(clone); !slices.Contains(got, Unknown) {
		t.Errorf("it was set, and came back as %v", got)
	}
	again := clone.Clone()
	again.Step([]gitexec.FilePatch{two}, other)
	again.Step([]gitexec.FilePatch{back}, other+1)
	if got := owners(again); !slices.Contains(got, Owner(other+1)) {
		t.Errorf("an agent wrote it again: %v", got)
	}
	h.Step([]gitexec.FilePatch{{Old: "f", New: "f", OldBlob: "1", NewBlob: "3", Hunks: []gitexec.Hunk{{OldStart: 1, OldLines: 2, NewStart: 1, NewLines: 1}}}}, Added)
	if got := owners(h); slices.Contains(got, Owner(agent)) {
		t.Errorf("new content is %v", got)
	}
}
