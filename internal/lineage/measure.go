package lineage

import (
	"slices"

	"entire-plumb/gitexec"
)

// measured is how much of a checkpoint a commit has.
type measured struct {
	score    float64
	lines    int // that weigh something
	versions int // files without lines, of the same version
	deleted  int // files that both delete
	files    []FileEvidence
}

// evident reports whether the commit has anything of the checkpoint.
func (m measured) evident() bool { return m.lines+m.versions+m.deleted > 0 }

// weight is that of a line of a checkpoint: less, the more often the checkpoints have it.
func (r *relinking) weight(l Line) float64 {
	// A line that ten checkpoints have is a tenth of evidence for each.
	w := 1 / float64(max(1, r.count[l]))
	if l.Light() {
		w /= lightOf
	}
	return w
}

// addedLines are the lines that a commit adds, with their files.
func addedLines(files []File) map[Line][]int {
	having := map[Line][]int{}
	for i, f := range files {
		for _, line := range f.Lines {
			if in := having[line]; !line.Light() && len(in) < commonLine && !slices.Contains(in, i) {
				having[line] = append(in, i)
			}
		}
	}
	return having
}

// lacks reports whether a commit has no file of a name: the file may have another name there, since
// this commit or an earlier one. false: it has one, or that is not known.
func (r *relinking) lacks(path gitexec.Path, commit int) bool {
	c := r.commits[commit]
	if i, ok := r.byPath[commit][path]; ok {
		return c.Files[i].Blob == ""
	}
	if c.Keeps == nil {
		return false
	}
	gone, known := r.gone[commit][path]
	if !known {
		gone = !c.Keeps(path)
		r.gone[commit][path] = gone
	}
	return gone
}

// renamed is the file of a commit that has most of the lines of one whose name the commit does not
// change, or lacks: the file has another name there. That is one that the commit adds or, where it
// lacks the name, any. -1: none.
func (r *relinking) renamed(f File, commit int) int {
	files := r.commits[commit].Files
	if r.having[commit] == nil {
		r.having[commit] = addedLines(files)
	}
	// count[-1] is 0: any file with a line is better than none. Of equals the first file is taken.
	best, added, count, heavy := -1, -1, map[int]int{}, 0
	better := func(i, than int) bool { return count[i] > count[than] || count[i] == count[than] && i < than }
	for _, line := range f.Lines {
		if !line.Light() {
			heavy++
		}
		for _, i := range r.having[commit][line] {
			if count[i]++; better(i, best) {
				best = i
			}
			if files[i].New && better(i, added) {
				added = i
			}
		}
	}
	// A renamed file has three lines of the old one at least, half of those that weigh something,
	// and they are more than a tenth of its own.
	may := func(i int) bool {
		return count[i] >= enoughLines && 2*count[i] >= heavy && len(files[i].Lines) <= fewOthers*count[i]
	}
	switch {
	case may(best) && (best == added || r.lacks(f.Path, commit)): // which reads trees, and comes last
		return best
	case may(added):
		return added
	}
	return -1
}

// in is the file of a commit that a checkpoint's file is compared with; -1: none.
func (r *relinking) in(f File, commit int) int {
	i, changed := r.byPath[commit][f.Path]
	if changed && !r.lacks(f.Path, commit) {
		return i
	}
	if other := r.renamed(f, commit); other >= 0 || !changed {
		return other
	}
	return i // deleted there
}

// measure compares a checkpoint with the lines of a commit that are left.
func (r *relinking) measure(checkpoint, commit int) measured {
	m := measured{}
	var sum extent
	// One sum over all files: see extent.
	for _, f := range r.checkpoints[checkpoint].Files {
		i := r.in(f, commit)
		if len(f.Lines) == 0 {
			m.addVersion(f, r.commits[commit].Files, i, &sum)
		} else {
			r.addLines(&m, f, commit, i, &sum)
		}
	}
	if sum.sought > 0 {
		m.score = sum.found / sum.sought
	}
	return m
}

// extent sums what of a work is found. It is one sum over all files, in their order: sums of sums
// are rounded otherwise, and a half is enough for a link.
type extent struct{ found, sought float64 }

// addVersion compares a file without lines by its version with the commit's file of the index i;
// -1: it has none. A deletion proves nothing by itself: it counts neither as found nor as sought.
func (m *measured) addVersion(f File, files []File, i int, sum *extent) {
	same := i >= 0 && files[i].Blob == f.Blob
	if same {
		m.files = append(m.files, FileEvidence{Path: files[i].Path, Whole: true})
	}
	switch {
	case f.Blob == "" && same:
		m.deleted++
	case f.Blob == "" || i < 0:
	case same:
		m.versions++
		sum.found++
		sum.sought++
	default:
		sum.sought++
	}
}

// addLines compares a file's lines with those that are left of the commit's file of the index i;
// -1: it has none.
func (r *relinking) addLines(m *measured, f File, commit, i int, sum *extent) {
	e := FileEvidence{Path: f.Path, Sought: len(f.Lines)}
	if i >= 0 {
		e.Path = r.commits[commit].Files[i].Path
	}
	taken := map[Line]int{}
	for _, line := range f.Lines {
		w := r.weight(line)
		sum.sought += w
		// A line counts as often as the commit has it left. Where the file is missing, i is -1, and
		// nothing is there.
		if r.left[commit][place{i, line}] <= taken[line] {
			continue
		}
		taken[line]++
		sum.found += w
		e.Found++
		if !line.Light() {
			m.lines++
		}
	}
	m.files = append(m.files, e)
}

// take takes the lines of a checkpoint from those that are left of a commit. The count of a line
// that the commit has less often is below zero, which is as none.
func (r *relinking) take(checkpoint, commit int) {
	for _, f := range r.checkpoints[checkpoint].Files {
		// -1 is no file: what is counted there is read by nobody.
		i := r.in(f, commit)
		for _, line := range f.Lines {
			r.left[commit][place{i, line}]--
		}
	}
}
