package ledger

// Run is a number of consecutive lines of one owner.
type Run struct {
	Owner Owner
	Count int
}

// Lines are the owners of the lines of one version of a file, in order. Those after the last run
// are the base's.
type Lines []Run

// Runs joins the owners of lines.
func Runs(owners []Owner) Lines {
	var lines Lines
	for _, o := range owners {
		if last := len(lines) - 1; last >= 0 && lines[last].Owner == o {
			lines[last].Count++
		} else {
			lines = append(lines, Run{o, 1})
		}
	}
	return lines
}

// Count returns how many lines each owner has, without the base.
func (l Lines) Count() map[Owner]int {
	n := map[Owner]int{}
	for _, r := range l {
		if r.Owner != Base {
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

// Align moves owners to where the commit's own diff has new lines. Where a block of new lines ends
// like the lines before it, for example a function with its brace after another one, a diff may
// take either brace for new. Such lines are at both ends of what one or the other takes for new,
// equally many at each, with the same text. isNew says which lines are new in the commit's diff.
func (v *Version) Align(owners []Owner, isNew []bool) {
	within := make([]bool, len(owners))
	for line, o := range owners {
		within[line] = o != Base || isNew[line]
	}
	// From above an owner moves to a free line before it, from below to one after it: the commit's
	// diff may have the block higher or lower than ours.
	v.align(owners, isNew, within, 0, 1)
	v.align(owners, isNew, within, len(owners)-1, -1)
}

// align moves owners back to the nearest such lines, on the way from a line in steps. within are
// the lines that one or the other takes for new.
func (v *Version) align(owners []Owner, isNew, within []bool, line, step int) {
	free := map[ID][]int{} // new lines without an owner, the nearest last
	for ; line >= 0 && line < len(owners); line += step {
		id := ID(0)
		// Owners may be more than lines: beyond the text each line counts as blank.
		if line < len(v.Text) {
			id = v.Text[line]
		}
		switch last := len(free[id]) - 1; {
		// A line that both take for old ends the block: an owner never moves across it.
		case !within[line]:
			clear(free)
		case owners[line] == Base && isNew[line]:
			free[id] = append(free[id], line)
		case owners[line] != Base && !isNew[line] && last >= 0:
			at := free[id][last]
			owners[line], owners[at], free[id] = owners[at], owners[line], free[id][:last]
		}
	}
}
