package ledger

import (
	"maps"
	"slices"
)

// Lines that come from elsewhere come in runs: consecutive lines that are open, and that stand so
// in another version. What a run is worth as evidence is the sum of its lines, each by its letters:
// so a line that says much is enough, and so are a few short ones together. What is common comes
// along.

// runs gives the owners of another version to the runs that are worth enough. places are where that
// one has a line.
func (a *assignment) runs(from *Version, places func(line int) []int, worth func(ID) int, enough int, by Rule) {
	for line := 0; line < len(a.to.Text); line++ {
		// A run is looked for from each line that is worth something, and grows on both sides. The
		// lines that it takes are open no more, so that the loop passes them.
		if !a.isOpen(line) || worth(a.to.Text[line]) == 0 {
			continue
		}
		// A run of less than enough never wins. Of several places the one with the longest evidence
		// does, of equals the first.
		most, first, length, offset := enough-1, 0, 0, 0
		for _, at := range places(line) {
			begin, end, sum := a.runAt(from, line, at, worth)
			if sum > most {
				most, first, length, offset = sum, begin, end-begin, at-line
			}
		}
		for i := first; i < first+length; i++ {
			a.give(i, from.Owners[i+offset], by)
		}
	}
}

// runAt is the run of lines, from begin to before end, that stand in another version as they stand
// around the line that this has at the place at, and what they are worth.
func (a *assignment) runAt(from *Version, line, at int, worth func(ID) int) (begin, end, sum int) {
	same := func(i int) bool {
		j := at + i - line
		// A line worth 0, as a brace, doesn't end a run: it comes along. One below 0 does, see
		// movedFrom.
		return i >= 0 && i < len(a.to.Text) && j >= 0 && j < len(from.Text) && a.isOpen(i) && a.to.Text[i] == from.Text[j] && worth(a.to.Text[i]) >= 0
	}
	begin, end = line, line
	for ; same(end); end++ {
		sum += worth(a.to.Text[end])
	}
	for ; same(begin - 1); begin-- {
		sum += worth(a.to.Text[begin-1])
	}
	return begin, end, sum
}

// weightIfRare is what an open line is worth among the versions of the file: nothing where one has
// it twice, or where more than two files have had it.
func (a *assignment) weightIfRare(id ID) int {
	// An ID beyond among is of a text that was not entered: no file has had the line yet.
	if a.most[id] > 1 || int(id) < len(a.book.among) && a.book.among[id][1] < 0 {
		return 0
	}
	return a.book.lexicon.weight(id)
}

// inOthers finds runs of another base, in its order.
func (a *assignment) inOthers() {
	for _, other := range a.step.Others {
		if other == nil || other == a.step.Nearest {
			continue
		}
		// In order: what another base has elsewhere in the file is for cameBack, which needs no
		// order.
		at := Match(other.Text, a.to.Text)
		a.runs(other, func(line int) []int { return at[line : line+1] }, a.weightIfRare, Evidence, InOther)
	}
}

// rearranged finds the lines of a version that has none which the nearest one lacks, as after a
// sort: where nothing is new they are evidence together, wherever they stand.
func (a *assignment) rearranged() {
	// Each line of a sorted list is evidence for the others: a run of one line could weigh too
	// little.
	left, found, weight := a.left(), map[int]int{}, 0
	// Of equal lines that left their places it may be any. Where these have several owners, that
	// doesn't tell whose it is, and it ends the search like a new line.
	maps.DeleteFunc(left, func(_ ID, places []int) bool { return !a.oneOwner(places) })
	for line, id := range a.to.Text {
		switch places := left[id]; {
		case !a.isOpen(line):
		case len(places) > 0:
			found[line], left[id] = places[0], places[1:]
			weight += a.book.lexicon.weight(id)
		// One new line is enough to end it: among new lines an old one may have been written again
		// by chance.
		case !a.book.lexicon.weightless(id):
			return
		}
	}
	if weight >= Evidence {
		for line, at := range found {
			a.give(line, a.step.Nearest.Owners[at], CameBack)
		}
	}
}

// oneOwner reports whether the nearest version's lines at some places have the same owner.
func (a *assignment) oneOwner(places []int) bool {
	owners := a.step.Nearest.Owners
	return !slices.ContainsFunc(places, func(at int) bool { return owners[at] != owners[places[0]] })
}

// cameBack finds runs of any version of the file, the latest first. What is sought is rare, was in
// a version of the file, and has no owner anywhere yet.
func (a *assignment) cameBack() {
	sought := map[ID]int{} // their weight
	for id := range a.most {
		if w := a.weightIfRare(id); w > 0 {
			sought[id] = w
		}
	}
	worth := func(id ID) int { return sought[id] }
	// Where the actor only undoes the last edit, the version before has all of it, and the
	// search ends there.
	for _, from := range slices.Backward(a.book.paths[a.to.Path]) {
		for line, id := range a.to.Text {
			if !a.isOpen(line) {
				delete(sought, id) // no version has it twice
			}
		}
		if len(sought) == 0 {
			return
		}
		places, _ := a.placesIn(from, worth)
		a.runs(from, places, worth, Evidence, CameBack)
	}
}

// placesIn finds where a version has each line that is worth something, and what these places are
// worth together.
func (a *assignment) placesIn(from *Version, worth func(ID) int) (places func(line int) []int, all int) {
	at := map[ID][]int{}
	for i, id := range from.Text {
		// Without the limit a table with the same cell in each row would be compared with itself,
		// row by row.
		if w := worth(id); w > 0 && len(at[id]) < mostPlaces {
			at[id] = append(at[id], i)
			all += w
		}
	}
	return func(line int) []int { return at[a.to.Text[line]] }, all
}

// fromSides finds lines of the versions that git put together, however short: what a side has is
// nobody's work who resolves a conflict. A line comes as often as the side with most of them has
// it.
func (a *assignment) fromSides() {
	// Lines that other rules have given away use up those of a side: a side with one `return x`
	// gives one in all.
	has := a.book.lexicon.table() // how often each line is not open
	defer a.book.lexicon.free(has, a.to.Text)
	for line, id := range a.to.Text {
		if !a.isOpen(line) {
			has[id]++
		}
	}
	for _, side := range a.step.Sides {
		if side == nil {
			continue
		}
		at := map[ID][]int{}
		for i, id := range side.Text {
			at[id] = append(at[id], i)
		}
		for line, id := range a.to.Text {
			if places := at[id]; a.isOpen(line) && int(has[id]) < len(places) && !a.book.lexicon.weightless(id) {
				a.give(line, side.Owners[places[has[id]]], FromSide)
				has[id]++
			}
		}
	}
}

// EnoughMoved is how much is evidence that lines were moved from another file: three lines that say
// much. Others may have typed the same ones, which in a version of the same file is less likely.
const EnoughMoved = 3 * Evidence

// Limits of the search for what was moved: in how many of the other files with such a line, in the
// order in which they became known, and in how many places of each for one line. They bound time
// alone: a large table has the same cell in each row.
const mostFiles, mostPlaces = 400, 8

// moved finds runs that stood so in another file, and stand there no more.
func (a *assignment) moved() {
	if a.step.Beside == nil {
		return
	}
	// found is by number, in the order in which files became known: the answer doesn't depend on a
	// map's order.
	sought, found := a.sought()
	for tried, file := range slices.Sorted(maps.Keys(found)) {
		// What a file could give at most is known without reading it: most files are passed here.
		if found[file] < EnoughMoved || tried >= mostFiles {
			continue
		}
		path := a.book.order[file-1]
		was, now, known := a.step.Beside(path)
		if !known {
			continue
		}
		still := map[ID]int{}
		for _, id := range now {
			still[id]++
		}
		// The version before the step is the likely source. It counts in full, and comes before
		// older versions.
		if was != nil {
			a.movedFrom(was, true, still, sought)
		}
		for _, from := range slices.Backward(a.book.paths[path]) {
			a.movedFrom(from, false, still, sought)
		}
	}
}

// sought are the open lines that few files have had, and what each is worth: one that one file
// alone had until now, and that is here once, three times its weight; and, by the number of each
// other file, what those of its lines are worth together.
func (a *assignment) sought() (worth map[ID]int, files map[int32]int) {
	worth, files = map[ID]int{}, map[int32]int{}
	// A line that many files have, as a license's header, is copied rather than moved.
	for line, id := range a.to.Text {
		if !a.isOpen(line) || !a.book.inFew(id) {
			continue
		}
		in, times := a.book.among[id], 1
		// Six letters times three are EnoughMoved: a single line that only one other file has ever
		// had is evidence alone, where two more lines are needed of one that two files have.
		if _, again := worth[id]; !again && (in[1] == 0 || a.book.sameFile(in[0], in[1])) {
			times = 3
		}
		worth[id] = times * a.book.lexicon.weight(id)
		for _, file := range in {
			if file > 0 && a.book.order[file-1] != a.to.Path {
				files[file] += worth[id]
			}
		}
	}
	return worth, files
}

// movedFrom finds runs of one version. last says that it is the one that was there until now. A run
// ends at a line that says much and still stands there, as often as it did: of equal lines that one
// block has, the others stay where they are.
func (a *assignment) movedFrom(from *Version, last bool, still, sought map[ID]int) {
	had := map[ID]int{}
	for _, id := range from.Text {
		had[id]++
	}
	worth := func(id ID) int {
		switch {
		// It stands where it was: whoever copied the block wrote it anew, and a run ends there.
		case still[id] >= had[id] && a.book.lexicon.weight(id) >= Evidence:
			return -1
		// That others like it are still there, as short lines are in every file, says nothing.
		case still[id] > 0:
			return 0
		case last:
			return sought[id]
		}
		// Of an older version a line has no threefold weight: it may have left the file before this
		// step.
		return min(sought[id], a.book.lexicon.weight(id))
	}
	if places, all := a.placesIn(from, worth); all >= EnoughMoved {
		a.runs(from, places, worth, EnoughMoved, Moved)
	}
}
