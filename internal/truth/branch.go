package main

import (
	"fmt"
	"path/filepath"
	"strings"
)

// sides are the branches that nobody has checked out.
func (w *world) sides() []string {
	return w.list("for-each-ref", "--format=%(if)%(worktreepath)%(then)%(else)%(refname:short)%(end)", "refs/heads/side*")
}

// side is one of them that has something that HEAD hasn't; empty: there is none.
func (w *world) side() string {
	var all []string
	for _, name := range w.sides() {
		if w.ask("rev-list", "HEAD.."+name) != "" {
			all = append(all, name)
		}
	}
	if len(all) == 0 {
		return ""
	}
	return pick(w.r, all)
}

// sideBranch goes on on a new branch, from some commit, and comes back.
func sideBranch(w *world) bool {
	if !w.born() || !w.clean() {
		return false
	}
	back := w.ask("symbolic-ref", "--short", "HEAD")
	if back == "" || w.depth() == 0 {
		return false
	}
	if !w.git("switch", "-q", "-c", fmt.Sprintf("side%d", w.step), fmt.Sprintf("HEAD~%d", w.r.IntN(min(3, w.depth()+1)))) {
		return false
	}
	for range 1 + w.r.IntN(3) {
		if w.chance(4) {
			humanEdits(w)
		} else {
			turn(w)
		}
		if w.chance(4) {
			commitSome(w)
		} else {
			commitAll(w)
		}
	}
	commitAll(w)
	w.git("switch", "-q", back)
	return true
}

// switchWithWork goes to another branch, or a new one, with uncommitted work, if git lets it.
func switchWithWork(w *world) bool {
	if !w.born() {
		return false
	}
	if sides := w.sides(); len(sides) > 0 && w.chance(2) {
		return w.carries(pick(w.r, sides))
	}
	return w.git("switch", "-q", "-c", fmt.Sprintf("side%d", w.step))
}

// carries switches to another branch. Lines that it takes along, as in a file that was renamed, and
// that the commit which it leaves has, are copies there.
func (w *world) carries(side string) bool {
	left := w.linesOf(w.ask("rev-parse", "HEAD"))
	if !w.git("switch", "-q", side) {
		return false
	}
	now := w.linesOf(w.ask("rev-parse", "HEAD"))
	for _, text := range read(w.at.dir) {
		for _, line := range text.lines() {
			if left[line] > 0 && now[line] == 0 && !w.ledger.strict {
				w.ledger.bring(line, human)
			}
		}
	}
	return true
}

func cherryPick(w *world) bool {
	side := w.side()
	if side == "" || !w.clean() {
		return false
	}
	commits := w.list("rev-list", "--no-merges", "--reverse", "HEAD.."+side)
	if len(commits) == 0 {
		return false
	}
	at := w.r.IntN(len(commits))
	args := append([]string{"cherry-pick"}, commits[at:min(len(commits), at+1+w.r.IntN(2))]...)
	if w.chance(4) {
		args = append(args, "-x")
	}
	w.git(args...)
	w.conclude("cherry-pick", "CHERRY_PICK_HEAD")
	return true
}

func merge(w *world) bool {
	side := w.side()
	if side == "" || !w.clean() {
		return false
	}
	args := []string{"merge", "-q", "--no-edit", side}
	if w.chance(2) {
		args = append(args, "--no-ff")
	}
	w.git(args...)
	w.conclude("merge", "MERGE_HEAD")
	return true
}

func mergeSquash(w *world) bool {
	side := w.side()
	if side == "" || !w.clean() {
		return false
	}
	if !w.git("merge", "-q", "--squash", side) && !w.resolve() || len(w.conflicts()) > 0 {
		w.git("reset", "-q", "--hard")
		return true
	}
	if !w.staged() {
		return true
	}
	if w.chance(2) {
		w.commit(nil)
	} else {
		w.git("commit", "-q", "--no-edit")
	}
	if w.chance(2) {
		w.git("branch", "-q", "-D", side)
	}
	return true
}

// revert takes a commit back. What is a line's owner that comes back by it, is a matter of
// definition.
func revert(w *world) bool {
	if !w.born() || w.depth() == 0 || !w.clean() || !w.linear(1) {
		return false
	}
	n := w.r.IntN(min(3, w.depth()))
	if !w.linear(n + 1) {
		return false
	}
	w.reverts = true
	w.git("revert", "--no-edit", fmt.Sprintf("HEAD~%d", n))
	w.conclude("revert", "REVERT_HEAD")
	return true
}

// otherWorktree goes on in a linked worktree, which it makes if there are few.
func otherWorktree(w *world) bool {
	if !w.born() {
		return false
	}
	if len(w.trees) < 3 && (len(w.trees) == 1 || w.chance(2)) {
		name := fmt.Sprintf("tree%d", len(w.trees))
		if !w.git("worktree", "add", "-q", "-b", fmt.Sprintf("side%d", w.step), "../"+name) {
			return false
		}
		gitDir := strings.TrimSpace(w.exec(call{args: []string{"git", "-C", "../" + name, "rev-parse", "--absolute-git-dir"}}).out)
		w.trees = append(w.trees, newWorktree(name, filepath.Join(w.dir, name), gitDir, w.trees[0].edited))
		w.cd(w.trees[len(w.trees)-1])
		return true
	}
	to := pick(w.r, w.trees)
	if to == w.at {
		return false
	}
	w.cd(to)
	return true
}
