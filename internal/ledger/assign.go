package ledger

import (
	"maps"
	"slices"
)

// assignment is a version whose lines are given owners, one rule after another. Each rule takes only
// lines that are still open.
type assignment struct {
	book *Book
	to   *Version
	step Step
	at   []int      // of its lines: where the nearest version has them, in order; -1: nowhere
	most map[ID]int // of the lines that are open: how often the version of the file with most of them has each
}

func (a *assignment) give(line int, o Owner, by Rule) { a.to.Owners[line], a.to.Rules[line] = o, by }

func (a *assignment) isOpen(line int) bool { return a.to.Rules[line] == Open }

func (a *assignment) open() bool {
	for line := range a.to.Text {
		if a.isOpen(line) {
			return true
		}
	}
	return false
}

// oldName is the file that the step takes away and that has become this one: the one that shares most
// lines with it, by their weight, and half of its own.
func (a *assignment) oldName() (found *Version) {
	now, best := map[ID]int{}, 0
	for _, id := range a.to.Text {
		now[id]++
	}
	for _, gone := range a.step.Gone {
		if gone.Blob == a.to.Blob {
			return gone
		}
		has, all, seen := 0, 0, map[ID]int{}
		for _, id := range gone.Text {
			weight := a.book.lexicon.weight(id)
			if all += weight; seen[id] < now[id] {
				has += weight
			}
			seen[id]++
		}
		if 2*has >= all && has > best {
			found, best = gone, has
		}
	}
	return found
}

// inOrder gives the lines that the nearest version has in this order their owners.
func (a *assignment) inOrder() {
	from := a.step.Nearest
	if from == nil {
		a.at = match(nil, a.to.Text)
		return
	}
	a.at = match(from.Text, a.to.Text)
	for line, at := range a.at {
		if at >= 0 {
			a.give(line, from.Owners[at], InOrder)
		}
	}
}

// occur counts the open lines in the known versions of the file.
func (a *assignment) occur() {
	a.most = map[ID]int{}
	for line, id := range a.to.Text {
		if a.isOpen(line) && a.book.lexicon.significant(id) {
			a.most[id] = 0
		}
	}
	if !slices.ContainsFunc(slices.Collect(maps.Keys(a.most)), func(id ID) bool { return int(id) < len(a.book.among) }) {
		return // no version has any
	}
	count := map[ID]int{}
	for _, v := range a.book.paths[a.to.Path] {
		clear(count)
		for _, id := range v.Text {
			if _, sought := a.most[id]; sought {
				count[id]++
			}
		}
		for id, n := range count {
			a.most[id] = max(a.most[id], n)
		}
	}
}

// rare reports whether an open line is significant, at most once in each known version of the file,
// and in at most two files.
func (a *assignment) rare(id ID) bool {
	return a.book.lexicon.significant(id) && a.most[id] <= 1 && (int(id) >= len(a.book.among) || a.book.among[id][1] >= 0)
}

// inOthers gives lines that another base has in this order their owners, if they are rare, with the
// lines beside them in both, or if several that stand together are evidence.
func (a *assignment) inOthers() {
	for _, other := range a.step.Others {
		if other == nil || other == a.step.Nearest {
			continue
		}
		at := match(other.Text, a.to.Text)
		for line, id := range a.to.Text {
			if a.isOpen(line) && at[line] >= 0 && (a.rare(id) || a.together(at, line)) {
				a.beside(other, line, at[line], InOther)
			}
		}
	}
}

// together reports whether the open lines that begin with one, and that stand so in another version,
// have the weight of evidence. at are their places there.
func (a *assignment) together(at []int, line int) bool {
	weight := 0
	for i := line; i < len(at) && a.isOpen(i) && at[i] == at[line]+i-line && weight < Evidence; i++ {
		if n := a.book.lexicon.weight(a.to.Text[i]); n < Evidence { // else it counts if it is rare
			weight += n
		}
	}
	return weight >= Evidence
}

// beside gives a line the owner that it has in another version, and the open lines before and after it
// that stand beside it there, too.
func (a *assignment) beside(from *Version, line, at int, by Rule) {
	a.give(line, from.Owners[at], by)
	for d := -1; d <= 1; d += 2 {
		for i, j := line+d, at+d; i >= 0 && j >= 0 && i < len(a.to.Text) && j < len(from.Text); i, j = i+d, j+d {
			if !a.isOpen(i) || a.to.Text[i] != from.Text[j] {
				break
			}
			a.give(i, from.Owners[j], by)
		}
	}
}

// cameBack gives rare lines that any version of the file had their owners, as often as the version
// with most of them has them, and common lines beside one that came back. The latest version counts.
func (a *assignment) cameBack() {
	has, any := map[ID]int{}, false
	for _, n := range a.most {
		any = any || n > 0
	}
	if !any {
		return
	}
	for line, id := range a.to.Text {
		if !a.isOpen(line) {
			has[id]++
		}
	}
	versions := a.book.paths[a.to.Path]
	for i := len(versions) - 1; i >= 0; i-- {
		from := versions[i]
		var sought map[ID]int
		for line, id := range a.to.Text {
			if a.isOpen(line) && a.rare(id) && a.most[id] > has[id] {
				if sought == nil {
					sought = map[ID]int{}
				}
				sought[id] = line
			}
		}
		if sought == nil {
			return
		}
		for at, id := range from.Text {
			if line, ok := sought[id]; ok && a.isOpen(line) {
				a.beside(from, line, at, CameBack)
				has[id]++
			}
		}
	}
}

// Limits of what may have been moved: how many significant lines together are evidence, and in how many
// other files they are looked for.
const enoughMoved, mostFiles = 3, 400

// moved gives runs of significant lines that stood so in another file, and stand there no more, their
// owners. Together they must be enough evidence: three of them that at most two files have had, or one
// that no other file has had, and that stood there until now.
func (a *assignment) moved() {
	if a.step.Now == nil {
		return
	}
	sought := map[ID]int{}   // how much evidence each is; 0: it isn't moved
	found := map[int32]int{} // by the number of a file, how much they are there
	for line, id := range a.to.Text {
		if !a.isOpen(line) || !a.book.lexicon.significant(id) || int(id) >= len(a.book.among) || !a.book.inFew(id) {
			continue
		}
		in := a.book.among[id]
		if _, again := sought[id]; !again && in[1] == 0 {
			sought[id] = enoughMoved
		} else {
			sought[id] = 1
		}
		for _, file := range in {
			if file > 0 && a.book.order[file-1] != a.to.Path {
				found[file] += sought[id]
			}
		}
	}
	for tried, file := range slices.Sorted(maps.Keys(found)) {
		if found[file] < enoughMoved || tried >= mostFiles {
			continue
		}
		path := a.book.order[file-1]
		versions := a.book.paths[path]
		now, known := a.step.Now(path)
		if !known {
			continue
		}
		still := map[ID]bool{}
		if now != nil {
			for _, id := range now.Text {
				still[id] = true
			}
		}
		last := true
		for _, from := range slices.Backward(versions) {
			if from != now {
				a.movedFrom(from, last, still, sought)
				last = false
			}
		}
	}
}

func (a *assignment) movedFrom(from *Version, last bool, still map[ID]bool, sought map[ID]int) {
	weight := func(id ID) int {
		if still[id] {
			return 0
		}
		if last {
			return sought[id]
		}
		return min(1, sought[id])
	}
	places, all := map[ID][]int{}, 0
	for at, id := range from.Text {
		if weight(id) > 0 && len(places[id]) < 8 {
			places[id] = append(places[id], at)
			all += weight(id)
		}
	}
	if all < enoughMoved {
		return
	}
	for line := 0; line < len(a.to.Text); line++ {
		if !a.isOpen(line) {
			continue
		}
		most, best, length := enoughMoved-1, 0, 0
		for _, at := range places[a.to.Text[line]] {
			n, found := 0, 0
			for line+n < len(a.to.Text) && at+n < len(from.Text) && a.isOpen(line+n) && a.to.Text[line+n] == from.Text[at+n] {
				id := from.Text[at+n]
				if still[id] && a.book.lexicon.significant(id) {
					break
				}
				found += weight(id)
				n++
			}
			if found > most {
				most, best, length = found, at, n
			}
		}
		for n := range length {
			a.give(line+n, from.Owners[best+n], Moved)
		}
		for n := 1; length > 0 && line-n >= 0 && best-n >= 0; n++ { // what is common before it
			id := a.to.Text[line-n]
			if !a.isOpen(line-n) || id != from.Text[best-n] {
				break
			}
			a.give(line-n, from.Owners[best-n], Moved)
		}
	}
}

// neighbours gives lines that weigh nothing the owner of a line beside them that came by form, from
// another version, or from another file.
func (a *assignment) neighbours() {
	came := func(line int) bool {
		return line >= 0 && line < len(a.to.Rules) && (a.to.Rules[line] == Form || a.to.Rules[line] == CameBack ||
			a.to.Rules[line] == Moved || a.to.Rules[line] == Neighbour)
	}
	for line, id := range a.to.Text {
		if a.isOpen(line) && a.book.lexicon.weightless(id) && came(line-1) {
			a.give(line, a.to.Owners[line-1], Neighbour)
		}
	}
	for line := len(a.to.Text) - 1; line >= 0; line-- {
		if a.isOpen(line) && a.book.lexicon.weightless(a.to.Text[line]) && came(line+1) {
			a.give(line, a.to.Owners[line+1], Neighbour)
		}
	}
}

// charge asks whose the lines are that are new. Of a block of lines that the nearest version doesn't
// have in this order as many replace others as it has in their place; what is left of these is dropped.
func (a *assignment) charge() {
	var was Text
	if a.step.Nearest != nil {
		was = a.step.Nearest.Text
	}
	old, at := 0, a.at // old: the next line of the nearest version
	for line := 0; line < len(at); {
		if at[line] >= 0 {
			old = at[line] + 1
			line++
			continue
		}
		end, next := line, len(was)
		for end < len(at) && at[end] < 0 {
			end++
		}
		if end < len(at) {
			next = at[end]
		}
		for i := line; i < end; i++ {
			if a.isOpen(i) {
				a.give(i, a.step.Charge(i, i-line < next-old), Charged)
			}
		}
		for i := old + end - line; i < next && a.step.Drop != nil; i++ {
			a.step.Drop(was[i])
		}
		line = end
	}
}
