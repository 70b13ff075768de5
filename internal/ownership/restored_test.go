package ownership

import (
	"reflect"
	"strings"
	"testing"

	"entire-plumb/gitexec"
)

// blobs are versions whose IDs are their lines, separated by slashes.
type blobs struct{}

func (blobs) Lines(blob gitexec.OID) []string {
	if blob == "missing" {
		return nil
	}
	return strings.Split(string(blob), "/")
}

func (blobs) Weightless(line string) bool { return line == "}" }

func (blobs) Enough(lines []string) bool { return len(lines) > 1 }

// change replaces the lines from one to another of a version, counted from 1 and from 0 behind it.
func change(before, after string, oldStart, oldLines, newStart, newLines int) gitexec.FilePatch {
	return gitexec.FilePatch{Old: "f", New: "f", OldBlob: gitexec.OID(before), NewBlob: gitexec.OID(after),
		Hunks: []gitexec.Hunk{{OldStart: oldStart, OldLines: oldLines, NewStart: newStart, NewLines: newLines}}}
}

// TestLinesComeBack: an agent's lines that a step took out and the human brings back are the
// agent's, also where the rest of the file is new.
func TestLinesComeBack(t *testing.T) {
	const one, two = FirstTurn, FirstTurn + 1
	add := gitexec.FilePatch{New: "f", NewBlob: "a/b/}", Hunks: []gitexec.Hunk{{NewStart: 1, NewLines: 3}}}
	replace := change("a/b/}", "x", 1, 3, 1, 1)
	back := change("x", "h/a/b/}", 1, 1, 1, 4)
	for name, c := range map[string]struct {
		steps []gitexec.FilePatch
		by    []Owner
		want  []Owner
	}{
		"after a turn, with the brace beside them": {[]gitexec.FilePatch{add, replace, back}, []Owner{one, two, Added}, []Owner{Modified, one, one, one}},
		"after the human's own edit":               {[]gitexec.FilePatch{add, replace, back}, []Owner{one, Added, Added}, []Owner{Modified, one, one, one}},
		"by an agent":                              {[]gitexec.FilePatch{add, replace, back}, []Owner{one, two, two}, []Owner{two, two, two, two}},
		"the human's":                              {[]gitexec.FilePatch{add, replace, back}, []Owner{Added, two, Added}, []Owner{Modified, Added, Added, Added}},
		"taken out and moved":                      {[]gitexec.FilePatch{add, change("a/b/}", "b/}", 1, 1, 0, 0), change("b/}", "b/}/a", 2, 0, 3, 1)}, []Owner{one, Added, Added}, []Owner{one, one, one}},
		"moved in one step": {[]gitexec.FilePatch{add, {Old: "f", New: "f", OldBlob: "a/b/}", NewBlob: "b/}/a", Hunks: []gitexec.Hunk{{OldStart: 1, OldLines: 1}, {OldStart: 3, NewStart: 3, NewLines: 1}}}},
			[]Owner{one, Added}, []Owner{one, one, Added}},
		"each as often as it was there": {[]gitexec.FilePatch{add, replace, change("x", "a/a", 1, 1, 1, 2)}, []Owner{one, two, Added}, []Owner{one, Added}},
		"once more in a later step": {[]gitexec.FilePatch{add, replace, change("x", "x/a", 1, 0, 2, 1), change("x/a", "x/a/a", 2, 0, 3, 1)},
			[]Owner{one, two, Added, Added}, []Owner{two, one, Added}},
		"a brace alone": {[]gitexec.FilePatch{add, replace, change("x", "x/}", 1, 0, 2, 1)}, []Owner{one, two, Added}, []Owner{two, Added}},
		"of a file that was deleted": {[]gitexec.FilePatch{add, {Old: "f", OldBlob: "a/b/}", Hunks: []gitexec.Hunk{{OldStart: 1, OldLines: 3}}},
			{New: "f", NewBlob: "a/h", Hunks: []gitexec.Hunk{{NewStart: 1, NewLines: 2}}}}, []Owner{one, two, Added}, []Owner{one, Added}},
		"of a file that is renamed with them": {[]gitexec.FilePatch{add, {Old: "f", New: "e", OldBlob: "a/b/}", NewBlob: "b/}", Hunks: []gitexec.Hunk{{OldStart: 1, OldLines: 1}}},
			{Old: "e", New: "f", OldBlob: "b/}", NewBlob: "h/a/b/}", Hunks: []gitexec.Hunk{{NewStart: 1, NewLines: 2}}}},
			[]Owner{one, two, Added}, []Owner{Added, one, one, one}},
		"of a version that is missing": {[]gitexec.FilePatch{add, change("missing", "x", 1, 3, 1, 1), back}, []Owner{one, two, Added}, []Owner{Modified, Added, Added, Added}},
	} {
		t.Run(name, func(t *testing.T) {
			h := NewHistory(nil).Reading(blobs{})
			for i, p := range c.steps {
				if i == len(c.steps)-1 { // what a clone finds is no less there
					h.Clone().Step([]gitexec.FilePatch{p}, c.by[i])
				}
				h.Step([]gitexec.FilePatch{p}, c.by[i])
			}
			if got := h.Files["f"].Lines.Spread(len(c.want)); !reflect.DeepEqual(got, c.want) {
				t.Errorf("%v, want %v", got, c.want)
			}
		})
	}
}

// TestLostLinesAreLimited: what is remembered of a file does not grow without end.
func TestLostLinesAreLimited(t *testing.T) {
	h := NewHistory(nil).Reading(blobs{})
	for range 30 {
		h.Step([]gitexec.FilePatch{change("a", "b", 0, 0, 1, 9000)}, FirstTurn)
		h.Step([]gitexec.FilePatch{change("b", "a", 1, 9000, 0, 0)}, Added)
	}
	n := 0
	for _, l := range h.lost["f"] {
		n += len(l.owners)
	}
	if n == 0 || n > mostLost {
		t.Errorf("%d lines", n)
	}
}
