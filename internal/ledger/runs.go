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
// take either brace for new. Such lines are at both ends of what both take for new, equally many at
// each, with the same text. isNew says which lines are new in the commit's diff.
func (v *Version) Align(owners []Owner, isNew []bool) {
	for line := 0; line < len(owners); line++ {
		if owners[line] == Base || isNew[line] { // known, and old in the commit's diff
			continue
		}
		for d := -1; d <= 1; d += 2 {
			at := line + d // over what both take for new
			for at >= 0 && at < len(owners) && (owners[at] != Base && isNew[at]) {
				at += d
			}
			if at >= 0 && at < len(owners) && owners[at] == Base && isNew[at] && v.Text[at] == v.Text[line] {
				owners[line], owners[at] = owners[at], owners[line]
				break
			}
		}
	}
}
