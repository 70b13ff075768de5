package suffix

import (
	"slices"

	"entire-plumb/gitexec"
)

// compareFile finds how much of the agent's changes to a file is in a version of it, beyond what
// the version under it, the committed one, already has.
//
// The same object and mode decide, and so does the absence of a file that the agent deleted.
// Otherwise lines decide: those that the agent added and that are there must weigh enough, or be
// all of them; else the lines that it removed must still be absent, and weigh enough together with
// those. Where it only moved lines, pairs of consecutive lines decide. Else an earlier version of
// the agent's may be back, as by a rewind: half of the lines that it added must be there, and weigh
// enough.
func compareFile(changes []Change, version gitexec.Change, texts Texts, match Match) (File, error) {
	f, err := compareLast(changes, version, texts, match)
	if err != nil || f.Present {
		return f, err
	}
	upTo, err := mostRestored(changes, version, texts, match)
	if err != nil || upTo == 0 {
		return f, err
	}
	l, ok, err := linesOf(changes[:upTo], version, texts, match)
	if err != nil || !ok || l.kind != ByLines {
		return f, err
	}
	found, missing := split(l.added, l.present, match)
	if len(found) < len(missing) || weigh(found, l.after, l.now, l.under, match) < enough {
		return f, nil
	}
	return compareLast(changes[:upTo], version, texts, match)
}

// compareLast is compareFile without the agent's earlier versions, except where one is there as it
// was.
func compareLast(changes []Change, version gitexec.Change, texts Texts, match Match) (File, error) {
	first, last, now := changes[0], changes[len(changes)-1], version.New
	f := File{Path: first.Path, Before: first.Before, After: last.After, Now: now}
	if now == last.After || now.Exists() && slices.ContainsFunc(changes, func(c Change) bool { return c.After == now }) {
		f.Evidence, f.Present, f.Score, f.Weak = SameObject, true, 1, !now.Exists()
		return f, nil
	}
	f.Evidence = OtherWhole
	if !last.After.Exists() || !now.Exists() {
		return f, nil
	}
	modeKept := first.Before.Exists() && first.Before.Mode != last.After.Mode &&
		now.Mode == last.After.Mode && now.Mode != version.Old.Mode
	if first.Before.ID == last.After.ID && first.Before.Mode != last.After.Mode {
		f.Evidence, f.Present, f.Weak = ModeOnly, modeKept, modeKept
		if f.Present {
			f.Score = 1
		}
		return f, nil
	}
	l, ok, err := linesOf(changes, version, texts, match)
	if err != nil || !ok {
		return f, err
	}
	f.Evidence = l.kind
	f.AddedFound, f.AddedMissing = split(l.added, l.present, match)
	f.RemovedRestored, f.RemovedAbsent = split(l.removed, l.present, match)
	f.Present, f.Weak = f.judge(weigh(f.AddedFound, l.after, l.now, l.under, match))
	if !f.Present && modeKept {
		f.Present, f.Weak = true, true
	}
	if all := len(l.added) + len(l.removed); all > 0 && f.Present {
		f.Score = float64(len(f.AddedFound)+len(f.RemovedAbsent)) / float64(all)
	}
	return f, nil
}

// evidence is what lines can show: those that the agent added and removed, without committed ones,
// and those of the version.
type evidence struct {
	kind           Evidence // ByLines or ByOrder
	added, removed []string
	present        map[string]bool
	// The lines of the agent's last version, of the version, and of the one under it.
	after, now, under []string
}

// linesOf collects the lines to compare; ok is false where a version has none.
func linesOf(changes []Change, version gitexec.Change, texts Texts, match Match) (e evidence, ok bool, err error) {
	after, ok, err := texts.Lines(changes[len(changes)-1].After)
	if err != nil || !ok {
		return e, false, err
	}
	now, ok, err := texts.Lines(version.New)
	if err != nil || !ok {
		return e, false, err
	}
	under, _, err := texts.Lines(version.Old)
	if err != nil {
		return e, false, err
	}
	e.kind = ByLines
	if e.added, e.removed, err = agentLines(changes, after, texts, match); err != nil {
		return e, false, err
	}
	if len(e.added)+len(e.removed) == 0 {
		e.kind = ByOrder
		after, now, under = pairs(after), pairs(now), pairs(under)
		if e.added, e.removed, err = agentLines(changes, after, pairTexts{texts}, match); err != nil {
			return e, false, err
		}
	}
	committed := keys(under, match)
	_, e.added = split(e.added, committed, match)
	e.removed, _ = split(e.removed, committed, match)
	e.present = keys(now, match)
	e.after, e.now, e.under = after, now, under
	return e, true, nil
}

// judge decides by lines, given the weight of those that were added and found.
func (f File) judge(found int) (present, weak bool) {
	if found >= enough {
		return true, false
	}
	if len(f.AddedFound) > 0 && len(f.AddedMissing) == 0 {
		return true, true
	}
	removed := len(f.RemovedAbsent) > 0 && len(f.RemovedRestored) == 0
	if removed && found > 0 { // without, one alone must weigh enough
		for _, line := range f.RemovedAbsent {
			found += weight(line)
		}
	}
	if removed && (found >= enough || len(f.AddedMissing) == 0 || slices.ContainsFunc(f.RemovedAbsent, significant)) {
		return true, true
	}
	return false, false
}
