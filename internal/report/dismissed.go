package report

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"entire-plumb/gitexec"
	"entire-plumb/internal/query"
	"entire-plumb/shadow"
)

// fates are the agents' checkpoints on streams, with where their work is, the first one first.
func fates(works map[gitexec.OID]query.OnAStream) (all []query.OnAStream) {
	for _, id := range slices.SortedFunc(maps.Keys(works), func(a, b gitexec.OID) int {
		return cmp.Or(works[a].When.Compare(works[b].When), strings.Compare(string(a), string(b)))
	}) {
		if one := works[id]; one.Part == shadow.Agent {
			all = append(all, one)
		}
	}
	return all
}

// mark marks the turns of a session whose work was dismissed. A turn with lines in a commit, or
// with work on a stream that goes on, is not.
func (t *talk) mark(all []query.OnAStream) {
	notes := map[int]string{}
	goesOn := map[int]bool{}
	for _, f := range all {
		i, found := t.ended(f)
		// Lines in commits tell the IDs of other turns; of this one there may be none.
		if found && t.turns[i].Turn.Turn == "" {
			t.turns[i].Turn.Turn = f.Turn
		}
		switch {
		case !found:
		case f.Dismissed == "":
			goesOn[i] = true
		default:
			notes[i] = clean(f.Dismissed)
		}
	}
	for i, note := range notes {
		// A turn may have checkpoints on several streams, only some of which were dismissed.
		if one := &t.turns[i]; !goesOn[i] && !one.committed {
			one.Dismissed = note
		}
	}
}

// ended finds the turn that made a checkpoint: the last one with its prompt that began before.
// Where the transcript has no times, it is the only one with that prompt.
func (t *talk) ended(f query.OnAStream) (at int, found bool) {
	if f.Session != t.id {
		return 0, false
	}
	number := 0
	for i, turn := range t.turns {
		if turn.described != f.Subject {
			continue
		}
		number++
		if turn.Began.IsZero() || !turn.Began.After(f.When) {
			at, found = i, true
		}
	}
	return at, found && (number == 1 || !t.turns[at].Began.IsZero())
}
