// Package ownership finds the author of each line of a file by replaying its changes step by step,
// from git's own diffs.
package ownership

// It works on runs of lines and hunks. Content is asked for only where lines may be back that a step
// took out, and where a file may have moved: see [Content].

import (
	"math"

	"entire-plumb/gitexec"
)

// Owner is the author of a line: one of those below, or, from FirstTurn on, an agent's turn in the
// caller's numbering.
type Owner int

// The owners that are not an agent's turn.
const (
	Base     Owner = iota // existed before
	Added                 // the human's, new
	Modified              // the human's, replacing another line
	Unknown               // no known author: objects are missing
	FirstTurn
)

// IsAgent reports whether a line is an agent's.
func (o Owner) IsAgent() bool { return o >= FirstTurn }

// Run is a number of consecutive lines of one owner.
type Run struct {
	Owner Owner
	Count int
}

// Lines are the owners of the lines of one version of a file, in order. The last run may be longer
// than the file.
type Lines []Run

// Whole is a version of unknown length with one owner.
func Whole(o Owner) Lines { return Lines{{o, math.MaxInt32}} }

// Apply returns the version after a step's hunks, which are in order. The step is an agent's turn
// or the human's (Added, some of which become Modified). removed counts the lines of the base that
// were removed without a replacement.
func (l Lines) Apply(hunks []gitexec.Hunk, by Owner) (after Lines, removed int) {
	b := builder{lines: make(Lines, 0, len(l)+2*len(hunks))}
	in := reader{runs: l}
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

// Merge joins the owners of the same version from two histories, which may begin with different
// versions. An agent's line is the agent's, whichever history knows it; a line whose author either
// has lost is unknown; one that either has from its base existed before; all others are the
// human's.
func Merge(a, b Lines) Lines {
	return zip(a, b, func(x, y Owner) Owner {
		switch {
		case x.IsAgent() || y.IsAgent():
			if x.IsAgent() {
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
// that the history has from its older base is the human's.
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

// MarkUnknown marks as unknown the lines that are unknown in another list, except an agent's.
func (l Lines) MarkUnknown(unknown Lines) Lines {
	return zip(l, unknown, func(o, n Owner) Owner {
		if n == Unknown && !o.IsAgent() {
			return n
		}
		return o
	})
}

// Spread lists the owners of the first lines, one by one.
func (l Lines) Spread(lines int) []Owner {
	owners := make([]Owner, 0, lines)
	in := reader{runs: l}
	in.take(lines, func(r Run) {
		for range r.Count {
			owners = append(owners, r.Owner)
		}
	})
	for len(owners) < lines {
		owners = append(owners, Base)
	}
	return owners
}

// Replace gives the first lines these owners.
func (l Lines) Replace(owners []Owner) Lines {
	var out builder
	for _, o := range owners {
		out.add(Run{o, 1})
	}
	in := reader{runs: l}
	in.take(len(owners), func(Run) {})
	in.take(math.MaxInt32, out.add)
	return out.lines
}

// Count returns how many lines each owner has, without the base.
func (l Lines) Count() map[Owner]int {
	n := map[Owner]int{}
	for _, r := range l {
		if r.Owner != Base && r.Count > 0 {
			n[r.Owner] += r.Count
		}
	}
	return n
}

// Percent is the share of an agent's lines among those with a known author, as all views and
// records compute it; 0 where there is none.
func Percent(agent, known int) float64 {
	if known == 0 {
		return 0
	}
	return 100 * float64(agent) / float64(known)
}

// New is the number of lines that are not the base's.
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
	x, y := reader{runs: a}, reader{runs: b}
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

// reader iterates over runs.
type reader struct {
	runs Lines
	used int // of the first run
}

func (r *reader) peek() (Run, bool) {
	for len(r.runs) > 0 && r.runs[0].Count == r.used {
		r.runs, r.used = r.runs[1:], 0
	}
	if len(r.runs) == 0 {
		return Run{}, false
	}
	return Run{r.runs[0].Owner, r.runs[0].Count - r.used}, true
}

func (r *reader) skip(n int) { r.used += n }

// take passes on the next n lines, or as many as there are.
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

// builder joins runs.
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
