package main

import (
	"fmt"

	"entire-plumb/gitexec"
)

// Other ways to make commits, and to reset them.

// commitPath makes a partial commit of one file.
func (w *world) commitPath() bool {
	var known []string
	for _, path := range w.modified() {
		if w.head.tree[path].exists() {
			known = append(known, path)
		}
	}
	if len(known) == 0 {
		return false
	}
	path := pick(w.rng, known)
	w.commits++
	next := &commit{number: w.commits, parent: w.head, tree: w.head.tree.clone()}
	next.tree[path] = w.worktree[path]
	w.index[path] = w.worktree[path]
	w.script.say(fmt.Sprintf("git commit -qm 'Commit %d' -- %s", next.number, path))
	w.arrive(committing{old: w.head, new: next, only: true})
	return true
}

// reword amends only the message.
func (w *world) reword() bool {
	if w.head.number <= 1 || len(diff(w.head.tree, w.index)) > 0 {
		return false
	}
	w.commits++
	next := &commit{number: w.commits, parent: w.head.parent, merged: w.head.merged, tree: w.head.tree}
	w.script.say(fmt.Sprintf("git commit -q --amend -m 'Commit %d, reworded'", next.number))
	w.arrive(committing{old: w.head, new: next, amend: true})
	return true
}

// reset undoes the last commit and keeps its changes in the worktree and, unless mixed, in the
// index.
func (w *world) reset(mixed bool) bool {
	if w.head.number <= 1 || w.head.parent.number < 1 || w.head.merged != nil {
		return false
	}
	if mixed {
		w.script.say("git reset -q HEAD^")
		w.index = w.head.parent.tree.clone()
	} else {
		w.script.say("git reset -q --soft HEAD^")
	}
	w.resets = append(w.resets, w.head)
	w.head = w.head.parent
	w.branches[w.branch] = w.head
	w.didReset = true
	return true
}

// untouched reports whether git could apply changes to the worktree: nothing is staged, and their
// files are unchanged there and in HEAD.
func (w *world) untouched(changes []gitexec.Change) bool {
	if len(diff(w.head.tree, w.index)) > 0 || len(changes) == 0 {
		return false
	}
	for _, c := range changes {
		path := string(c.Path)
		if w.head.tree.version(path) != c.Old || w.worktree.version(path) != c.Old {
			return false
		}
	}
	return true
}

// applyChanges applies changes to the index and the worktree, with the content of a tree, and
// returns HEAD's new tree.
func (w *world) applyChanges(changes []gitexec.Change, from tree) tree {
	next := w.head.tree.clone()
	for _, c := range changes {
		path := string(c.Path)
		for _, t := range []tree{next, w.index, w.worktree} {
			if f := from[path]; f != nil {
				t[path] = f
			} else {
				delete(t, path)
			}
		}
	}
	return next
}

// revert reverts the last commit.
func (w *world) revert() bool {
	if w.head.number <= 1 || w.head.parent.number < 1 || w.head.merged != nil {
		return false
	}
	changes := diff(w.head.tree, w.head.parent.tree)
	if !w.untouched(changes) {
		return false
	}
	w.commits++
	next := &commit{number: w.commits, parent: w.head, tree: w.applyChanges(changes, w.head.parent.tree)}
	w.script.say("git revert --no-edit HEAD")
	w.arrive(committing{old: w.head, new: next, replayed: true})
	return true
}

// other is another branch with its own commits.
func (w *world) other() (name string, tip *commit) {
	for _, name := range []string{"main", "side"} {
		if tip := w.branches[name]; name != w.branch && tip != nil && !w.head.reaches(tip.id()) {
			return name, tip
		}
	}
	return "", nil
}

// pick cherry-picks the last commit of another branch.
func (w *world) pick() bool {
	name, tip := w.other()
	if tip == nil || tip.number <= 1 || tip.parent.number < 1 || tip.merged != nil {
		return false
	}
	if tip.parent == w.head {
		return false // with the clock that stands, it would be the same commit
	}
	changes := diff(tip.parent.tree, tip.tree)
	if !w.untouched(changes) {
		return false
	}
	w.commits++
	next := &commit{number: w.commits, parent: w.head, tree: w.applyChanges(changes, tip.tree)}
	w.script.say("git cherry-pick " + name)
	w.arrive(committing{old: w.head, new: next, replayed: true, picked: tip})
	return true
}

// merge merges another branch that continues from HEAD.
func (w *world) merge() bool {
	name, tip := w.other()
	if tip == nil || !tip.reaches(w.head.id()) {
		return false
	}
	changes := diff(w.head.tree, tip.tree)
	if !w.untouched(changes) {
		return false
	}
	w.applyChanges(changes, tip.tree)
	if w.rng.IntN(2) == 0 {
		w.script.say("git merge -q --ff-only " + name)
		w.head, w.branches[w.branch] = tip, tip
		return true
	}
	w.commits++
	w.script.say("git merge -q --no-ff -m Merge "+name, fmt.Sprintf("rev B%d HEAD", w.commits))
	w.head = &commit{number: w.commits, parent: w.head, merged: tip, tree: tip.tree.clone()}
	w.branches[w.branch], w.byID[w.head.id()] = w.head, w.head
	return true
}

// rebase rebases the branch onto another one, if they change different files.
func (w *world) rebase() bool {
	name, tip := w.other()
	if tip == nil || len(diff(w.head.tree, w.index)) > 0 {
		return false
	}
	var own []*commit // newest first
	at := w.head
	for ; !tip.reaches(at.id()); at = at.parent {
		if at.number <= 1 || at.parent.number < 1 || at.merged != nil {
			return false
		}
		own = append(own, at)
	}
	theirs := diff(at.tree, tip.tree)
	taken := map[gitexec.Path]bool{}
	for _, c := range theirs {
		taken[c.Path] = true
	}
	for _, c := range append(diff(w.head.tree, w.worktree), diff(at.tree, w.head.tree)...) {
		if taken[c.Path] {
			return false
		}
	}
	if len(own) == 0 || len(theirs) == 0 {
		return false
	}
	w.applyChanges(theirs, tip.tree)
	w.script.say("git rebase -q --autostash " + name)
	var moves []move
	onto := tip
	for i := len(own) - 1; i >= 0; i-- {
		w.commits++
		next := &commit{number: w.commits, parent: onto, tree: onto.tree.clone()}
		for _, c := range diff(own[i].parent.tree, own[i].tree) {
			path := string(c.Path)
			if next.tree[path] = own[i].tree[path]; next.tree[path] == nil {
				delete(next.tree, path)
			}
		}
		w.byID[next.id()] = next
		w.script.say(fmt.Sprintf("rev B%d HEAD~%d", next.number, i))
		moves = append(moves, move{own[i], next})
		onto = next
	}
	w.head, w.branches[w.branch] = onto, onto
	for _, p := range w.programs {
		p.rebased(w, moves)
	}
	return true
}
