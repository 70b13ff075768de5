package suffix

import (
	"maps"
	"slices"
	"strings"

	"entire-plumb/gitexec"
	"entire-plumb/internal/ledger"
	"entire-plumb/internal/sets"
)

// Texts reads the lines of a file's version, without line ends. ok is false for what has no lines
// to compare: a missing or binary file, a symlink, a submodule, a file too large to read in a hook.
type Texts interface {
	Lines(e gitexec.Entry) (lines []string, ok bool, err error)
}

// own is what an agent did to a file in its turns: a ledger of the file's versions, in which each
// line that it wrote has an owner of its own.
type own struct {
	texts   Texts
	book    *ledger.Book
	wrote   []string             // the agent's lines, by their owners
	owner   map[ledger.ID]int    // their places there
	kept    map[int]bool         // those that its last version has
	undone  map[int]bool         // those that it took out itself
	removed map[ledger.ID]string // the lines of others that it took out
	after   *ledger.Version      // its last version
}

// path is the name of the agent's file in a book, which no other file has.
const path = ""

// ownOf reads an agent's changes of a file.
func ownOf(changes []Change, texts Texts) (o *own, err error) {
	o = &own{texts: texts, book: ledger.New(), owner: map[ledger.ID]int{}, kept: map[int]bool{}, undone: map[int]bool{},
		removed: map[ledger.ID]string{}}
	for _, c := range changes {
		if err := o.enter(c); err != nil {
			return nil, err
		}
	}
	// The last version is known by now, but for one without lines: then after is nil.
	last := changes[len(changes)-1].After
	if o.after, err = o.version(last, ledger.Step{}); err != nil || o.after == nil {
		return o, err
	}
	for id := range o.removed {
		// What the agent wrote itself, or put back later, it did not remove from others.
		if _, is := o.owner[id]; is || slices.Contains(o.after.Text, id) {
			delete(o.removed, id)
		}
	}
	for _, k := range o.in(o.after) {
		o.kept[k] = true
	}
	return o, nil
}

// enter enters a change. Of one that carries others forward, what is new beside their lines is
// nobody's.
func (o *own) enter(c Change) error {
	// The changes of the turns come first: so their lines are known, and the carried version
	// inherits their owners.
	for _, of := range c.Of {
		if err := o.enter(of); err != nil {
			return err
		}
	}
	// Between two turns the version before may be new: what it brings is the human's.
	before, err := o.version(c.Before, ledger.Step{Charge: others})
	if err != nil {
		return err
	}
	lines, _, err := o.texts.Lines(c.After)
	if err != nil {
		return err
	}
	step := ledger.Step{Nearest: before, Charge: func(line int, _ bool) ledger.Owner { return o.owns(lines[line]) }}
	if len(c.Of) > 0 {
		step.Charge = others
	}
	after, err := o.version(c.After, step)
	// A carried version may lack lines that the commit took: they are neither removed nor undone by
	// the agent.
	if err != nil || before == nil || len(c.Of) > 0 {
		return err
	}
	var has map[ledger.ID]bool
	var now map[int]bool
	if after != nil {
		has, now = sets.Of(after.Text), sets.Of(o.in(after))
	}
	// Once undone a line stays so, also if a later turn has it again: kept says that.
	for _, k := range o.in(before) {
		o.undone[k] = o.undone[k] || !now[k]
	}
	was, _, err := o.texts.Lines(c.Before)
	for line, id := range before.Text {
		// The ID 0 is a blank line. Of a deleted file has is nil, and all its lines are removed.
		if id != 0 && !has[id] && line < len(was) {
			o.removed[id] = was[line]
		}
	}
	return err
}

// others is who has what the agent didn't write.
func others(int, bool) ledger.Owner { return ledger.Human }

// owns gives a line of the agent's its owner. Equal ones count once, and blank ones don't count.
func (o *own) owns(line string) ledger.Owner {
	id := o.book.Text([]byte(line))
	if len(id) == 0 || id[0] == 0 {
		return ledger.Human
	}
	// The owner is the line's place in wrote, so that a version's owners say which of the agent's
	// lines it has.
	k, known := o.owner[id[0]]
	if !known {
		k = len(o.wrote)
		o.owner[id[0]], o.wrote = k, append(o.wrote, line)
	}
	return ledger.FirstTurn + ledger.Owner(k)
}

// version enters a version of the agent's file.
func (o *own) version(e gitexec.Entry, s ledger.Step) (*ledger.Version, error) {
	return o.versionOf(path, e, s)
}

// versionOf enters a version that is not known: nil for one without lines.
func (o *own) versionOf(name string, e gitexec.Entry, s ledger.Step) (*ledger.Version, error) {
	if v := o.book.Known(name, string(e.ID)); v != nil {
		return v, nil
	}
	lines, ok, err := o.texts.Lines(e)
	if err != nil || !ok {
		return nil, err
	}
	data := join(lines)
	// Which version a stash entry or a commit was made from isn't known here: the likest one has
	// most of its lines.
	if s.Nearest == nil {
		s.Nearest = o.book.Likest(data, o.book.Versions(name), nil)
	}
	return o.book.Assign(name, string(e.ID), data, s), nil
}

// enoughMoved is how much of an agent's lines in another file is evidence of its work: two lines. A
// new file has one by chance, such as an import; with four, two lines of a block of three, which
// the human moves before the commit, have no link (TestMovedTo).
const enoughMoved = 2 * ledger.Evidence

// MovedTo reports whether the change of another file brings lines there that the agent wrote,
// enough or all of them, and that its own file doesn't have any more: somebody moved them. changes
// are those of the agent's file, oldest first; left are the lines that the file has now, nil if it
// is gone. It is false for files without lines. Its errors are those of the texts.
func MovedTo(changes []Change, left []string, other gitexec.Change, texts Texts) (bool, error) {
	o, err := ownOf(changes, texts)
	if err != nil || len(o.kept) == 0 {
		return false, err
	}
	// The lines that its own file has now: what still stands there was copied.
	now := o.book.Text(join(left))
	name := string(other.Path)
	under, err := o.versionOf(name, other.Old, ledger.Step{Charge: others})
	if err != nil {
		return false, err
	}
	to, err := o.versionOf(name, other.New, ledger.Step{Nearest: under, Charge: others,
		Beside: func(of string) (*ledger.Version, ledger.Text, bool) { return o.after, now, of == path }})
	if err != nil || to == nil {
		return false, err
	}
	weight, found := 0, o.in(to)
	for _, k := range found {
		weight += ledger.Weight(o.wrote[k])
	}
	// Two lines that weigh in full, or all that the agent wrote: one line may be moved as well.
	return weight >= enoughMoved || len(found) == len(o.kept), nil
}

func join(lines []string) (data []byte) {
	for _, line := range lines {
		data = append(append(data, line...), '\n')
	}
	return data
}

// in lists the agent's lines of a version, each once.
func (o *own) in(v *ledger.Version) (lines []int) {
	seen := map[int]bool{}
	for _, owner := range v.Owners {
		if k := int(owner - ledger.FirstTurn); owner.IsTurn() && !seen[k] {
			lines, seen[k] = append(lines, k), true
		}
	}
	return lines
}

// held is what of an agent's lines a version has, and what not, beyond the version under it.
type held struct {
	found, missing    []string // those that it wrote
	restored, removed []string // those that it took out: which are back, and which are still out
	again             []string // those that it wrote and took out, and that are back
}

// heldIn compares a version with the agent's lines.
func (o *own) heldIn(version gitexec.Change) (h held, ok bool, err error) {
	under, err := o.version(version.Old, ledger.Step{Charge: others})
	if err != nil {
		return h, false, err
	}
	// The version's lines get their owners by the ledger's rules, so that the agent's are found in
	// any form.
	now, err := o.version(version.New, ledger.Step{Others: []*ledger.Version{under, o.after}, Charge: others})
	if err != nil || now == nil {
		return h, false, err
	}
	var committed map[int]bool
	var was map[ledger.ID]bool
	if under != nil {
		committed, was = sets.Of(o.in(under)), sets.Of(under.Text)
	}
	has := sets.Of(now.Text)
	// What the version under it has in any form is committed already, and no evidence.
	found, fresh := map[int]bool{}, o.book.Fresh(now, under)
	for line, owner := range now.Owners {
		if owner.IsTurn() && fresh[line] {
			found[int(owner-ledger.FirstTurn)] = true
		}
	}
	for k, line := range o.wrote {
		switch {
		// Others took it out between two turns: whether it is there says nothing of the agent's
		// work.
		case !o.kept[k] && !o.undone[k]:
		case found[k] && o.kept[k]:
			h.found = append(h.found, line)
		case found[k]:
			h.again = append(h.again, line)
		// A line that is committed is neither found nor missing.
		case o.kept[k] && !committed[k]:
			h.missing = append(h.missing, line)
		}
	}
	for id, line := range o.removed {
		switch {
		// The version under it lacks the line, too: that it is gone is no change.
		case !was[id]:
		case has[id]:
			h.restored = append(h.restored, line)
		default:
			h.removed = append(h.removed, line)
		}
	}
	slices.Sort(h.restored)
	slices.Sort(h.removed)
	return h, true, nil
}

// shape is held for an agent that changed no line, but their order or their white space: lines as
// they are, each with the one before it, are the evidence.
func shape(changes []Change, version gitexec.Change, texts Texts) (h held, err error) {
	var read error
	pairs := func(e gitexec.Entry) map[string]bool {
		lines, _, err := texts.Lines(e)
		if err != nil {
			read = err
		}
		set, last := map[string]bool{}, ""
		for _, line := range lines {
			if strings.TrimSpace(line) == "" {
				continue
			}
			if last != "" {
				set[last+"\n"+line] = true
			}
			last = line
		}
		return set
	}
	before, after := pairs(changes[0].Before), pairs(changes[len(changes)-1].After)
	under, now := pairs(version.Old), pairs(version.New)
	for _, p := range slices.Sorted(maps.Keys(after)) {
		switch {
		// Only pairs that the agent made, and that the version under it hasn't.
		case before[p] || under[p]:
		case now[p]:
			h.found = append(h.found, p)
		default:
			h.missing = append(h.missing, p)
		}
	}
	for _, p := range slices.Sorted(maps.Keys(before)) {
		switch {
		// Only pairs that the agent parted, and that the version under it still has.
		case after[p] || !under[p]:
		case now[p]:
			h.restored = append(h.restored, p)
		default:
			h.removed = append(h.removed, p)
		}
	}
	return h, read
}
