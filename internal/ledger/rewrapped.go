package ledger

import (
	"encoding/binary"
	"maps"
	"slices"
)

// MostFormed is how many lines of one place are compared by their words, which are ten times as
// many: the diff of 5,000 costs as much as one of a file of 50,000 lines. Formatted files are
// mostly shorter, or have unchanged lines that divide them.
const MostFormed = 5_000

// form gives lines that have the words of old ones, in their order, these lines' owner: between
// lines that stand once in both versions. All words of a line must be there, and each old line that
// it takes from must be used up whole, else it is new. A line that is an old one elsewhere must be
// rare.
func (a *assignment) form() {
	from := a.step.Nearest
	if from == nil {
		return
	}
	used := a.used()
	if !slices.Contains(used, false) {
		return
	}
	was, is := a.book.lexicon.table(), a.book.lexicon.table()
	defer a.book.lexicon.free(was, from.Text)
	defer a.book.lexicon.free(is, a.to.Text)
	was.placesOfOnce(from.Text)
	is.placesOfOnce(a.to.Text)
	// Lines that stand once in both versions, and in order, cut the file into parts: a paragraph
	// that is filled again stays within one. A brace or `})` is no such line, since it repeats. In
	// the whole file as one part, equal words far away would be taken for each other.
	lastOld, lastNew := -1, -1
	for line := 0; line <= len(a.to.Text); line++ {
		old := len(from.Text)
		if line < len(a.to.Text) {
			id := a.to.Text[line]
			at := int(was[id]) - 1
			// It cuts nothing if it is in no old version (at is -1) or repeats there (-2), stands
			// above the last cut, repeats in the new version, or was found elsewhere than in order.
			if at <= lastOld || int(is[id]) != line+1 || !used[at] {
				continue
			}
			// The round after the last line, with old at the end, compares what follows the last
			// cut.
			old = at
		}
		a.formPart(from, used, lastOld+1, old, lastNew+1, line)
		lastOld, lastNew = old, line
	}
}

// formPart compares the old lines from one to before another with new ones: first whole lines by
// their words, which tell more than single ones, then the words of what stands between them.
func (a *assignment) formPart(from *Version, used []bool, oldFirst, oldEnd, first, end int) {
	p := part{from: from}
	had := map[ID]bool{}
	for at := oldFirst; at < oldEnd; at++ {
		if used[at] {
			continue
		}
		had[from.Text[at]] = true
		if words := a.book.lexicon.words(from.Text[at]); len(words) > 0 {
			p.old = append(p.old, formed{at, words})
		}
	}
	// Words are compared like lines, and are many more. In a larger part only the other rules find
	// lines.
	if len(p.old) == 0 || len(p.old) > MostFormed || end-first > MostFormed {
		return
	}
	for line := first; line < end; line++ {
		id := a.to.Text[line]
		// A new line that is an old one of this place, but not in order: a common `return x` may be
		// another one.
		if !a.isOpen(line) || had[id] && a.weightIfRare(id) < Evidence {
			continue
		}
		if words := a.book.lexicon.words(id); len(words) > 0 {
			p.new = append(p.new, formed{line, words})
		}
	}
	old, new := 0, 0
	for i, at := range Match(signatures(p.old, p.new)) {
		if at < 0 {
			continue
		}
		// The lines between two pairs are compared by single words before the next pair.
		a.give(p.new[i].line, from.Owners[p.old[at].line], Form)
		a.formWords(part{from, p.old[old:at], p.new[new:i]})
		old, new = at+1, i+1
	}
	a.formWords(part{from, p.old[old:], p.new[new:]})
}

// part is the old lines and the new ones that are compared by their words.
type part struct {
	from     *Version
	old, new []formed
}

type formed struct {
	line  int
	words []int32
}

// signatures are numbers, the same ones for lines with the same words.
func signatures(old, new []formed) (ofOld, ofNew []int32) {
	numbers := map[string]int32{}
	number := func(lines []formed) []int32 {
		all := make([]int32, len(lines))
		for i, l := range lines {
			var text []byte
			for _, w := range l.words {
				text = binary.BigEndian.AppendUint32(text, uint32(w))
			}
			if _, known := numbers[string(text)]; !known {
				numbers[string(text)] = int32(len(numbers))
			}
			all[i] = numbers[string(text)]
		}
		return all
	}
	return number(old), number(new)
}

// formWords compares lines by their words, in order.
func (a *assignment) formWords(p part) {
	oldWords, ofOld := spread(p.old)
	words, of := spread(p.new)
	at := Match(oldWords, words)
	p.keepWhole(at, of, ofOld)
	// A line that was joined from those of two owners goes to the one with more of its words.
	votes := make([]map[Owner]int, len(p.new))
	for i, w := range at {
		if w < 0 {
			continue
		}
		if votes[of[i]] == nil {
			votes[of[i]] = map[Owner]int{}
		}
		votes[of[i]][p.from.Owners[p.old[ofOld[w]].line]]++
	}
	for i, l := range p.new {
		if votes[i] != nil {
			a.give(l.line, most(votes[i]), Form)
		}
	}
}

// spread lists the words of lines, and of which line each is.
func spread(lines []formed) (words []int32, of []int) {
	for i, l := range lines {
		for _, w := range l.words {
			words, of = append(words, w), append(of, i)
		}
	}
	return words, of
}

// keepWhole drops the pairs of words, at, of lines not all of whose words are found, on either
// side, until there are none.
func (p part) keepWhole(at, of, ofOld []int) {
	// To drop the words of one line may leave another one incomplete: `a b` / `c d` became `a b c`
	// and `d`, so that all four lines hold together or none does.
	for changed := true; changed; {
		changed = false
		found, oldFound := make([]int, len(p.new)), make([]int, len(p.old))
		for i, w := range at {
			if w >= 0 {
				found[of[i]]++
				oldFound[ofOld[w]]++
			}
		}
		for i, w := range at {
			if w >= 0 && (found[of[i]] < len(p.new[of[i]].words) || oldFound[ofOld[w]] < len(p.old[ofOld[w]].words)) {
				at[i], changed = -1, true
			}
		}
	}
}

// most is the owner with most votes, of several the first one.
func most(votes map[Owner]int) Owner {
	owners := slices.Sorted(maps.Keys(votes))
	return slices.MaxFunc(owners, func(a, b Owner) int { return votes[a] - votes[b] })
}
