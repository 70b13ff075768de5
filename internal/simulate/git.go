package main

import "fmt"

// The human's git commands. Each reports whether git would allow it; otherwise it does nothing.

// restoreAll discards all changes.
func (w *world) restoreAll() bool {
	if len(w.modified()) == 0 {
		return false
	}
	w.script.say("git reset -q --hard", "git clean -fdq")
	w.worktree, w.index = w.head.tree.clone(), w.head.tree.clone()
	return true
}

// restoreTracked discards changes of tracked files, and unstages new files.
func (w *world) restoreTracked() bool {
	if len(w.modified()) == 0 {
		return false
	}
	w.script.say("git restore .")
	for path, f := range w.index {
		if f.exists() {
			w.worktree[path] = f
		}
	}
	return true
}

// restoreOne discards the changes of one file.
func (w *world) restoreOne() bool {
	modified := w.modified()
	if len(modified) == 0 {
		return false
	}
	path := pick(w.rng, modified)
	if !w.head.tree[path].exists() {
		w.script.say("git rm -q -f --cached --ignore-unmatch "+path, "rm "+path)
		delete(w.worktree, path)
		delete(w.index, path)
		return true
	}
	w.script.say("git restore -s HEAD -SW " + path)
	w.worktree[path], w.index[path] = w.head.tree[path], w.head.tree[path]
	return true
}

// unstage resets the index to HEAD.
func (w *world) unstage() {
	w.script.say("git reset -q")
	w.index = w.head.tree.clone()
}

// push stashes, with or without untracked files.
func (w *world) push(untracked bool) bool {
	w.unstage()
	s := stash{base: w.head.tree, changed: tree{}}
	for _, path := range w.modified() {
		if untracked || w.head.tree[path].exists() {
			s.changed[path] = w.worktree[path]
		}
	}
	if len(s.changed) == 0 {
		return false
	}
	if untracked {
		w.script.say("git stash push -q -u")
	} else {
		w.script.say("git stash push -q")
	}
	for path := range s.changed {
		w.undo(path)
	}
	w.stashes = append(w.stashes, s)
	return true
}

func (w *world) undo(path string) {
	if f := w.head.tree[path]; f != nil {
		w.worktree[path] = f
	} else {
		delete(w.worktree, path)
	}
}

// apply applies the newest stash entry, if no merge is needed.
func (w *world) apply(pop bool) bool {
	if len(w.stashes) == 0 {
		return false
	}
	s := w.stashes[len(w.stashes)-1]
	for path := range s.changed {
		head := w.head.tree.version(path)
		if head != s.base.version(path) || w.worktree.version(path) != head {
			return false
		}
	}
	w.unstage()
	for path, f := range s.changed {
		if f == nil {
			f = &file{gone: true}
		}
		w.worktree[path] = f
	}
	if pop {
		w.script.say("git stash pop -q")
		w.stashes = w.stashes[:len(w.stashes)-1]
	} else {
		w.script.say("git stash apply -q")
	}
	w.script.say("git reset -q")
	return true
}

func (w *world) drop() bool {
	if len(w.stashes) == 0 {
		return false
	}
	w.script.say("git stash drop -q")
	w.stashes = w.stashes[:len(w.stashes)-1]
	return true
}

// stage adds files, all or some.
func (w *world) stage(some bool) bool {
	modified := w.modified()
	if len(modified) == 0 {
		return false
	}
	if some {
		w.unstage()
		w.rng.Shuffle(len(modified), func(i, j int) { modified[i], modified[j] = modified[j], modified[i] })
		modified = modified[:1+w.rng.IntN(len(modified))]
	}
	for _, path := range modified {
		if w.index.version(path) == w.worktree.version(path) {
			continue // git refuses a path that it knows nothing of, as that of a deletion that is staged
		}
		w.script.say("git add -A -- " + path)
		w.index[path] = w.worktree[path]
	}
	if !some {
		w.script.say("git add -A")
		w.index = w.worktree.clone()
	}
	return true
}

// stagePart adds a file without one piece of the agents' work, as git add -p can.
func (w *world) stagePart() bool {
	path, f, n := w.pieceOfText()
	if f == nil {
		return false
	}
	part := w.made(without(f, w.head.tree[path], n))
	if part.version() == f.version() || part.version() == w.head.tree.version(path) {
		return false
	}
	w.unstage()
	w.put(path, part)
	w.script.say("git add -A -- " + path)
	w.index[path] = part
	w.put(path, f)
	return true
}

// commit commits the index.
func (w *world) commit(amend, byAgent bool) bool {
	if len(diff(w.head.tree, w.index)) == 0 || amend && w.head.parent == nil {
		return false
	}
	w.commits++
	next := &commit{number: w.commits, parent: w.head, tree: w.index.clone()}
	c := committing{old: w.head, new: next, amend: amend, byAgent: byAgent}
	if amend {
		next.parent, next.merged = w.head.parent, w.head.merged
		if len(diff(next.parent.tree, next.tree)) == 0 {
			return false // git refuses to make it empty
		}
	}
	switch r := w.rng.IntN(2); {
	case amend && r == 0:
		w.script.say("git commit -q --amend --no-edit")
	case amend:
		w.script.say(fmt.Sprintf("git commit -q --amend -m 'Commit %d'", next.number))
	default:
		w.script.say(fmt.Sprintf("git commit -qm 'Commit %d'", next.number))
	}
	w.arrive(c)
	return true
}

// arrive moves HEAD to a new commit, and notifies the programs.
func (w *world) arrive(c committing) {
	w.head, w.branches[w.branch], w.byID[c.new.id()] = c.new, c.new, c.new
	w.script.say(fmt.Sprintf("rev B%d HEAD", c.new.number))
	for _, p := range w.programs {
		p.committed(w, c)
	}
}

// change switches to another branch, creating it if necessary. Uncommitted changes are kept.
func (w *world) change() bool {
	var names []string
	for _, name := range []string{"main", "side"} {
		if name != w.branch {
			names = append(names, name)
		}
	}
	name := pick(w.rng, names)
	target := w.branches[name]
	if target == nil {
		w.script.say("git checkout -q -b " + name)
		w.branches[name] = w.head
		w.branch = name
		return true
	}
	for _, c := range diff(w.head.tree, target.tree) {
		path := string(c.Path)
		if w.worktree.version(path) != c.Old || w.index.version(path) != c.Old {
			return false
		}
	}
	w.script.say("git checkout -q " + name)
	for _, c := range diff(w.head.tree, target.tree) {
		path := string(c.Path)
		if f := target.tree[path]; f != nil {
			w.worktree[path], w.index[path] = f, f
		} else {
			delete(w.worktree, path)
			delete(w.index, path)
		}
	}
	w.head, w.branch = target, name
	return true
}
