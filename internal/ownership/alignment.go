package ownership

// part is a number of consecutive lines that are all new or all old to a history (known), and
// likewise to the commit's own diff (isNew).
type part struct {
	runs         Lines
	lines        int
	known, isNew bool
}

// Align moves owners to where the commit's own diff has new lines. Where a block of new lines ends
// like the lines before it, for example a function with its brace after another one, a diff may
// take either brace for new, and several diffs in a row may choose differently from one diff of
// all. Such lines are at both ends of what both take for new, equally many at each, with equal
// text: alike reports whether two places in the file, as line numbers from 0, have the same text
// for so many lines.
func (l Lines) Align(isNew Lines, alike func(a, b, lines int) bool) Lines {
	parts := partsOf(l, isNew)
	starts := make([]int, len(parts))
	for i := range parts[:max(0, len(parts)-1)] {
		starts[i+1] = starts[i] + parts[i].lines
	}
	moved := false
	for i := 0; i+1 < len(parts); i++ {
		end := i + 1
		if parts[end].known && parts[end].isNew {
			end++
		}
		if end == len(parts) {
			break
		}
		from, to := &parts[i], &parts[end]
		if !from.known {
			from, to = to, from
		}
		if !from.known || from.isNew || to.known || !to.isNew || from.lines != to.lines || !alike(starts[i], starts[end], from.lines) {
			continue
		}
		from.runs, to.runs = to.runs, from.runs
		moved = true
		i = end
	}
	if !moved {
		return l
	}
	var out builder
	for _, p := range parts {
		for _, r := range p.runs {
			out.add(r)
		}
	}
	return out.lines
}

func partsOf(l, isNew Lines) []part {
	var parts []part
	x, y := reader{runs: l}, reader{runs: isNew}
	for {
		r, ok := x.peek()
		s, ok2 := y.peek()
		if !ok || !ok2 {
			return parts
		}
		r.Count = min(r.Count, s.Count)
		known, isAdded := r.Owner != Base, s.Owner != Base
		if last := len(parts) - 1; last < 0 || parts[last].known != known || parts[last].isNew != isAdded {
			parts = append(parts, part{known: known, isNew: isAdded})
		}
		p := &parts[len(parts)-1]
		p.runs, p.lines = append(p.runs, r), p.lines+r.Count
		x.skip(r.Count)
		y.skip(r.Count)
	}
}
