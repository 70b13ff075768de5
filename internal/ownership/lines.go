// Package ownership tells whose each line of a file is, by replaying what was done to it step by
// step, as git's own diffs tell it. It reads no content: runs of lines and hunks are all there is.
package ownership

import (
	"math"

	"entire-plumb/gitexec"
)

// Owner is whose a line is: one of those below, or, from FirstTurn on, an agent's turn of the
// caller's own counting.
type Owner int

// The owners that are no agent's turn.
const (
	Base     Owner = iota // was there before
	Added                 // the human's, new
	Modified              // the human's, in the place of another line
	Unknown               // somebody's, but what would tell whose is gone
	FirstTurn
)

// Agents reports whether a line is an agent's.
func (o Owner) Agents() bool { return o >= FirstTurn }

// Run is a number of lines, one after the other, of one owner.
type Run struct {
	Owner Owner
	Count int
}

// Lines says whose the lines of one version of a file are, in their order. The last run may be
// longer than the file.
type Lines []Run

// Whole is a version of unknown length that is all one owner's.
func Whole(o Owner) Lines { return Lines{{o, math.MaxInt32}} }

// Apply gives the version after a step's hunks, which come in their order. The step is an agent's
// turn or the human's (Added, some of which become Modified). removed counts the lines of the base
// that went without others in their place.
func (l Lines) Apply(hunks []gitexec.Hunk, by Owner) (after Lines, removed int) {
	b := builder{lines: make(Lines, 0, len(l)+2*len(hunks))}
	in := reader{rest: l}
	at := 1 // the next old line
	for _, h := range hunks {
		start := h.OldStart
		if h.OldLines == 0 {
			start++
		}
		in.take(start-at, b.add)
		base := 0
		in.take(h.OldLines, func(r Run) {
			if r.Owner == Base {
				base += r.Count
			}
		})
		at = start + h.OldLines
		replaced := min(h.OldLines, h.NewLines)
		if by == Added {
			b.add(Run{Modified, replaced})
			b.add(Run{Added, h.NewLines - replaced})
		} else {
			b.add(Run{by, h.NewLines})
		}
		removed += min(base, h.OldLines-replaced)
	}
	in.take(math.MaxInt32, b.add)
	return b.lines, removed
}

// Merge joins what two histories say of the same version, which may begin with different ones. An
// agent's line is the agent's, whichever of them knows; one that either has lost the author of is
// unknown; one that either knows from its base was there before; the rest is the human's.
func Merge(a, b Lines) Lines {
	return zip(a, b, func(x, y Owner) Owner {
		switch {
		case x.Agents() || y.Agents():
			if x.Agents() {
				return x
			}
			return y
		case x == Unknown || y == Unknown:
			return Unknown
		case x == Base || y == Base:
			return Base
		}
		return min(x, y)
	})
}

// Within keeps the owners of the lines that are new, and gives the others to the base. A new line
// that the history has from the base, an older one then, is the human's.
func (l Lines) Within(isNew Lines) Lines {
	return zip(l, isNew, func(o, n Owner) Owner {
		switch {
		case n == Base:
			return Base
		case o == Base:
			return n
		}
		return o
	})
}

// Lost says of the lines that are unknown in another list that nothing tells whose they are, unless
// they are an agent's.
func (l Lines) Lost(unknown Lines) Lines {
	return zip(l, unknown, func(o, n Owner) Owner {
		if n == Unknown && !o.Agents() {
			return n
		}
		return o
	})
}

// Count gives how many lines each owner has, the base left out.
func (l Lines) Count() map[Owner]int {
	n := map[Owner]int{}
	for _, r := range l {
		if r.Owner != Base && r.Count > 0 {
			n[r.Owner] += r.Count
		}
	}
	return n
}

// New is how many lines are not the base's.
func (l Lines) New() int {
	n := 0
	for _, r := range l {
		if r.Owner != Base {
			n += r.Count
		}
	}
	return n
}

func zip(a, b Lines, choose func(x, y Owner) Owner) Lines {
	var out builder
	x, y := reader{rest: a}, reader{rest: b}
	for {
		r, ok := x.peek()
		s, ok2 := y.peek()
		if !ok || !ok2 {
			return out.lines
		}
		n := min(r.Count, s.Count)
		out.add(Run{choose(r.Owner, s.Owner), n})
		x.skip(n)
		y.skip(n)
	}
}

// reader goes through runs.
type reader struct {
	rest Lines
	used int // of the first run
}

func (r *reader) peek() (Run, bool) {
	for len(r.rest) > 0 && r.rest[0].Count == r.used {
		r.rest, r.used = r.rest[1:], 0
	}
	if len(r.rest) == 0 {
		return Run{}, false
	}
	return Run{r.rest[0].Owner, r.rest[0].Count - r.used}, true
}

func (r *reader) skip(n int) { r.used += n }

// take hands out the next n lines, as far as there are any.
func (r *reader) take(n int, to func(Run)) {
	for n > 0 {
		run, ok := r.peek()
		if !ok {
			return
		}
		run.Count = min(n, run.Count)
		to(run)
		r.skip(run.Count)
		n -= run.Count
	}
}

// builder puts runs together.
type builder struct{ lines Lines }

func (b *builder) add(r Run) {
	if r.Count <= 0 {
		return
	}
	if last := len(b.lines) - 1; last >= 0 && b.lines[last].Owner == r.Owner {
		b.lines[last].Count = min(math.MaxInt32, b.lines[last].Count+r.Count)
		return
	}
	b.lines = append(b.lines, r)
}
