package lineage

import (
	"cmp"
	"container/heap"
	"slices"

	"entire-plumb/gitexec"
)

// match is a checkpoint that may be in a commit.
type match struct {
	checkpoint, commit int
	measured
	same bool // the commit seems to make the very same change
}

// fileAt is a file of a commit.
type fileAt struct{ commit, file int }

// places are the commits' files by their lines, without those that weigh nothing or are common, and
// by their versions.
func (r *relinking) places() (having map[Line][]fileAt, versions map[gitexec.OID][]fileAt) {
	having, versions = map[Line][]fileAt{}, map[gitexec.OID][]fileAt{}
	for i, c := range r.commits {
		for j, f := range c.Files {
			seen := map[Line]bool{}
			for _, line := range f.Lines {
				// One place more than the limit is kept, so that try sees that a line is too
				// common, and passes it.
				if !line.Light() && !seen[line] && len(having[line]) <= commonLine {
					having[line], seen[line] = append(having[line], fileAt{i, j}), true
				}
			}
			// A deletion has no version: by itself it makes no pair.
			if f.Blob != "" {
				versions[f.Blob] = append(versions[f.Blob], fileAt{i, j})
			}
		}
	}
	return having, versions
}

// candidates are the pairs of a checkpoint and a commit that have something in common, in a file of
// the same name or, where the commit adds it or has several lines there, of another name.
func (r *relinking) candidates() (all []match) {
	having, versions := r.places()
	for i, k := range r.checkpoints {
		in := map[int]bool{}
		var shared map[fileAt]int // lines of one of its files
		try := func(path gitexec.Path, places []fileAt) {
			if len(places) > commonLine {
				return
			}
			for _, p := range places {
				_, has := r.byPath[p.commit][path]
				file := r.commits[p.commit].Files[p.file]
				// The commit, or one before it, may have renamed the file. Where it changes one of
				// the old name, that one is compared.
				if file.Path == path || file.New && !has {
					in[p.commit] = true
				} else if shared[p]++; shared[p] >= enoughLines {
					in[p.commit] = true
				}
			}
		}
		for _, f := range k.Files {
			shared = map[fileAt]int{}
			for _, line := range f.Lines {
				try(f.Path, having[line])
			}
			try(f.Path, versions[f.Blob])
		}
		for commit := range in {
			// What is older than the work holds none of it, though an agent may have ported the
			// very lines.
			if k.Precedes(r.commits[commit].Commit, r.commits[commit].When) {
				continue
			}
			m := match{checkpoint: i, commit: commit}
			m.measured = r.measure(i, commit)
			// A rebased or picked commit: all of the checkpoint's lines, and nothing else in its
			// files or beside them.
			m.same = m.score >= whole && r.sameExtent(i, commit)
			all = append(all, m)
		}
	}
	return all
}

// sameExtent reports whether a commit changes the files of a checkpoint's commit, by as many lines.
func (r *relinking) sameExtent(checkpoint, commit int) bool {
	files := r.checkpoints[checkpoint].Files
	if r.checkpoints[checkpoint].Changed != len(r.commits[commit].Files) {
		return false
	}
	for _, f := range files {
		i, ok := r.byPath[commit][f.Path]
		if !ok || r.commits[commit].Files[i].All != f.All {
			return false
		}
	}
	return true
}

// strong reports whether a match makes a link by itself.
func (m match) strong() bool {
	// A file without lines of the same version, three lines, or the very same change however small.
	return m.score >= half && (m.versions > 0 || m.lines >= enoughLines || m.same && m.lines > 0)
}

// weak reports whether a match of few lines makes a link: where others of its branch were found, it
// is in one of these commits. If there are none, it is a large part of what the commit does to the
// files: among many other lines, anyone writes such a line as an import.
func (r *relinking) weak(m match) bool {
	if m.score < half || m.lines == 0 {
		return false
	}
	// Two lines alone prove little: where the branch was squashed into this commit, they are in
	// good company. Where it was squashed into another one, they are there, or nowhere.
	elsewhere := false
	for _, i := range r.line(m.checkpoint) {
		if r.of[i] == m.commit {
			return true
		}
		elsewhere = elsewhere || r.of[i] >= 0
	}
	return !elsewhere && m.score >= whole && r.largePart(m.checkpoint, m.commit)
}

// largePart reports whether the lines of a checkpoint are more than a few of those that a commit
// adds to the same files and that its branch doesn't have.
func (r *relinking) largePart(checkpoint, commit int) bool {
	// The lines of the whole branch count for it: a squash has them all.
	branch := map[Line]bool{}
	for _, j := range append(r.line(checkpoint), checkpoint) {
		for _, f := range r.checkpoints[j].Files {
			for _, line := range f.Lines {
				branch[line] = true
			}
		}
	}
	own, others := 0, 0
	for _, f := range r.checkpoints[checkpoint].Files {
		if i := r.in(f, commit); i >= 0 && len(f.Lines) > 0 {
			own += len(f.Lines)
			for _, line := range r.commits[commit].Files[i].Lines {
				if !branch[line] {
					others++
				}
			}
		}
	}
	return others < fewOthers*own
}

// before reports whether the commit is older than the checkpoint.
func (r *relinking) before(m match) bool {
	return r.commits[m.commit].When < r.checkpoints[m.checkpoint].Made
}

// better orders matches, the best one first.
func (r *relinking) better(a, b match) int {
	bool2int := func(b bool) int {
		if b {
			return 1
		}
		return 0
	}
	return cmp.Or(
		// In a rebase with a human's commits in between, a commit of the same change must not lose
		// the link to its neighbour, which may have the same lines.
		bool2int(b.same)-bool2int(a.same),
		cmp.Compare(b.score, a.score),
		b.lines-a.lines,
		// A commit that seems a little older than the checkpoint, since clocks differ, comes after
		// others.
		bool2int(r.before(a))-bool2int(r.before(b)),
		// Of equal commits the first one brought the lines.
		cmp.Compare(r.commits[a.commit].When, r.commits[b.commit].When),
		cmp.Compare(r.checkpoints[a.checkpoint].Made, r.checkpoints[b.checkpoint].Made),
		// The indexes at last, so that each run decides alike.
		cmp.Compare(a.commit, b.commit),
		cmp.Compare(a.checkpoint, b.checkpoint),
	)
}

// matches is a heap, the best match first.
type matches struct {
	all    []match
	better func(a, b match) int
}

func (m *matches) Len() int           { return len(m.all) }
func (m *matches) Less(i, j int) bool { return m.better(m.all[i], m.all[j]) < 0 }
func (m *matches) Swap(i, j int)      { m.all[i], m.all[j] = m.all[j], m.all[i] }
func (m *matches) Push(x any)         { m.all = append(m.all, x.(match)) }
func (m *matches) Pop() any {
	last := m.all[len(m.all)-1]
	m.all = m.all[:len(m.all)-1]
	return last
}

// assign gives each checkpoint with enough evidence to the commit that it matches best, with the
// lines that better matches left.
func (r *relinking) assign(candidates []match, enough func(match) bool) {
	queue := &matches{slices.Clone(candidates), r.better}
	heap.Init(queue)
	for queue.Len() > 0 {
		m := heap.Pop(queue).(match)
		if r.of[m.checkpoint] >= 0 || r.checkpoints[m.checkpoint].Linked || !enough(m) {
			continue
		}
		// Lines that were taken since the match was put into the queue lower its score, and none
		// raises it. So a match whose score still holds when it comes out is the best one that is
		// left.
		now := m
		now.measured = r.measure(m.checkpoint, m.commit)
		if now.score < m.score {
			now.same = false
			heap.Push(queue, now)
			continue
		}
		r.of[m.checkpoint], r.score[m.checkpoint] = m.commit, m.measured
		r.take(m.checkpoint, m.commit)
	}
}
