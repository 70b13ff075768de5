package ledger

import "slices"

// assignment is a version whose lines are given owners, one rule after another. Each rule takes
// only lines that are still open.
type assignment struct {
	book *Book
	to   *Version
	step Step
	at   []int      // of its lines: where the nearest version has them, in order; -1: nowhere
	most map[ID]int // of the lines that are open: how often the version of the file with most of them has each
}

func (a *assignment) give(line int, o Owner, by Rule) { a.to.Owners[line], a.to.Rules[line] = o, by }

func (a *assignment) isOpen(line int) bool { return a.to.Rules[line] == Open }

// trace gives lines that are known from elsewhere their owners.
func (a *assignment) trace() {
	a.inOrder()
	if !slices.Contains(a.to.Rules, Open) {
		return
	}
	// The order is that of the evidence. Place and order come first: they alone tell equal lines
	// apart, as braces. Then come rules that mostly take rare lines, and at last neighbours, by
	// which common lines follow. A rule sees only what the rules before it left open.
	a.occur()
	a.inOthers()
	a.form()
	a.rearranged()
	a.cameBack()
	a.fromSides()
	a.moved()
	a.neighbours()
}

// inOrder gives the lines that the nearest version has in this order their owners.
func (a *assignment) inOrder() {
	from := a.step.Nearest
	if from == nil {
		a.at = Match(nil, a.to.Text)
		return
	}
	a.at = Match(from.Text, a.to.Text)
	for line, at := range a.at {
		if at >= 0 {
			a.give(line, from.Owners[at], InOrder)
		}
	}
}

// used are the lines of the nearest version that this has in order.
func (a *assignment) used() []bool {
	used := make([]bool, len(a.step.Nearest.Text))
	for _, at := range a.at {
		if at >= 0 {
			used[at] = true
		}
	}
	return used
}

// left are the places of the others.
func (a *assignment) left() map[ID][]int {
	// Places are in the order of the text: whoever takes an ID's first place takes the upper one.
	left := map[ID][]int{}
	if a.step.Nearest == nil {
		return left
	}
	for at, used := range a.used() {
		if id := a.step.Nearest.Text[at]; !used {
			left[id] = append(left[id], at)
		}
	}
	return left
}

// occur counts the open lines in the known versions of the file.
func (a *assignment) occur() {
	a.most = map[ID]int{}
	// Only open lines are counted, and of these only such as weigh something: a brace is never
	// rare.
	sought := a.book.lexicon.table()
	defer a.book.lexicon.free(sought, a.to.Text)
	for line, id := range a.to.Text {
		if a.isOpen(line) && !a.book.lexicon.weightless(id) {
			sought[id] = 1
		}
	}
	count := map[ID]int{}
	for _, v := range a.book.paths[a.to.Path] {
		clear(count)
		for _, id := range v.Text {
			if sought[id] > 0 {
				count[id]++
			}
		}
		for id, n := range count {
			// The most in one version, not the sum: a line that stood once in each of ten versions
			// is rare.
			a.most[id] = max(a.most[id], n)
		}
	}
}

// neighbours gives lines that weigh nothing the owner of a line beside them that came by form, from
// another version, or from another file.
func (a *assignment) neighbours() {
	// Down first: a brace that ends a block follows the line above it. What is left at the head of
	// a block follows the line below. Each pass goes on along a row of such lines, since Neighbour
	// is among the rules that are followed.
	for line := range a.to.Text {
		a.follow(line, line-1)
	}
	for line := len(a.to.Text) - 1; line >= 0; line-- {
		a.follow(line, line+1)
	}
}

// follow gives an open line that weighs nothing the owner of its neighbour.
func (a *assignment) follow(line, beside int) {
	if beside < 0 || beside >= len(a.to.Text) || !a.isOpen(line) {
		return
	}
	switch a.to.Rules[beside] {
	// Not InOrder and InOther: a blank line that the human adds beside a line that only stayed is
	// new.
	case Form, CameBack, FromSide, Moved, Neighbour:
		if a.book.lexicon.weightless(a.to.Text[line]) {
			a.give(line, a.to.Owners[beside], Neighbour)
		}
	}
}

// charge asks whose the lines are that are new. Of a block of lines that the nearest version
// doesn't have in this order as many replace others as it has in their place; what is left of these
// is dropped.
func (a *assignment) charge() {
	var was Text
	if a.step.Nearest != nil {
		was = a.step.Nearest.Text
	}
	// As in git's hunks: where three new lines stand in place of two old ones, two replace these,
	// and one is added. Where one stands in place of three, it replaces one, and two are dropped.
	old := 0 // the next line of the nearest version
	for line := 0; line < len(a.at); line++ {
		if a.at[line] >= 0 {
			old = a.at[line] + 1
			continue
		}
		end, next := line, len(was)
		for end < len(a.at) && a.at[end] < 0 {
			end++
		}
		if end < len(a.at) {
			next = a.at[end]
		}
		a.chargeBlock(line, end, was[old:next])
		// The loop goes on at end, which stands in the nearest version, or at the end of the text.
		line = end - 1
	}
}

// chargeBlock asks whose the open lines are from one to before another, which stand in the place of
// old ones.
func (a *assignment) chargeBlock(line, end int, old Text) {
	for i := line; i < end; i++ {
		if a.isOpen(i) {
			a.give(i, a.step.Charge(i, i-line < len(old)), Charged)
		}
	}
	if a.step.Drop == nil {
		return
	}
	// Lines of the block that other rules found count, too: they stand in the place of old ones.
	for _, id := range old[min(end-line, len(old)):] {
		a.step.Drop(id)
	}
}
