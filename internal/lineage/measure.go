package lineage

import "slices"

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
	w := 1 / float64(max(1, r.count[l]))
	if l.Light() {
		w /= 50
	}
	return w
}

// renamed is the file of a commit that has most of the lines of one that the commit does not
// change: the file has another name there. -1: none.
func (r *relinking) renamed(f File, commit int) int {
	if r.having[commit] == nil {
		r.having[commit] = map[Line][]int{}
		for i, to := range r.commits[commit].Files {
			for _, line := range to.Lines {
				if files := r.having[commit][line]; to.New && !line.Light() && len(files) < commonLine && !slices.Contains(files, i) {
					r.having[commit][line] = append(files, i)
				}
			}
		}
	}
	best, count, heavy := -1, map[int]int{}, 0
	for _, line := range f.Lines {
		if !line.Light() {
			heavy++
		}
		for _, i := range r.having[commit][line] {
			if count[i]++; best < 0 || count[i] > count[best] || count[i] == count[best] && i < best {
				best = i
			}
		}
	}
	if best >= 0 && (count[best] <= fewLines || 2*count[best] < heavy || len(r.commits[commit].Files[best].Lines) > fewOthers*count[best]) {
		return -1
	}
	return best
}

// in is the file of a commit that a checkpoint's file is compared with; -1: none.
func (r *relinking) in(f File, commit int) int {
	if i, ok := r.byPath[commit][f.Path]; ok {
		return i
	}
	return r.renamed(f, commit)
}

// measure compares a checkpoint with the lines of a commit that are left.
func (r *relinking) measure(checkpoint, commit int) measured {
	m, found, sought := measured{}, 0.0, 0.0
	for _, f := range r.checkpoints[checkpoint].Files {
		i := r.in(f, commit)
		if len(f.Lines) == 0 {
			same := i >= 0 && r.commits[commit].Files[i].Blob == f.Blob
			if same {
				m.files = append(m.files, FileEvidence{Path: r.commits[commit].Files[i].Path, Whole: true})
			}
			switch {
			case f.Blob == "" && same:
				m.deleted++
			case f.Blob == "" || i < 0:
			case same:
				found++
				m.versions++
				fallthrough
			default:
				sought++
			}
			continue
		}
		e := FileEvidence{Path: f.Path, Sought: len(f.Lines)}
		taken := map[Line]int{}
		for _, line := range f.Lines {
			w := r.weight(line)
			sought += w
			if i < 0 || r.left[commit][place{i, line}] <= taken[line] {
				continue
			}
			taken[line]++
			found += w
			e.Found++
			if !line.Light() {
				m.lines++
			}
		}
		if i >= 0 {
			e.Path = r.commits[commit].Files[i].Path
		}
		m.files = append(m.files, e)
	}
	if sought > 0 {
		m.score = found / sought
	}
	return m
}

// take takes the lines of a checkpoint from those that are left of a commit.
func (r *relinking) take(checkpoint, commit int) {
	for _, f := range r.checkpoints[checkpoint].Files {
		i := r.in(f, commit)
		for _, line := range f.Lines {
			if p := (place{i, line}); i >= 0 && r.left[commit][p] > 0 {
				r.left[commit][p]--
			}
		}
	}
}
