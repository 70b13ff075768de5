package main

import (
	"fmt"
	"path/filepath"
	"slices"
)

// sides are the branches that nobody has checked out.
func (w *world) sides() []string {
	return w.list("for-each-ref", "--format=%(if)%(worktreepath)%(then)%(else)%(refname:short)%(end)", "refs/heads/side*")
}

// side is one of them that has something that HEAD hasn't; empty: there is none.
func (w *world) side() string {
	all := slices.DeleteFunc(w.sides(), func(name string) bool { return w.ask("rev-list", "HEAD.."+name) == "" })
	if len(all) == 0 {
		return ""
	}
	return pick(w.r, all)
}

// cleanSide is one of them, where nothing is uncommitted.
func (w *world) cleanSide() string {
	side := w.side()
	w.need(side != "" && w.clean())
	return side
}

// picks are the commits of a side branch that can be picked, oldest first.
func (w *world) picks(side string) []string {
	return w.list("rev-list", "--no-merges", "--reverse", "HEAD.."+side)
}

// sideBranch goes on on a new branch, from some commit, and comes back.
func sideBranch(w *world) {
	w.need(w.born() && w.clean())
	back := w.ask("symbolic-ref", "--short", "HEAD")
	w.need(back != "" && w.depth() > 0)
	w.need(w.git("switch", "-q", "-c", fmt.Sprintf("side%d", w.step), fmt.Sprintf("HEAD~%d", w.r.IntN(min(3, w.depth()+1)))))
	for range 1 + w.r.IntN(3) {
		if w.chance(4) {
			humanEdits(w)
		} else {
			turn(w)
		}
		if w.chance(4) {
			w.try(commitSome)
		} else {
			w.try(commitAll)
		}
	}
	w.try(commitAll)
	w.git("switch", "-q", back)
}

// switchWithWork goes to another branch, or a new one, with uncommitted work, if git lets it.
func switchWithWork(w *world) {
	w.need(w.born())
	if sides := w.sides(); len(sides) > 0 && w.chance(2) {
		w.carries(pick(w.r, sides))
		return
	}
	w.need(w.git("switch", "-q", "-c", fmt.Sprintf("side%d", w.step)))
}

// carries switches to another branch. Lines that it takes along, as in a file that was renamed, and
// that the commit which it leaves has, are copies there.
func (w *world) carries(side string) {
	left := w.linesOf(w.ask("rev-parse", "HEAD"))
	w.need(w.git("switch", "-q", side))
	now := w.linesOf(w.ask("rev-parse", "HEAD"))
	for _, text := range read(w.at.dir) {
		for _, line := range text.lines() {
			if left[line] > 0 && now[line] == 0 && !w.ledger.strict {
				w.ledger.bring(line, human)
			}
		}
	}
}

func cherryPick(w *world) {
	commits := w.picks(w.cleanSide())
	w.need(len(commits) > 0)
	at := w.r.IntN(len(commits))
	args := append([]string{"cherry-pick"}, commits[at:min(len(commits), at+1+w.r.IntN(2))]...)
	if w.chance(4) {
		args = append(args, "-x")
	}
	w.git(args...)
	w.conclude("cherry-pick", "CHERRY_PICK_HEAD")
}

func merge(w *world) {
	args := []string{"merge", "-q", "--no-edit", w.cleanSide()}
	if w.chance(2) {
		args = append(args, "--no-ff")
	}
	w.git(args...)
	w.conclude("merge", "MERGE_HEAD")
}

func mergeSquash(w *world) {
	side := w.cleanSide()
	if !w.git("merge", "-q", "--squash", side) && !w.resolve() || len(w.conflicts()) > 0 {
		w.git("reset", "-q", "--hard")
		return
	}
	if !w.staged() {
		return
	}
	if w.chance(2) {
		w.commit(nil)
	} else {
		w.git("commit", "-q", "--no-edit")
	}
	if w.chance(2) {
		w.git("branch", "-q", "-D", side)
	}
}

// revert takes a commit back. What is a line's owner that comes back by it, is a matter of
// definition.
func revert(w *world) {
	w.need(w.amendable() && w.clean())
	n := w.r.IntN(min(3, w.depth()))
	w.need(w.linear(n + 1))
	w.reverts = true
	w.git("revert", "--no-edit", fmt.Sprintf("HEAD~%d", n))
	w.conclude("revert", "REVERT_HEAD")
}

// otherWorktree goes on in a linked worktree, which it makes if there are few.
func otherWorktree(w *world) {
	w.need(w.born())
	if len(w.trees) < 3 && (len(w.trees) == 1 || w.chance(2)) {
		name := fmt.Sprintf("tree%d", len(w.trees))
		w.need(w.git("worktree", "add", "-q", "-b", fmt.Sprintf("side%d", w.step), "../"+name))
		w.cd(&worktree{name, filepath.Join(w.dir, name), w.ask("-C", "../"+name, "rev-parse", "--absolute-git-dir"), relation[string]{},
			w.at.edited})
		w.trees = append(w.trees, w.at)
		return
	}
	to := pick(w.r, w.trees)
	w.need(to != w.at)
	w.cd(to)
}
