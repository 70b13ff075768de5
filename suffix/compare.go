package suffix

import (
	"slices"

	"entire-plumb/gitexec"
)

// Compare finds how much of what the agent did to a file, in one or more turns, is in a version of
// it, beyond what the version under it, the committed one, already has: version goes from that one
// to this.
//
// The same object and mode decide, and so does the absence of a file that the agent deleted.
// Otherwise lines decide: those that the agent added and that are there must weigh enough, or be
// all of them; else the lines that it removed must still be absent, and weigh enough together with
// those; else lines that it added and took out itself may be back, as by a rewind. Where it only
// moved or formatted lines, pairs of consecutive lines decide.
//
// changes are of one file, oldest first, and not empty. Its errors are those of the texts.
func Compare(changes []Change, version gitexec.Change, texts Texts) (File, error) {
	first, last, now := changes[0], changes[len(changes)-1], version.New
	f := File{Path: first.Path, Before: first.Before, After: last.After, Now: now}
	// As the last turn left it, or an earlier one, to which the user may have gone back. That a
	// file is absent counts only for the last turn: an agent may have deleted it and written it
	// again. It is weak, since anybody may delete.
	if now == last.After || now.Exists() && slices.ContainsFunc(changes, func(c Change) bool { return c.After == now }) {
		f.Evidence, f.Present, f.Score, f.Weak = SameObject, true, 1, !now.Exists()
		return f, nil
	}
	f.Evidence = OtherWhole
	if !now.Exists() {
		return f, nil
	}
	// `chmod +x` counts if the version has the mode, and the version under it has not.
	modeKept := first.Before.Exists() && first.Before.Mode != last.After.Mode &&
		now.Mode == last.After.Mode && now.Mode != version.Old.Mode
	// The agent left the content as it was: what it is now says nothing.
	if first.Before.ID == last.After.ID && first.Before.Mode != last.After.Mode {
		f.Evidence, f.Present, f.Weak = ModeOnly, modeKept, modeKept
		if f.Present {
			f.Score = 1
		}
		return f, nil
	}
	// Without lines it is another object than the agent left: Present stays false.
	h, ok, err := f.compareLines(changes, version, texts)
	if err != nil || !ok {
		return f, err
	}
	f.AddedFound, f.AddedMissing, f.RemovedRestored, f.RemovedAbsent = h.found, h.missing, h.restored, h.removed
	f.Present, f.Weak = f.judge()
	// Turn 1 wrote lines, turn 2 took them out, and a rewind brought them back.
	if !f.Present && enough(h.again) {
		f.Evidence, f.Present, f.AddedFound = ByLines, true, h.again
	}
	// The content was replaced, and the mode is still as the agent set it.
	if !f.Present && modeKept {
		f.Present, f.Weak = true, true
	}
	if all := len(h.found) + len(h.missing) + len(h.restored) + len(h.removed); all > 0 && f.Present {
		f.Score = float64(len(h.found)+len(h.removed)) / float64(all)
	}
	return f, nil
}

// Brings reports whether a version has lines that the agent wrote, and that the version under it
// hasn't: more than that somebody has removed the same ones, or has the file as it was after its
// turn. What has no lines is decided by Compare, whose result for the same arguments f is.
func (f File) Brings(changes []Change, version gitexec.Change, texts Texts) (bool, error) {
	h, ok, err := f.compareLines(changes, version, texts)
	if err != nil || !ok {
		return f.Present, err
	}
	return enough(h.found) || len(h.found) > 0 && len(h.missing) == 0, nil
}

// Advances reports whether a version has something that the agent did, and that the version under
// it hasn't: lines that it wrote, took out or moved, one brace is enough. What has no lines, a
// mode, and a new file, is decided by Compare, whose result for the same arguments f is.
func (f File) Advances(changes []Change, version gitexec.Change, texts Texts) (bool, error) {
	if version.Old.Mode != version.New.Mode {
		return f.Present, nil
	}
	h, ok, err := f.compareLines(changes, version, texts)
	if err != nil || !ok {
		return f.Present, err
	}
	return len(h.found)+len(h.again)+len(h.removed) > 0, nil
}

// compareLines compares the lines; ok is false where a version has none.
func (f *File) compareLines(changes []Change, version gitexec.Change, texts Texts) (h held, ok bool, err error) {
	for _, e := range []gitexec.Entry{f.After, f.Now} {
		if _, ok, err := texts.Lines(e); err != nil || !ok {
			return h, false, err
		}
	}
	o, err := ownOf(changes, texts)
	if err != nil {
		return h, false, err
	}
	// It wrote no line that is left, and took none out: it moved lines, or formatted them.
	if f.Evidence = ByLines; len(o.kept)+len(o.removed) == 0 {
		f.Evidence = ByOrder
		h, err = shape(changes, version, texts)
		return h, true, err
	}
	return o.heldIn(version)
}

// judge decides by lines.
func (f File) judge() (present, weak bool) {
	if enough(f.AddedFound) {
		return true, false
	}
	// All that it added, though it is little: `}` alone may come from elsewhere, so it is weak.
	if len(f.AddedFound) > 0 && len(f.AddedMissing) == 0 {
		return true, true
	}
	// From here on only what is gone can tell. One line that is back says that the removal was
	// undone.
	if len(f.RemovedAbsent) == 0 || len(f.RemovedRestored) > 0 {
		return false, false
	}
	// Without an added line, one alone must weigh enough.
	together := slices.ContainsFunc(f.AddedFound, func(line string) bool { return !Weightless(line) }) &&
		enough(slices.Concat(f.AddedFound, f.RemovedAbsent))
	weak = together || len(f.AddedMissing) == 0 || slices.ContainsFunc(f.RemovedAbsent, significant)
	return weak, weak
}
