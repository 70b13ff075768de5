package main

import (
	"fmt"
	"math/rand/v2"
)

// run plays one random workflow, observed by the programs.
func run(seed, number uint64, kind func(*rand.Rand) string, programs ...program) *world {
	w := newWorld(rand.New(rand.NewPCG(seed, number)), kind)
	w.run = number
	w.commits = 1 // the one that enables the program
	w.head = &commit{number: 1, parent: w.head, tree: w.head.tree}
	w.branches["main"] = w.head
	w.byID[w.head.id()] = w.head
	w.programs = programs
	for range 8 + w.rng.IntN(18) {
		w.step()
		for _, p := range programs {
			p.looks(w)
		}
	}
	if w.didReset {
		w.script.say("promises but orphans")
	} else {
		w.script.say("promises")
	}
	return w
}

// step runs one random step, of those that are possible.
func (w *world) step() {
	for _, s := range steps {
		w.script.mark()
		if w.rng.IntN(100) < s.percent {
			w.script.comment(s.name)
			if s.do(w) {
				return
			}
			w.script.undoComment()
		}
	}
	w.agentTurn()
}

// steps are the steps beside agents' turns, with their weights.
var steps = []struct {
	name    string
	percent int
	do      func(*world) bool
}{
	{"the human edits", 26, (*world).humanEdits},
	{"the human throws all away", 5, (*world).restoreAll},
	{"the human restores what git knows", 3, (*world).restoreTracked},
	{"the human restores one file", 5, (*world).restoreOne},
	{"the human stashes", 5, func(w *world) bool { return w.push(w.rng.IntN(2) == 0) }},
	{"the human pops the stash", 12, func(w *world) bool { return w.apply(true) }},
	{"the human applies the stash", 4, func(w *world) bool { return w.apply(false) }},
	{"the human drops a stash entry", 4, (*world).drop},
	{"the human stages some files", 3, func(w *world) bool { return w.stage(true) }},
	{"the human stages a part of a file", 3, (*world).stagePart},
	{"the human commits all", 6, func(w *world) bool { return w.stage(false) && w.commit(false, false) }},
	{"the human commits some files", 5, func(w *world) bool { return w.stage(true) && w.commit(false, false) }},
	{"the human commits a part of a file", 3, func(w *world) bool { return w.stagePart() && w.commit(false, false) }},
	{"the human commits what is staged", 3, func(w *world) bool { return w.commit(false, false) }},
	{"the human commits one path", 3, (*world).commitPath},
	{"the human amends the last commit", 3, func(w *world) bool { return w.stage(true) && w.commit(true, false) }},
	{"the human rewords the last commit", 2, (*world).reword},
	{"the human takes the last commit back", 3, func(w *world) bool { return w.reset(w.rng.IntN(2) == 0) }},
	{"the human reverts the last commit", 1, (*world).revert},
	{"the human picks a commit", 12, (*world).pick},
	{"the human merges", 10, (*world).merge},
	{"the human rebases", 12, (*world).rebase},
	{"the human changes the branch", 4, (*world).change},
	{"the human commits all and changes the branch", 5, func(w *world) bool {
		return w.stage(false) && w.commit(false, false) &&
			(w.change() || true)
	}},
}

// agentTurn is a turn of one of the sessions, mostly of the one that worked last.
func (w *world) agentTurn() {
	if w.last == "" || w.rng.IntN(4) == 0 {
		w.last = fmt.Sprintf("s%d", 1+w.rng.IntN(3))
	}
	w.turns++
	w.turn = &turn{session: w.last, number: w.turns, before: w.worktree.clone(), commit: w.head}
	w.script.comment("an agent's turn")
	w.script.prompt(w.last, w.turns)
	for _, p := range w.programs {
		p.turnStart(w, *w.turn)
	}
	for range 1 + w.rng.IntN(3) {
		w.agentEdits()
	}
	if w.rng.IntN(15) == 0 {
		w.script.say("terminal off")
		if w.stage(w.rng.IntN(2) == 0) {
			w.commit(false, true)
		}
		w.script.say("terminal on")
		if w.rng.IntN(2) == 0 {
			w.agentEdits()
		}
	}
	t := *w.turn
	for path, f := range t.before { // what the turn did and undid again
		if f.version() == w.worktree.version(path) {
			w.worktree[path] = f
		}
	}
	w.script.say("answer " + w.last)
	for _, p := range w.programs {
		p.turnEnd(w, t)
	}
	w.turn = nil
}
