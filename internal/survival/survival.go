// Package survival follows each line of a history from the commit that brings it to the one that
// removes it, as git blame would over all files at once: from the commits' changes alone.
package survival

import (
	"cmp"
	"slices"

	"entire-plumb/gitexec"
)

// Change is how a commit changes a file, compared with one of its parents.
type Change struct {
	Old, New gitexec.Path // Old is empty for an added file, New for a deleted one; they differ after a rename
	NoText   bool         // the new version has no lines: a binary file, a symlink, a submodule
	Fresh    int          // lines of a version that git compares with no older one, as after a binary one; 0: those of Hunks
	From     int          // of a merge: the number of another parent that has the same version; 0: the first, or none
	Hunks    []gitexec.Hunk
}

// whole reports whether the new version has the old one's lines, all of them.
func (c Change) whole() bool { return c.Old != "" && !c.NoText && c.Fresh == 0 && len(c.Hunks) == 0 }

// Commit is a commit with its changes.
type Commit struct {
	Parents []int    // the numbers of those that were added before
	When    int64    // the committer's time, in seconds
	Changes []Change // compared with the first parent, or with nothing
	// Others are those compared with each other parent: of the files in Changes that differ there,
	// too, and of no others.
	Others [][]Change
}

// Span is lines of a version, counted from 1.
type Span struct{ Start, N int }

// End is the line after the last one.
func (s Span) End() int { return s.Start + s.N }

// Death is lines that a commit removed at a time.
type Death struct {
	Span
	When int64
}

// Birth is the lines that a commit brings to a file, and what became of them: each is alive, or has
// died.
type Birth struct {
	Commit int // its number, from 0
	Path   gitexec.Path
	Alive  []Span
	Died   []Death
}

// run is lines of a birth that stand one after the other.
type run struct{ birth, start, n int32 }

// Replay is a history, to which commits are added, parents first.
type Replay struct {
	births   []Birth
	states   []*files // nil: no commit needs it any more
	children []int    // that are still to come
}

// New begins a history of commits, of which each one's number of children is given, in the order in
// which they will be added. The state of a commit is kept until its last child is added; of one
// without children it is not kept, so that the head, whose lines End and Origin tell, counts as a
// child of its own.
func New(children []int) *Replay {
	return &Replay{children: slices.Clone(children)}
}

// Add adds the next commit, whose number is how many were added before, from 0. Its parents must
// have been added, and it must be one of the children that New was told.
func (r *Replay) Add(c Commit) {
	s := &files{}
	if len(c.Parents) > 0 {
		s = r.take(c.Parents[0])
	}
	a := adding{Replay: r, commit: len(r.states), when: c.When, state: s}
	others := make([]*files, len(c.Parents))
	for i, p := range c.Parents {
		if i > 0 {
			others[i] = r.states[p]
		}
	}
	if len(c.Parents) > 1 {
		a.merge(c, others)
	} else {
		a.apply(c.Changes, a.version)
	}
	r.states = append(r.states, a.state)
	for _, p := range c.Parents[min(1, len(c.Parents)):] {
		r.release(p)
	}
	if n := len(r.states) - 1; r.children[n] == 0 {
		r.states[n] = nil
	}
}

// take is a commit's state for a child: the state itself for the last one.
func (r *Replay) take(parent int) *files {
	s := r.states[parent]
	if r.release(parent); r.states[parent] == nil && !s.shared {
		return s
	}
	return s.fork()
}

func (r *Replay) release(parent int) {
	if r.children[parent]--; r.children[parent] == 0 {
		r.states[parent] = nil
	}
}

// adding is a commit that is being added.
type adding struct {
	*Replay
	commit int
	when   int64
	state  *files
}

// apply applies changes: version is the lines of a new version, and those of the old one that are
// gone.
func (a *adding) apply(changes []Change, version func(c Change, old []run) (now, removed []run)) {
	now := make([][]run, len(changes))
	for i, c := range changes {
		var old, removed []run
		if c.Old != "" {
			old = a.state.get(c.Old)
		}
		now[i], removed = version(c, old)
		a.bury(removed)
	}
	for _, c := range changes {
		if c.Old != "" && c.Old != c.New {
			a.state.set(c.Old, nil)
		}
	}
	for i, c := range changes {
		if c.New != "" {
			a.state.set(c.New, now[i])
		}
	}
}

// version is the lines of a new version, and those of the old one that it lacks.
func (a *adding) version(c Change, old []run) (now, removed []run) {
	switch {
	case c.New == "" || c.NoText:
		return nil, old
	case c.Fresh > 0:
		return []run{{a.born(c.New), 1, int32(c.Fresh)}}, old
	case len(c.Hunks) == 0:
		return old, nil
	}
	birth := int32(-1)
	for _, h := range c.Hunks {
		if h.NewLines > 0 && birth < 0 {
			birth = a.born(c.New)
		}
	}
	return splice(old, c.Hunks, birth)
}

func (a *adding) born(path gitexec.Path) int32 {
	a.births = append(a.births, Birth{Commit: a.commit, Path: path})
	return int32(len(a.births) - 1)
}

// bury notes that lines were removed.
func (a *adding) bury(removed []run) {
	for _, r := range removed {
		b := &a.births[r.birth]
		b.Died = append(b.Died, Death{Span{int(r.start), int(r.n)}, a.when})
	}
}

// Origin is the line of a commit's file that git blame would name for a line of a file in a commit
// whose state is kept. Lines are counted from 1, commits from 0. ok is false where the state isn't
// kept, or the file has no such line.
func (r *Replay) Origin(commit int, path gitexec.Path, line int) (from int, in gitexec.Path, at int, ok bool) {
	if commit >= len(r.states) || r.states[commit] == nil {
		return 0, "", 0, false
	}
	for _, run := range r.states[commit].get(path) {
		if line <= int(run.n) {
			b := r.births[run.birth]
			return b.Commit, b.Path, int(run.start) + line - 1, true
		}
		line -= int(run.n)
	}
	return 0, "", 0, false
}

// End is all births, with what is alive in the last commit, if its state is kept. What a commit
// removed and is alive there all the same, as on another branch, has not died. It is called once,
// at the end.
func (r *Replay) End() []Birth {
	if head := len(r.states) - 1; head >= 0 && r.states[head] != nil {
		r.states[head].each(func(_ gitexec.Path, runs []run) {
			for _, one := range runs {
				b := &r.births[one.birth]
				b.Alive = append(b.Alive, Span{int(one.start), int(one.n)})
			}
		})
	}
	for i := range r.births {
		b := &r.births[i]
		b.Alive, b.Died = settled(b.Alive, b.Died)
	}
	return r.births
}

// settled leaves each line one fate: it is alive, or died when it was removed first.
func settled(alive []Span, died []Death) ([]Span, []Death) {
	slices.SortFunc(alive, func(a, b Span) int { return a.Start - b.Start })
	if len(died) == 0 {
		return alive, nil
	}
	slices.SortStableFunc(died, func(a, b Death) int { return cmp.Or(cmp.Compare(a.When, b.When), a.Start-b.Start) })
	known := append([]Span{}, alive...)
	var all []Death
	for _, d := range died {
		for _, left := range without(d.Span, known) {
			all = append(all, Death{left, d.When})
			at, _ := slices.BinarySearchFunc(known, left.Start, func(s Span, start int) int { return s.Start - start })
			known = slices.Insert(known, at, left)
		}
	}
	return alive, all
}

// without is what of a span is in none of others, which are in order and disjoint.
func without(s Span, others []Span) (left []Span) {
	at, _ := slices.BinarySearchFunc(others, s.Start, func(o Span, start int) int { return o.End() - 1 - start })
	for _, o := range others[at:] {
		if o.Start >= s.End() {
			break
		}
		if o.Start > s.Start {
			left = append(left, Span{s.Start, o.Start - s.Start})
		}
		if s = (Span{o.End(), s.End() - o.End()}); s.N <= 0 {
			return left
		}
	}
	return append(left, s)
}
