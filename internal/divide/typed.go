package divide

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"unicode"

	"entire-plumb/internal/ledger"
	"entire-plumb/internal/sets"
)

// mostReplayed is how many bytes of text, of all steps together, are edited again: a transcript may
// have thousands of edits of a large file, or some that double it each time, which took all memory.
// It is 1,000 edits of a file of 64 KiB, or one file of 32 MiB that one edit doubles.
const mostReplayed = 64 << 20

// replayed is the file as the turn's tools alone would have made it; ok is false if that takes too
// long.
func (f *File) replayed() (made []byte, ok bool) {
	// Tools name their texts with LF, whatever the file has: with CRLF no old text would be found.
	text, left := strings.ReplaceAll(string(f.Was), "\r\n", "\n"), mostReplayed
	for _, e := range f.Own.Edits {
		if left -= e.Longest(len(text)); left < 0 {
			return nil, false
		}
		text = e.On(text)
	}
	return []byte(text), true
}

// made is the file as the turn's tools left it; ok is false where that isn't known.
func (f *File) made() (text []byte, ok bool) {
	if f.Left != nil {
		if left, ok := f.Left(); ok {
			return []byte(left), true
		}
	}
	if !f.Told {
		return nil, false
	}
	return f.replayed()
}

// found are the lines that the turn's last tool found in the file; nil: that isn't known.
func (f *File) found(book *ledger.Book) map[ledger.ID]bool {
	if f.Found == nil {
		return nil
	}
	text, ok := f.Found()
	if !ok {
		return nil
	}
	return sets.Of(book.Text([]byte(text)))
}

// typed gives to others the new lines that the turn's tools didn't make, in whatever form: the user
// typed them; where it is known what the last tool found, those of them that were there. A line
// with half of the words of one that they did make, and that is gone, may come from a program that
// runs after the tools, and stays the turn's. Too few to be evidence stay, too. What the worktree
// has isn't gone, though a commit may lack it.
func (d *division) typed(replayed, there []byte) {
	if d.news() > mostEdited {
		return
	}
	made := d.book.Text(replayed)
	at := ledger.Trace(replayed, slices.Concat(d.new...))
	// Places of what the tools made, where the commit or the worktree still has them, in whatever
	// form. -1 is among them, and harmless.
	stays := sets.Of(at)
	maps.Copy(stays, sets.Of(ledger.Trace(replayed, there)))
	lost := d.lostOf(made, stays)
	// Each open line is compared with each lost one by its words.
	if len(lost) > mostEdited {
		return
	}
	found := map[int]bool{}
	for line := range d.open {
		words := wordsOf(d.new[line])
		// `x = foo(a)` that the tool made and that is gone, beside a new `x = foo(a, b)`: a linter
		// with --fix may have made the one of the other.
		if at[line] < 0 && !d.whole[line] && (d.found == nil || d.found[d.now[line]]) && !slices.ContainsFunc(lost, func(made []string) bool { return alike(made, words) }) {
			found[line] = true
		}
	}
	// Too little to be sure: a blank line or a brace is in no tool's edit where a formatter added
	// it.
	if d.weigh(found) < ledger.Evidence {
		return
	}
	for line := range found {
		d.theirs[line] = true
	}
}

// takenOut finds the old lines that the turn's tools left, and that are gone with nothing in their
// place: the user took them out, and may have put them into another file.
func (d *division) takenOut(replayed []byte) {
	made, has := d.book.Text(replayed), sets.Of(d.now)
	// beside says that new lines stand between the last common line and the next: there the user
	// replaced something, and what is gone may be in them.
	was, next, beside := ledger.Match(d.was, made), 0, false
	for _, at := range append(ledger.Match(made, d.now), len(made)) {
		if at < 0 {
			beside = true
			continue
		}
		for line := next; line < at && !beside; line++ {
			// An old line that the tools left, and that stands nowhere in the file any more. It was
			// gone when the last tool came, too.
			if was[line] >= 0 && !has[made[line]] && !d.found[made[line]] {
				d.out[was[line]] = true
			}
		}
		next, beside = at+1, false
	}
}

// TakenOut are the old lines that the user took out, as far as it is known what the tools left,
// with their line ends, in the order of Was; empty: none, or it isn't known.
func (f *File) TakenOut() string {
	made, _ := f.made()
	d := &division{book: ledger.New(), old: bytes.SplitAfter(f.Was, []byte("\n")), out: map[int]bool{}}
	d.found = f.found(d.book)
	d.was, d.now = d.book.Text(f.Was), d.book.Text(f.Now)
	d.takenOut(made)
	var out strings.Builder
	for line, text := range d.old {
		if d.out[line] {
			out.Write(text)
		}
	}
	return out.String()
}

// Lost are the new lines that the turn's tools made, in their order, with their line ends, and that
// are there no more. One that is evidence stands nowhere else in the file, and stood nowhere
// before. Empty: none, or the edits are too many to be made again.
func (f *File) Lost() string {
	replayed, _ := f.replayed()
	var lost strings.Builder
	d := f.read()
	made, all := d.book.Text(replayed), bytes.SplitAfter(replayed, []byte("\n"))
	known, stays := sets.Of(slices.Concat(d.was, d.now)), sets.Of(ledger.Match(made, d.now))
	for line, from := range ledger.Match(d.was, made) {
		// A short line can't be sought by itself, and comes along in the text. One that is evidence
		// must tell where the text went: one that stood in the file anyway doesn't.
		if from < 0 && !stays[line] && (d.book.Letters(made[line]) < ledger.Evidence || !known[made[line]]) {
			lost.Write(all[line])
		}
	}
	return lost.String()
}

// lostOf are the words of the lines that the turn's tools made, but for those that stay.
func (d *division) lostOf(made ledger.Text, stays map[int]bool) (lost [][]string) {
	for line, from := range ledger.Match(d.was, made) {
		if from < 0 && !stays[line] && d.book.Letters(made[line]) > 0 {
			lost = append(lost, wordsOf([]byte(d.book.Line(made[line]))))
		}
	}
	return lost
}

// wordsOf are the words of a line, sorted.
func wordsOf(line []byte) []string {
	words := strings.FieldsFunc(string(line), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' })
	slices.Sort(words)
	return words
}

// alike reports whether two lines have half of the words of each in common: so much is left of a
// line that a linter changes. It is asked only of lines that would be the user's, who retypes most
// of one.
func alike(a, b []string) bool {
	common, j := 0, 0
	for _, word := range a {
		for j < len(b) && b[j] < word {
			j++
		}
		if j < len(b) && b[j] == word {
			common, j = common+1, j+1
		}
	}
	return common > 0 && 2*common >= max(len(a), len(b))
}
