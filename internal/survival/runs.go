package survival

import (
	"maps"

	"entire-plumb/gitexec"
)

// appended appends lines to runs.
func appended(runs []run, r run) []run {
	if r.n <= 0 {
		return runs
	}
	if i := len(runs) - 1; i >= 0 && runs[i].birth == r.birth && runs[i].start+runs[i].n == r.start {
		runs[i].n += r.n
		return runs
	}
	return append(runs, r)
}

// reader reads runs from the beginning.
type reader struct {
	runs []run
	at   int32 // lines of the first one that were read
}

// take moves lines to a list; there may be fewer, if what was recorded doesn't fit together.
func (r *reader) take(n int, to []run) []run {
	for n > 0 && len(r.runs) > 0 {
		first := r.runs[0]
		some := min(int32(n), first.n-r.at)
		to = appended(to, run{first.birth, first.start + r.at, some})
		n -= int(some)
		if r.at += some; r.at == first.n {
			r.runs, r.at = r.runs[1:], 0
		}
	}
	return to
}

func (r *reader) rest(to []run) []run {
	for len(r.runs) > 0 {
		to = r.take(int(r.runs[0].n), to)
	}
	return to
}

// splice is the lines of a version after hunks, whose new lines are a birth's, and the removed
// ones.
func splice(old []run, hunks []gitexec.Hunk, birth int32) (now, removed []run) {
	in, at := reader{runs: old}, 1
	now = make([]run, 0, len(old)+2*len(hunks))
	for _, h := range hunks {
		start := h.OldStart
		if h.OldLines == 0 {
			start++ // it is the line before the change
		}
		now = in.take(start-at, now)
		removed = in.take(h.OldLines, removed)
		now = appended(now, run{birth, int32(h.NewStart), int32(h.NewLines)})
		at = start + h.OldLines
	}
	return in.rest(now), removed
}

// missing are the lines that a version lacks.
func missing(old, now []run) (gone []run) {
	there := map[int32][]Span{}
	for _, r := range now {
		there[r.birth] = append(there[r.birth], Span{int(r.start), int(r.n)})
	}
	for birth, spans := range there {
		there[birth], _ = settled(spans, nil)
	}
	for _, r := range old {
		for _, left := range without(Span{int(r.start), int(r.n)}, there[r.birth]) {
			gone = append(gone, run{r.birth, int32(left.Start), int32(left.N)})
		}
	}
	return gone
}

// files are the lines of a commit's files. Commits share what they have in common: a part belongs
// to the state that made it, and is copied before another one changes it.
type files struct {
	parts  [parts]*part
	shared bool // others have parts of it
}

type part struct {
	of    *files
	lines map[gitexec.Path][]run
}

// parts is how many parts a state has: with a hundred thousand files, some hundred each. A state
// that is forked copies the parts that change, and shares the others: fewer are larger to copy, and
// more are a longer list in each state.
const parts = 256

func partOf(path gitexec.Path) uint32 {
	hash := uint32(2166136261) // FNV-1a
	for i := range len(path) {
		hash = (hash ^ uint32(path[i])) * 16777619
	}
	return hash % parts
}

func (f *files) fork() *files {
	f.shared = true
	return &files{parts: f.parts}
}

func (f *files) get(path gitexec.Path) []run {
	if p := f.parts[partOf(path)]; p != nil {
		return p.lines[path]
	}
	return nil
}

// set sets a file's lines; nil: it has none, or is not there.
func (f *files) set(path gitexec.Path, runs []run) {
	at := partOf(path)
	p := f.parts[at]
	if p == nil || p.of != f {
		own := &part{of: f, lines: map[gitexec.Path][]run{}}
		if p != nil {
			own.lines = maps.Clone(p.lines)
		}
		f.parts[at], p = own, own
	}
	if len(runs) == 0 {
		delete(p.lines, path)
		return
	}
	p.lines[path] = runs
}

func (f *files) each(do func(gitexec.Path, []run)) {
	for _, p := range f.parts {
		if p == nil {
			continue
		}
		for path, runs := range p.lines {
			do(path, runs)
		}
	}
}
