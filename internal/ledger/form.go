package ledger

// mostFormed is how many lines of one place are compared by their words.
const mostFormed = 5_000

// form gives lines that have the words of old ones, in their order, these lines' owner: between
// lines that stand once in both versions. All words of a line must be there, and each old line that
// it takes from must be used up whole, else it is new. A line that is an old one elsewhere must be
// rare.
func (a *assignment) form() {
	from := a.step.Nearest
	if from == nil {
		return
	}
	used, left := make([]bool, len(from.Text)), len(from.Text) // by the lines that are in order
	for line, at := range a.at {
		if at >= 0 && a.to.Rules[line] == InOrder {
			used[at] = true
			left--
		}
	}
	if left == 0 {
		return
	}
	once := func(text Text) map[ID]int {
		at := make(map[ID]int, len(text))
		for i, id := range text {
			if _, again := at[id]; again {
				at[id] = -1
			} else {
				at[id] = i
			}
		}
		return at
	}
	was, is := once(from.Text), once(a.to.Text)
	lastOld, lastNew := -1, -1
	for line := 0; line <= len(a.to.Text); line++ {
		old := len(from.Text)
		if line < len(a.to.Text) {
			id := a.to.Text[line]
			at, there := was[id]
			if !there || at <= lastOld || is[id] != line || !used[at] {
				continue
			}
			old = at
		}
		a.formPart(from, used, lastOld+1, old, lastNew+1, line)
		lastOld, lastNew = old, line
	}
}

// formPart compares the old lines from one to before another with new ones.
func (a *assignment) formPart(from *Version, used []bool, oldFirst, oldEnd, first, end int) {
	var oldWords, words []int32
	var ofOld, of []int // the line of each word
	oldCount, had := map[int]int{}, map[ID]bool{}
	for at := oldFirst; at < oldEnd; at++ {
		if used[at] {
			continue
		}
		had[from.Text[at]] = true
		for _, w := range a.book.lexicon.words(from.Text[at]) {
			oldWords, ofOld = append(oldWords, w), append(ofOld, at)
			oldCount[at]++
		}
	}
	if len(oldWords) == 0 || len(oldCount) > mostFormed || end-first > mostFormed {
		return
	}
	count := map[int]int{}
	for line := first; line < end; line++ {
		id := a.to.Text[line]
		if !a.isOpen(line) || had[id] && a.weightIfRare(id) < Evidence {
			continue
		}
		for _, w := range a.book.lexicon.words(id) {
			words, of = append(words, w), append(of, line)
			count[line]++
		}
	}
	if len(words) == 0 {
		return
	}
	at := match(oldWords, words)
	for i := range at {
		if at[i] >= 0 {
			at[i]++ // 0: dropped
		} else {
			at[i] = 0
		}
	}
	for changed := true; changed; {
		changed = false
		found, oldFound := map[int]int{}, map[int]int{}
		for i, w := range at {
			if w > 0 {
				found[of[i]]++
				oldFound[ofOld[w-1]]++
			}
		}
		for i, w := range at {
			if w > 0 && (found[of[i]] < count[of[i]] || oldFound[ofOld[w-1]] < oldCount[ofOld[w-1]]) {
				at[i], changed = 0, true
			}
		}
	}
	votes := map[int]map[Owner]int{}
	for i, w := range at {
		if w == 0 {
			continue
		}
		if votes[of[i]] == nil {
			votes[of[i]] = map[Owner]int{}
		}
		o := from.Owners[ofOld[w-1]]
		votes[of[i]][o]++
	}
	for line := first; line < end; line++ {
		best, most := Owner(0), 0
		for o, n := range votes[line] {
			if n > most || n == most && o < best {
				best, most = o, n
			}
		}
		if most > 0 {
			a.give(line, best, Form)
		}
	}
}
