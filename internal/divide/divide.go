// Package divide tells the lines that a turn wrote in a file from those of others: what its tools
// were given, what those of other turns were, and what git brought.
package divide

import (
	"bytes"
	"iter"
	"slices"

	"entire-plumb/internal/ledger"
	"entire-plumb/internal/transcript"
)

// File is a file that changed in a turn, and the evidence of whose its new lines are.
type File struct {
	Was, Now []byte           // when the turn began, and when it ended; nil: there was no file
	Own      transcript.Texts // that the turn's tools were given for it
	Others   transcript.Texts // likewise other turns' that were in progress
	// Sources are versions in other commits, from which git may have brought lines: the number of
	// each, and its text. nil: there are none.
	Sources iter.Seq2[int, []byte]
	// Staged is the version in the index, where that is another one: git checkout, cherry-pick and
	// merge stage what they bring. nil: there is none.
	Staged []byte
	Named  bool   // a tool of the turn names it
	Told   bool   // nothing but the turn's tools wrote for it, and Own is all that they were given
	There  []byte // in the worktree, where that is another version
	// Found is the file as the turn's last tool found it, where nothing has saved it since but that
	// tool, or a program that runs after it; ok is false where that isn't known. nil: likewise.
	Found func() (text string, ok bool)
	// Left is what that tool made of it, where commands may have written it before, and the user
	// has saved it since. nil, or ok is false: it isn't known.
	Left func() (text string, ok bool)

	division *division // nil: it is not read yet
}

// Brought are lines of a source, counted from 1, that git may have brought.
type Brought struct {
	Source int
	Lines  []int
}

// HasTexts reports whether any tool was given a text for it. Without a source either, its versions,
// which may be large, need not be read.
func (f *File) HasTexts() bool { return f.Own.Known() || f.Others.Known() }

// EnoughBrought is how much a commit must have of lines that no tool was given to be evidence that
// git brought them from there: two lines. One may be in it by chance. Three, which a move takes
// (ledger.EnoughMoved), leave small picks and restored files to the turn.
const EnoughBrought = 2 * ledger.Evidence

// Unexplained reports whether the file has new lines that no tool was given as a part of it, or no
// new lines at all, and no tool names it: git may have brought it. A whole content may repeat what
// was read elsewhere.
func (f *File) Unexplained() bool {
	// No tool had to do with the file: a command changed it, and git is one of them.
	if !f.HasTexts() && !f.Named {
		return true
	}
	d := f.read()
	// A file that only lost lines has no line that could be explained: it counts as brought if no
	// tool names it.
	return len(d.open) > 0 || d.news() == 0 && !f.Named
}

// Before is the version that the turn's own work began from: the one that was there, with what
// others wrote since. A line is theirs if it is in a part of theirs, or in a source, and in none of
// the turn's; or in a whole content of theirs alone. ok is false if all new lines are the turn's:
// then before and from are nil. from are the sources that count, each with its lines in Now. It is
// to be called once.
func (f *File) Before() (before []byte, from []Brought, ok bool) {
	if !f.HasTexts() && f.Sources == nil {
		return nil, nil, false
	}
	d := f.read()
	// What follows moves lines from open to theirs. The order is that of the evidence: sources have
	// the very lines, and what the user typed is found by what is left.
	f.division = nil // it changes
	if f.Sources != nil {
		if whole := d.brought(f.Sources, f.Now, &from); whole {
			return f.Now, from, true
		}
	}
	// Only where the transcript tells each edit: else a line that no edit makes may be one of a
	// tool's after all.
	if made, ok := f.made(); ok {
		d.found = f.found(d.book)
		d.typed(made, f.There)
		d.takenOut(made)
	}
	if len(d.theirs)+len(d.out) == 0 {
		return nil, nil, false
	}
	return d.without(), from, true
}

// brought finds the lines that git may have brought, and adds them to from. It ends where a version
// is the whole file.
func (d *division) brought(sources iter.Seq2[int, []byte], now []byte, from *[]Brought) (whole bool) {
	for i, source := range sources {
		found, lines := map[int]bool{}, []int(nil)
		text := d.book.Text(source)
		at := ledger.Match(text, d.now)
		for line, at := range at {
			// Lines that a tool was given are not git's, even if a branch has them, too. The first
			// source with a line has it.
			if at >= 0 && d.open[line] {
				found[line], lines = true, append(lines, at+1)
			}
		}
		// `git checkout BRANCH -- FILE`: it is the version of the branch, and no tool was given any
		// of its new lines.
		if bytes.Equal(source, now) && len(d.open) == d.news() {
			*from = []Brought{{i, lines}}
			return true
		}
		// Two lines that weigh in full are evidence. One will do if the source has all new lines
		// that no tool was given, or all that are staged.
		if n := d.weigh(found); n < EnoughBrought && (n < ledger.Evidence || len(found) < len(d.open) && !d.staged.within(text)) {
			continue
		}
		*from = append(*from, Brought{i, lines})
		for line := range d.besideIn(text, at) {
			d.theirs[line] = true
		}
		for line := range found {
			d.theirs[line] = true
			delete(d.open, line)
		}
	}
	return false
}

// besideIn are the new lines of the turn's parts that are too short to be evidence, and of which a
// source has more of the lines around them. at is where the source has each line.
func (d *division) besideIn(source ledger.Text, at []int) map[int]bool {
	found := map[int]bool{}
	if d.news() > mostEdited {
		return found
	}
	there := neighboursIn(d.book, []ledger.Text{source})
	for line, id := range d.now {
		// A `}` that both the turn's tools were given and the source has: the block around it
		// decides whose it is.
		short := d.book.Letters(id) < ledger.Evidence
		if at[line] >= 0 && d.at[line] < 0 && short && d.own.has(id) && there.around(d.now, line) > d.own.around(d.now, line) {
			found[line] = true
		}
	}
	return found
}

// Own divides a version by the texts of its own alone: the one with no other new lines, and the one
// with all others. Both are nil if too few are to be evidence. was is nil if there was no file.
func Own(was, now []byte, texts transcript.Texts) (own, others []byte) {
	d := (&File{Was: was, Now: now, Own: texts}).read()
	mine := map[int]bool{}
	for line := range d.now {
		// Nobody else's texts are known here: a new line is its own if a part or a whole content
		// has it, or an edit made it.
		if d.at[line] < 0 && (!d.open[line] || d.whole[line]) {
			mine[line] = true
			delete(d.open, line)
		}
	}
	if d.weigh(mine) < ledger.Evidence {
		return nil, nil
	}
	// without drops what is not in theirs: once with all other lines in it, once with its own.
	d.theirs = d.open
	others = d.without()
	d.theirs = mine
	return d.without(), others
}

// division is a file that is read.
type division struct {
	book     *ledger.Book
	was, now ledger.Text
	old, new [][]byte           // their lines
	at       []int              // of the new ones: where they were; -1: they are new
	open     map[int]bool       // new lines that no text has, but for a whole content of the turn's
	whole    map[int]bool       // those of them that one has
	theirs   map[int]bool       // those that only others' texts have, or a source
	own      neighbours         // of the parts that the turn's tools were given
	gone     [][]byte           // old lines that are there no more, without line breaks
	out      map[int]bool       // old lines that the user took out
	found    map[ledger.ID]bool // see File; nil: not known
	staged   newLines           // of the version in the index
}

// newLines are the lines of a version that the one when the turn began hasn't.
type newLines []ledger.ID

// within reports whether a text has all of them, which must be some.
func (l newLines) within(text ledger.Text) bool {
	has := map[ledger.ID]bool{}
	for _, id := range text {
		has[id] = true
	}
	return len(l) > 0 && !slices.ContainsFunc(l, func(id ledger.ID) bool { return !has[id] })
}

func (f *File) read() *division {
	if f.division == nil {
		f.division = f.divided()
	}
	return f.division
}

func (f *File) divided() *division {
	d := &division{book: ledger.New(), old: bytes.SplitAfter(f.Was, []byte("\n")), new: bytes.SplitAfter(f.Now, []byte("\n")),
		open: map[int]bool{}, whole: map[int]bool{}, theirs: map[int]bool{}, out: map[int]bool{}}
	d.was, d.now = d.book.Text(f.Was), d.book.Text(f.Now)
	d.at = ledger.Match(d.was, d.now)
	if f.Staged != nil {
		staged := d.book.Text(f.Staged)
		for line, at := range ledger.Match(d.was, staged) {
			if at < 0 {
				d.staged = append(d.staged, staged[line])
			}
		}
	}
	// edits looks at the lines that are gone, and at the number of new ones: both are found first.
	var moved map[ledger.ID]int
	d.gone, moved = d.lost()
	mine, beside := d.edits(f.Own.Parts), d.edits(f.Others.Parts)
	d.own = neighboursIn(d.book, d.texts(f.Own.Parts))
	others := neighboursIn(d.book, d.texts(f.Others.Parts))
	wholes, othersWholes := d.ids(f.Own.Wholes), d.ids(f.Others.Wholes)
	compared := d.news() <= mostEdited
	for line, id := range d.now {
		switch {
		case d.at[line] >= 0:
		// A line that both were given is the turn's, unless it stands among more lines of the
		// other's, as a brace does.
		case d.own.has(id):
			if compared && others.has(id) && others.around(d.now, line) > d.own.around(d.now, line) {
				d.theirs[line] = true
			}
		// It was there when the turn began, in another place: nobody wrote it since.
		case moved[id] > 0:
			moved[id]--
			d.open[line], d.whole[line] = true, wholes[id]
		// A whole content repeats what was there and what another one wrote meanwhile. It tells
		// something only where the turn's own contents lack the line.
		case others.has(id) || othersWholes[id] && !wholes[id]:
			d.theirs[line] = true
		// The texts are pieces of lines: in `old_string: "foo"`, `new_string: "bar"` nothing has
		// the whole line.
		case d.edited(line, mine):
		case d.edited(line, beside):
			d.theirs[line] = true
		default:
			d.open[line], d.whole[line] = true, wholes[id]
		}
	}
	return d
}

// lost are the old lines that are there no more, each once, and how often each is lost.
func (d *division) lost() (lines [][]byte, ids map[ledger.ID]int) {
	ids = map[ledger.ID]int{}
	stay := make([]bool, len(d.old))
	for _, at := range d.at {
		if at >= 0 {
			stay[at] = true
		}
	}
	for line, text := range d.old {
		if !stay[line] {
			lines = append(lines, bytes.TrimRight(text, "\r\n"))
			if line < len(d.was) { // after the last line break there is none
				ids[d.was[line]]++
			}
		}
	}
	return distinct(lines), ids
}

// mostEdits limits the edits that a line is compared with, and the lines that are gone, and
// mostEdited the new lines: an agent waits for this. The time is the product of the three: 500
// edits, 500 such lines and 20,000 new ones took 25 seconds, so that at the limits it takes one.
// Beyond them edits within a line, and equal lines of two turns, tell nothing
// (TestEditsAreBounded).
const mostEdits, mostEdited = 500, 1000

// edits are the lines of parts that are evidence where a line has more around them.
func (d *division) edits(parts []string) (texts [][]byte) {
	// Each new line is compared with each edit, and each that fits with each line that is gone.
	if len(d.gone) > mostEdits || d.news() > mostEdited {
		return nil
	}
	for _, part := range parts {
		for text := range bytes.Lines([]byte(part)) {
			text = bytes.TrimRight(text, "\r\n")
			weight := 0
			// A piece as short as `x` fits into any line.
			for _, id := range d.book.Text(text) {
				weight += d.book.Letters(id)
			}
			if weight >= ledger.Evidence {
				texts = append(texts, text)
			}
		}
	}
	texts = distinct(texts)
	return texts[:min(len(texts), mostEdits)]
}

func distinct(texts [][]byte) [][]byte {
	slices.SortFunc(texts, bytes.Compare)
	return slices.CompactFunc(texts, bytes.Equal)
}

// edited reports whether an edit, of which tools are given no more of the line, made a new line of
// one that was there: what is before and after the edit's text is the same in both.
func (d *division) edited(line int, edits [][]byte) bool {
	now := bytes.TrimRight(d.new[line], "\r\n")
	return slices.ContainsFunc(edits, func(text []byte) bool {
		before, after, ok := bytes.Cut(now, text)
		return ok && d.had(before, after)
	})
}

// had reports whether a line that is gone began and ended so.
func (d *division) had(before, after []byte) bool {
	return slices.ContainsFunc(d.gone, func(line []byte) bool {
		// The length keeps before and after from overlapping: in `aba` the `ba` doesn't follow the
		// `ab`.
		return len(line) >= len(before)+len(after) && bytes.HasPrefix(line, before) && bytes.HasSuffix(line, after)
	})
}

// news is how many new lines there are.
func (d *division) news() (n int) {
	for _, at := range d.at {
		if at < 0 {
			n++
		}
	}
	return n
}

func (d *division) texts(texts []string) (read []ledger.Text) {
	for _, text := range texts {
		read = append(read, d.book.Text([]byte(text)))
	}
	return read
}

func (d *division) ids(texts []string) map[ledger.ID]bool {
	ids := map[ledger.ID]bool{}
	for _, text := range d.texts(texts) {
		for _, id := range text {
			ids[id] = true
		}
	}
	return ids
}

func (d *division) weigh(lines map[int]bool) (weight int) {
	for line := range lines {
		weight += d.book.Letters(d.now[line])
	}
	return weight
}

// without is the new version with the old lines in each place where others have none, but for those
// that the user took out, and their lines alone in the other places.
func (d *division) without() []byte {
	var out [][]byte
	old := 0
	// Block by block, as the diff has them. Where others have lines in a block, those stand in
	// place of the old ones. Where only the turn has, the old ones stand there: the turn replaced
	// them.
	for line := 0; line <= len(d.now); line++ {
		next, end := len(d.was), line
		var has [][]byte
		for end < len(d.now) && d.at[end] < 0 {
			if d.theirs[end] {
				has = append(has, d.new[end])
			}
			end++
		}
		if end < len(d.now) {
			next = d.at[end]
		}
		// The bytes are those of the old version, and below those of the new one, white space and
		// all.
		for i := old; i < next && len(has) == 0; i++ {
			if !d.out[i] {
				out = append(out, d.old[i])
			}
		}
		out = append(out, has...)
		if line = end; line < len(d.now) {
			out = append(out, d.new[line])
			old = next + 1
		}
	}
	return bytes.Join(out, nil)
}
