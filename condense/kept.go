package condense

import (
	"cmp"
	"slices"

	"entire-plumb/gitexec"
	"entire-plumb/internal/session"
	"entire-plumb/internal/sets"
	"entire-plumb/suffix"
)

// keptTurn is what a session did to a file in one turn, which is kept.
type keptTurn struct {
	of     Remainder
	change suffix.Change
}

// keptSteps plans the checkpoints of what is kept, turn by turn in the stream's order, with the
// human's part before each, since a stash entry may hold the state after any of them, and the agent
// has only done what it did to the version before.
func keptSteps(group []Remainder, committed map[gitexec.Path]gitexec.Entry) []Step {
	mine := map[*session.State][]Remainder{}
	var all []keptTurn
	for _, r := range group {
		mine[r.Work.Session] = append(mine[r.Work.Session], r)
		for _, c := range r.turns {
			all = append(all, keptTurn{r, c})
		}
	}
	slices.SortStableFunc(all, func(a, b keptTurn) int { return cmp.Compare(a.change.Nth, b.change.Nth) })
	var steps []Step
	now := map[gitexec.Path]gitexec.Entry{}
	for _, turns := range sets.Groups(all, func(t keptTurn) int { return t.change.Nth }) {
		human, agent := gitexec.Edits{}, gitexec.Edits{}
		for _, t := range turns {
			path := t.of.Path()
			// Before the first kept turn the stream has the commit's version.
			last, changed := now[path]
			if !changed {
				last = committed[path]
			}
			// What stood between two turns, of the human's or of the turns that the commit took, is
			// the human's part.
			if t.change.Before != last {
				human[path] = t.change.Before
			}
			// The turn renamed the file: the human's part has it under the old name, and the
			// agent's takes that away.
			if !t.change.Before.Exists() && t.of.old.Path != "" {
				human[t.of.old.Path], agent[t.of.old.Path] = t.of.old.Before, gitexec.Entry{}
			}
			agent[path], now[path] = t.change.After, t.change.After
		}
		next := stepsOf(group, mine[turns[0].of.Work.Session], human, agent)
		for i := range next {
			next[i].At = turns[0].change.At
		}
		steps = append(steps, next...)
	}
	return steps
}

// uncommitted omits the turns whose version of a file is the committed one.
func uncommitted(turns []suffix.Change, committed gitexec.Entry) []suffix.Change {
	return slices.DeleteFunc(slices.Clone(turns), func(c suffix.Change) bool { return c.After == committed })
}
