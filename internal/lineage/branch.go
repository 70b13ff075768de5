package lineage

import (
	"cmp"
	"maps"
	"slices"

	"entire-plumb/gitexec"
	"entire-plumb/internal/sets"
)

// findBranches finds, for each checkpoint, those that come directly before or after it on its
// branch, and how deep in the branch it is.
func (r *relinking) findBranches() {
	index := map[string]int{}
	for i, k := range r.checkpoints {
		index[k.ID] = i
	}
	r.next = make([][]int, len(r.checkpoints))
	before := make([][]int, len(r.checkpoints))
	for i, k := range r.checkpoints {
		for _, id := range k.Before {
			if j, ok := index[id]; ok && j != i {
				before[i] = append(before[i], j)
				// next goes both ways: line finds the whole branch from any of its checkpoints.
				r.next[i], r.next[j] = append(r.next[i], j), append(r.next[j], i)
			}
		}
	}
	r.depth = depths(before)
}

// depths counts, for each checkpoint, the steps to the start of its branch, from 1, by those that
// come directly before each. A ring has a start somewhere.
func depths(before [][]int) []int {
	depth := make([]int, len(before))
	for i := range before {
		// A path back to a start, or to a depth that is known; then the depths along it, the
		// start's first. No recursion: a branch may have thousands of checkpoints.
		seen := map[int]bool{}
		var path []int
		for at := i; depth[at] == 0; {
			seen[at], path = true, append(path, at)
			next := slices.IndexFunc(before[at], func(j int) bool { return !seen[j] })
			if next < 0 {
				break
			}
			at = before[at][next]
		}
		for _, at := range slices.Backward(path) {
			depth[at] = 1
			for _, j := range before[at] {
				depth[at] = max(depth[at], depth[j]+1)
			}
		}
	}
	return depth
}

// line lists the other checkpoints of a checkpoint's branch.
func (r *relinking) line(checkpoint int) (all []int) {
	seen := map[int]bool{checkpoint: true}
	for queue := []int{checkpoint}; len(queue) > 0; queue = queue[1:] {
		for _, j := range r.next[queue[0]] {
			if !seen[j] && len(all) < mostOnBranch {
				seen[j] = true
				all, queue = append(all, j), append(queue, j)
			}
		}
	}
	return all
}

// mostOnBranch is how many other checkpoints of a branch are looked at, the nearest first. Each is
// asked for each of its checkpoints, so that the time grows with its square; a pull request of more
// is found by its lines alone.
const mostOnBranch = 200

// join lets the checkpoints of a branch join those that were found in a commit, if nothing else
// claims them, the commit has something of each that no other checkpoint accounts for, and each of
// their files is accounted for: the commit has the lines, or what the last checkpoint of the branch
// that changed the file made of them.
func (r *relinking) join() {
	joined := map[int]int{}
	for i, k := range r.checkpoints {
		// One that the history links has been found already: it needs no branch.
		if r.of[i] >= 0 || k.Linked {
			continue
		}
		if commit := r.joins(i); commit >= 0 {
			joined[i] = commit
		}
	}
	for _, i := range slices.Sorted(maps.Keys(joined)) { // a line is evidence once
		if m := r.measure(i, joined[i]); m.evident() {
			r.of[i], r.score[i] = joined[i], m
			r.take(i, joined[i])
		}
	}
}

// joins is the commit in which others of the branch were found that a checkpoint joins; -1: none.
func (r *relinking) joins(checkpoint int) int {
	branch := r.line(checkpoint)
	// -1 stands for those of the branch that were found nowhere.
	tried := map[int]bool{-1: true}
	for _, j := range branch {
		commit := r.of[j]
		if tried[commit] {
			continue
		}
		if tried[commit] = true; r.accounts(checkpoint, branch, commit) && r.measure(checkpoint, commit).evident() {
			return commit
		}
	}
	return -1
}

// accounts reports whether each file of a checkpoint is accounted for in a commit.
func (r *relinking) accounts(checkpoint int, branch []int, commit int) bool {
	if r.checkpoints[checkpoint].Precedes(r.commits[commit].Commit, r.commits[commit].When) {
		return false
	}
	return !slices.ContainsFunc(r.checkpoints[checkpoint].Files, func(f File) bool {
		// A first draft: the file is there as it was written, or as the branch left it in the end.
		return !r.hasMost(f, commit) && !r.hasLast(f.Path, checkpoint, branch, commit)
	})
}

// hasLast reports whether a commit has what the last checkpoint of a branch made of a file: its
// lines; or no such file, where the branch has made it and deleted it.
func (r *relinking) hasLast(path gitexec.Path, checkpoint int, branch []int, commit int) bool {
	last, depth, others := File{}, 0, false
	for _, j := range append([]int{checkpoint}, branch...) {
		for _, f := range r.checkpoints[j].Files {
			if f.Path != path {
				continue
			}
			// The deepest one in the branch that has the file: what it made of the file is what a
			// squash has.
			if others = j != checkpoint; r.depth[j] > depth {
				last, depth = f, r.depth[j]
			}
		}
	}
	// Without another checkpoint of that file there is no later draft. A file that the branch made
	// and deleted again is not in the squash at all.
	return others && (last.Blob == "" || r.hasMost(last, commit))
}

// hasMost reports whether a commit has at least half of a file's lines, or changes the file, where
// the checkpoint's commit only removed lines.
func (r *relinking) hasMost(f File, commit int) bool {
	i := r.in(f, commit)
	if i < 0 {
		return false
	}
	if r.commits[commit].Files[i].Blob == f.Blob {
		return true
	}
	lines := sets.Of(r.commits[commit].Files[i].Lines)
	found, sought := 0.0, 0.0
	for _, line := range f.Lines {
		w := r.weight(line)
		if sought += w; lines[line] {
			found += w
		}
	}
	return found >= half*sought
}

// bringBack finds the commits that have all of a checkpoint again, of lines that they do not only
// move, and that nothing else claims: they bring back what was reverted, or are on another branch.
func (r *relinking) bringBack(candidates []match) {
	for _, m := range candidates {
		if r.of[m.checkpoint] == m.commit {
			continue
		}
		// By the lines that are left: assign and join have taken theirs. What was found once is
		// found again only where all of it comes back; else such a match is strong, and taken.
		if m.measured = r.measure(m.checkpoint, m.commit); m.score < whole || m.lines < enoughLines {
			continue
		}
		// A commit that sorts or moves them has all of its lines, too, and brings none.
		if n := r.newLines(m.checkpoint, m.commit); n < enoughLines && 2*n < m.lines {
			continue
		}
		if r.again[m.checkpoint] == nil {
			r.again[m.checkpoint] = map[int]measured{}
		}
		r.again[m.checkpoint][m.commit] = m.measured
	}
}

// newLines counts the lines of a checkpoint that are new in a commit: it neither moves them, nor
// copies them within a file, nor copies a file that it keeps.
func (r *relinking) newLines(checkpoint, commit int) (n int) {
	c := r.commits[commit]
	for _, f := range r.checkpoints[checkpoint].Files {
		// It has the lines under another name, and keeps the file: it is a copy.
		if i := r.in(f, commit); i >= 0 && c.Files[i].Path != f.Path && c.Keeps != nil && c.Keeps(f.Path) {
			continue
		}
		for _, line := range f.Lines {
			if !line.Light() && !c.Had[line] {
				n++
			}
		}
	}
	return n
}

// found lists what was found in each commit, in the order in which the checkpoints were made.
func (r *relinking) found() [][]Found {
	all := make([][]Found, len(r.commits))
	order := make([]int, len(r.checkpoints))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(r.checkpoints[a].Made, r.checkpoints[b].Made), r.depth[a]-r.depth[b])
	})
	for _, i := range order {
		add := func(commit int, m measured) {
			all[commit] = append(all[commit], Found{ID: r.checkpoints[i].ID, Score: m.score, Evidence: m.files})
		}
		if r.of[i] >= 0 {
			add(r.of[i], r.score[i])
		}
		for commit, m := range r.again[i] {
			add(commit, m)
		}
	}
	return all
}
