package ledger

import "slices"

// Owner is the owner of a line: one of those below, or, from FirstTurn on, a turn in the caller's
// numbering.
type Owner int32

// The owners that are no turn.
const (
	Base     Owner = iota // it stood before all that is known
	Human                 // the human's
	Modified              // the human's, in place of another line
	Unknown               // no evidence says whose it is
	FirstTurn
	// From FirstPlace on an owner is a line of an older version, in the caller's numbering: its
	// author is asked for only if a commit has the line as a new one.
	FirstPlace Owner = 1 << 30
)

// Pending is the owner of one new line that the human seems to have written, while turns were in
// progress: a turn may prove to have brought it. Until then it is o, Human or Modified.
func (b *Book) Pending(o Owner) Owner {
	// Each pending line has a number of its own, below 0. Versions that inherit the line inherit
	// the number: to settle it once settles it in all of them.
	b.pending = append(b.pending, o)
	return -Owner(len(b.pending))
}

// Resolve is an owner as it is known now.
func (b *Book) Resolve(o Owner) Owner {
	if o < 0 {
		return b.pending[-o-1]
	}
	return o
}

// IsHuman reports whether a line is the human's.
func (o Owner) IsHuman() bool { return o == Human || o == Modified }

// IsTurn reports whether a line is of a turn, an agent's.
func (o Owner) IsTurn() bool { return o >= FirstTurn && !o.IsPlace() }

// IsPlace reports whether a line is one of an older version, whose owner is not known yet.
func (o Owner) IsPlace() bool { return o >= FirstPlace }

// Rule is how the owner of a line was found: its evidence.
type Rule uint8

// The rules, in the order in which they are tried.
const (
	Open      Rule = iota // not yet
	InOrder               // it stands in the version before, in this order
	InOther               // likewise in another base, where it is rare
	Form                  // it has the words of lines of the version before
	CameBack              // a version of the file had it
	FromSide              // a version has it that git put together with others
	Moved                 // another file had it
	Neighbour             // it weighs nothing, and stands beside such a line
	Charged               // it is new
)

// Version is a known version of a file.
type Version struct {
	Path, Blob string
	Text       Text
	Owners     []Owner
	Rules      []Rule
	data       []byte
}

// Book is the known versions, and whose their lines are. The owners of a version are fixed when it
// is first seen.
type Book struct {
	lexicon  *lexicon
	versions map[[2]string]*Version
	paths    map[string][]*Version // oldest first
	order    []string              // the paths, in the order in which they were first seen
	among    [][2]int32            // by line: the first two paths that have it, counted from 1
	number   map[string]int32      // of a path, counted from 1
	first    []int32               // by number, from 0: that of the file's first name
	pending  []Owner               // of lines whose owner was not sure when they were first seen
	last     struct {              // the text that was read last
		data []byte
		text Text
	}
}

// New returns an empty book.
func New() *Book {
	return &Book{lexicon: newLexicon(), versions: map[[2]string]*Version{}, paths: map[string][]*Version{}, number: map[string]int32{}}
}

// Known is a version that is known, or nil.
func (b *Book) Known(path, blob string) *Version { return b.versions[[2]string{path, blob}] }

// Last is the version of a file that became known last, or nil.
func (b *Book) Last(path string) *Version {
	if all := b.paths[path]; len(all) > 0 {
		return all[len(all)-1]
	}
	return nil
}

// Add makes a version known with these owners: those of its lines in order, the last one for all
// that are left. One that is known keeps its own.
func (b *Book) Add(path, blob string, data []byte, owners ...Owner) *Version {
	if v := b.Known(path, blob); v != nil {
		return v
	}
	v := b.version(path, blob, data, b.Last(path))
	for i := range v.Owners {
		if len(owners) > 0 {
			v.Owners[i] = owners[min(i, len(owners)-1)]
		}
	}
	b.enter(v, nil)
	return v
}

// Record makes a version known of which some owners are recorded; the base's are not, and those
// after the last one. Lines without one have that of the likest version that is known, if it has
// them: of the file, or of one that the step takes away; or of another file that they were moved
// from. Else the step is asked; without an answer they are the base's. Of a version that is known
// already, lines of the base may be recorded since.
func (b *Book) Record(path, blob string, data []byte, owners []Owner, s Step) *Version {
	v := b.Known(path, blob)
	known := v != nil
	if !known {
		// What came before a recorded version isn't known here: in its place is the version that it
		// is most like.
		s.Nearest = b.Likest(data, b.paths[path], s.Gone)
		if s.Charge == nil {
			s.Charge = func(int, bool) Owner { return Base }
		}
		v = b.Assign(path, blob, data, s)
	}
	for line, o := range owners[:min(len(owners), len(v.Owners))] {
		// Of a version that is known, only lines are filled in whose owner isn't: of the base, or
		// to be asked for.
		if o != Base && (!known || v.Owners[line] == Base || v.Owners[line].IsPlace()) {
			v.Owners[line], v.Rules[line] = o, Charged
		}
	}
	return v
}

func (b *Book) version(path, blob string, data []byte, like *Version) *Version {
	v := &Version{Path: path, Blob: blob, data: data, Text: b.text(data, like)}
	v.Owners, v.Rules = make([]Owner, len(v.Text)), make([]Rule, len(v.Text))
	return v
}

// text is the lines of a text, which may be like a version.
func (b *Book) text(data []byte, like *Version) Text {
	// The very same bytes in memory: a caller compares a text with several versions before it
	// enters it.
	if len(data) > 0 && len(data) == len(b.last.data) && &data[0] == &b.last.data[0] {
		return b.last.text
	}
	if like == nil || like.data == nil { // enter keeps no older one's
		like = &Version{data: b.last.data, Text: b.last.text}
	}
	b.last.data, b.last.text = data, b.lexicon.text(data, like.data, like.Text)
	return b.last.text
}

// enter enters a version that was made from another one, which may have the file's old name.
func (b *Book) enter(v, from *Version) {
	b.versions[[2]string{v.Path, v.Blob}] = v
	if b.paths[v.Path] == nil {
		b.order = append(b.order, v.Path)
		first := int32(len(b.order))
		b.number[v.Path] = first
		if from != nil && b.number[from.Path] > 0 {
			first = b.first[b.number[from.Path]-1]
		}
		b.first = append(b.first, first)
	}
	if before := b.Last(v.Path); before != nil {
		before.data = nil // the next version is like this one
	}
	b.paths[v.Path] = append(b.paths[v.Path], v)
	// The lexicon grows with each text, also with those that are only compared: there are as many
	// places as IDs.
	b.among = append(b.among, make([][2]int32, len(b.lexicon.lines)-len(b.among))...)
	n := b.number[v.Path]
	for _, id := range v.Text {
		switch in := &b.among[id]; {
		// A path counts once, however many of its versions have the line. That the first place is
		// taken by the path itself is asked before the second one, so that the two differ.
		case in[0] == 0 || in[0] == n:
			in[0] = n
		// Under a new name it is the same file. That name has the second place: versions under the
		// first one are still asked.
		case in[1] == 0 || b.sameFile(in[1], n):
			in[1] = n
		default:
			in[1] = -1 // in more than two
		}
	}
}

// sameFile reports whether two paths, by their numbers, are names of one file.
func (b *Book) sameFile(one, other int32) bool {
	return one > 0 && b.first[one-1] == b.first[other-1]
}

// inFew reports whether no more than two files have had a line, of those that are known.
func (b *Book) inFew(id ID) bool {
	return int(id) < len(b.among) && b.among[id][1] >= 0
}

// Step is how a version came about.
type Step struct {
	Nearest *Version   // the file at the last look; nil: there was none
	Others  []*Version // the file in HEAD, in other parents, in the index
	Sides   []*Version // the file in what git puts together
	Gone    []*Version // the files that the step takes away: the version may be one of them under a new name
	// Beside are another file's version before the step, nil if there was none, and its lines after
	// it. known is false where that isn't known, and nothing is moved from there. nil: nothing is
	// moved.
	Beside func(path string) (was *Version, now Text, known bool)
	// Charge answers for a line that is new; replaces says that it stands in place of another one.
	Charge func(line int, replaces bool) Owner
	// Drop, if any, hears of lines that are gone beside new ones that replace fewer.
	Drop func(ID)
}

// Assign finds the owners of a version's lines, and makes it known. One that is known keeps its
// own: it charges nobody.
func (b *Book) Assign(path, blob string, data []byte, s Step) *Version {
	if v := b.Known(path, blob); v != nil {
		return v
	}
	// The version is entered after its owners are found: while rules look at the file's versions,
	// it is not among them, and its own lines don't count against it.
	a := &assignment{book: b, to: b.version(path, blob, data, s.Nearest), step: s}
	if a.step.Nearest == nil {
		a.step.Nearest = b.oldName(a.to, s.Gone)
	}
	a.trace()
	a.charge()
	b.enter(a.to, a.step.Nearest)
	return a.to
}

// oldName is the file among those that a step takes away that has become this one: the one that
// shares most lines with it, by their weight, and half of its own.
func (b *Book) oldName(v *Version, all []*Version) (found *Version) {
	if len(all) == 0 {
		return nil
	}
	now, best := map[ID]int{}, 0
	for _, id := range v.Text {
		now[id]++
	}
	for _, gone := range all {
		// Also a file without a line that weighs something, such as an empty one: no weight could
		// exceed best.
		if gone.Blob == v.Blob {
			return gone
		}
		has, whole, seen := 0, 0, map[ID]int{}
		for _, id := range gone.Text {
			weight := b.lexicon.weight(id)
			// Each line counts as often as both have it.
			if whole += weight; seen[id] < now[id] {
				has += weight
			}
			seen[id]++
		}
		// Half of the file that is gone, not of the new one: a small file that was joined with
		// others is found, too.
		if 2*has >= whole && has > best {
			found, best = gone, has
		}
	}
	return found
}

// Claim settles the lines of a version that are pending, and that are new in a step: they are a
// turn's.
func (b *Book) Claim(v *Version, s Step, o Owner) {
	waits := func(was Owner) bool { return was < 0 && b.Resolve(was).IsHuman() }
	if !slices.ContainsFunc(v.Owners, waits) {
		return
	}
	// The same version as in Assign, or other lines would be new here than those that were pending
	// there.
	before := s.Nearest
	if before == nil {
		before = b.oldName(v, s.Gone)
	}
	for line, fresh := range b.Fresh(v, before) {
		// A line that was moved here has the number that it has in its own file, and is settled
		// there.
		if was := v.Owners[line]; fresh && v.Rules[line] != Moved && waits(was) {
			b.pending[-was-1] = o
		}
	}
}

// Likest is the version that shares most lines with a text, or most words where none shares half of
// its lines, as after a change of form: of several the last one. Those that are gone may be it
// under another name, if it has half of their significant lines.
func (b *Book) Likest(data []byte, versions, gone []*Version) (found *Version) {
	versions = slices.DeleteFunc(slices.Clone(versions), func(v *Version) bool { return v == nil })
	all := slices.DeleteFunc(slices.Clone(gone), func(v *Version) bool {
		return b.oldName(&Version{Text: b.text(data, v)}, []*Version{v}) == nil
	})
	// Of equals the last one is taken: versions under the file's own name come after those under an
	// old one.
	all = append(all, versions...)
	if len(all) < 2 {
		return append(all, nil)[0]
	}
	text := b.text(data, all[len(all)-1])
	found, best := b.likestByLines(text, all)
	// Lines decide where half of them agree. After a formatter none may: `if(a){b()}` on three
	// lines has all words.
	if 2*best >= len(text) {
		return found
	}
	return b.likestByWords(text, all)
}

// likestByLines is the version that shares most lines with a text, of several the last one, and how
// many.
func (b *Book) likestByLines(text Text, versions []*Version) (found *Version, best int) {
	count := b.lexicon.table()
	defer b.lexicon.free(count, text)
	return likest(text, versions, count, func(v *Version) []ID { return v.Text })
}

// likestByWords is the version that shares most words with a text, of several the last one.
func (b *Book) likestByWords(text Text, versions []*Version) *Version {
	words := func(of Text) (all []int32) {
		for _, id := range of {
			all = append(all, b.lexicon.words(id)...)
		}
		return all
	}
	now := words(text)
	count := make([]int32, len(b.lexicon.names)) // a word that comes later is not in the text
	found, _ := likest(now, versions, count, func(v *Version) []int32 {
		return slices.DeleteFunc(words(v.Text), func(word int32) bool { return int(word) >= len(count) })
	})
	return found
}

// likest is the version that has most of some IDs, of several the last one, and how many. count has
// a place for each ID, which is 0.
func likest[T ~int32](now []T, versions []*Version, count []int32, ids func(*Version) []T) (found *Version, best int) {
	for _, id := range now {
		count[id]++
	}
	for _, v := range versions {
		if n := inCommon(ids(v), count); n >= best {
			found, best = v, n
		}
	}
	return found, best
}

// inCommon is how many of some IDs there are, each as often as it is counted.
func inCommon[T ~int32](ids []T, count []int32) (n int) {
	// Down and up again: count is as it was for the next version. A version that has a line more
	// often than the text counts it as often as the text has it.
	for _, id := range ids {
		if count[id]--; count[id] >= 0 {
			n++
		}
	}
	for _, id := range ids {
		count[id]++
	}
	return n
}

// Versions are those that are known of a file, oldest first.
func (b *Book) Versions(path string) []*Version { return b.paths[path] }

// Fresh reports which lines of a version none of its parents have, in any form. A parent that lacks
// the file is nil.
func (b *Book) Fresh(v *Version, parents ...*Version) []bool {
	// The answer must not depend on what else the book knows: a line that a stream has, and no
	// parent, is fresh. The version isn't entered in it, and nothing is charged, so that owners
	// don't matter here.
	open := &Book{lexicon: b.lexicon, paths: map[string][]*Version{}} // only the parents are known in it
	to := &Version{Path: v.Path, Text: v.Text, Owners: make([]Owner, len(v.Text)), Rules: make([]Rule, len(v.Text))}
	a := &assignment{book: open, to: to}
	for _, p := range parents {
		switch {
		case p == nil:
			continue
		case a.step.Nearest == nil:
			a.step.Nearest = p
		default:
			a.step.Others = append(a.step.Others, p)
		}
		open.paths[v.Path] = append(open.paths[v.Path], p)
	}
	a.trace()
	fresh := make([]bool, len(v.Text))
	for i, r := range to.Rules {
		fresh[i] = r == Open
	}
	return fresh
}

// Text is a version's lines.
func (b *Book) Text(data []byte) Text { return b.text(data, nil) }

// Letters is how much a line is evidence, up to six.
func (b *Book) Letters(id ID) int { return b.lexicon.weight(id) }

// Line is a line as it was seen first.
func (b *Book) Line(id ID) string { return string(b.lexicon.lines[id].text) }

// Paths lists the paths of which versions are known.
func (b *Book) Paths() []string { return slices.Clone(b.order) }
