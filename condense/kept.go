package condense

import (
	"slices"

	"entire-plumb/gitexec"
	"entire-plumb/suffix"
)

// keptTurn is what a session did to a file in one turn, which is kept.
type keptTurn struct {
	of     Remainder
	change suffix.Change
}

// keptSteps plans the checkpoints of what is kept, turn by turn, with the human's part before each,
// since a stash entry may hold the state after any of them, and the agent has only done what it did
// to the version before. Where sessions changed a file in turn, their steps alternate.
func keptSteps(group []Remainder, committed map[gitexec.Path]gitexec.Entry) []Step {
	var steps []Step
	left, now := keptTurns(group, committed), map[gitexec.Path]gitexec.Entry{}
	sessions := bySession(group)
	next := func(mine []Remainder) (turns []keptTurn) {
		seen := map[gitexec.Path]bool{}
		for _, r := range mine {
			turn := left[r.Path()]
			if len(turn) > 0 && turn[0].of.Work.Session == r.Work.Session && !seen[r.Path()] {
				turns, seen[r.Path()] = append(turns, turn[0]), true
			}
		}
		return ofFirst(turns)
	}
	for {
		at := slices.IndexFunc(sessions, func(mine []Remainder) bool { return len(next(mine)) > 0 })
		if at < 0 {
			return steps
		}
		turns := next(sessions[at])
		human, agent := gitexec.Edits{}, gitexec.Edits{}
		for _, t := range turns {
			path := t.of.Path()
			last, changed := now[path]
			if !changed {
				last = committed[path]
			}
			if t.change.Before != last {
				human[path] = t.change.Before
			}
			if !t.change.Before.Exists() && t.of.old.Path != "" {
				human[t.of.old.Path], agent[t.of.old.Path] = t.of.old.Before, gitexec.Entry{}
			}
			agent[path], now[path], left[path] = t.change.After, t.change.After, left[path][1:]
		}
		next := stepsOf(group, sessions[at], human, agent)
		for i := range next {
			next[i].At = turns[0].change.At
		}
		steps = append(steps, next...)
	}
}

// ofFirst leaves those of the first checkpoint among them: each turn is kept by itself.
func ofFirst(turns []keptTurn) []keptTurn {
	if len(turns) == 0 {
		return nil
	}
	all := turns[0].of.Work.Changes // oldest first
	age := func(t keptTurn) int {
		return slices.IndexFunc(all, func(c suffix.Change) bool { return c.At == t.change.At })
	}
	first := slices.MinFunc(turns, func(a, b keptTurn) int { return age(a) - age(b) }).change.At
	return slices.DeleteFunc(turns, func(t keptTurn) bool { return t.change.At != first })
}

// keptTurns lists the turns of each file in their order: one that goes on from a version comes
// after the one that made it.
func keptTurns(group []Remainder, committed map[gitexec.Path]gitexec.Entry) map[gitexec.Path][]keptTurn {
	ordered, left := map[gitexec.Path][]keptTurn{}, map[gitexec.Path][][]keptTurn{}
	for _, r := range group {
		var turns []keptTurn
		for _, c := range r.turns {
			turns = append(turns, keptTurn{r, c})
		}
		left[r.Path()] = append(left[r.Path()], turns)
	}
	for path, of := range left {
		now := committed[path]
		for {
			of = slices.DeleteFunc(of, func(turns []keptTurn) bool { return len(turns) == 0 })
			if len(of) == 0 {
				break
			}
			at := slices.IndexFunc(of, func(turns []keptTurn) bool { return turns[0].change.Before == now })
			if at < 0 {
				at = max(0, slices.IndexFunc(of, func(turns []keptTurn) bool { return !madeBy(of, turns[0].change.Before) }))
			}
			ordered[path], now = append(ordered[path], of[at][0]), of[at][0].change.After
			of[at] = of[at][1:]
		}
	}
	return ordered
}

// madeBy reports whether one of some turns made a version.
func madeBy(all [][]keptTurn, version gitexec.Entry) bool {
	return slices.ContainsFunc(all, func(turns []keptTurn) bool {
		return slices.ContainsFunc(turns, func(t keptTurn) bool { return t.change.After == version })
	})
}

// uncommitted omits the turns whose version of a file is the committed one.
func uncommitted(turns []suffix.Change, committed gitexec.Entry) []suffix.Change {
	return slices.DeleteFunc(slices.Clone(turns), func(c suffix.Change) bool { return c.After == committed })
}
