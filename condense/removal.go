package condense

import (
	"slices"

	"entire-plumb/suffix"
)

// onlyRemoves reports whether a commit has nothing of the work but that lines are gone which it
// removed, or files that it deleted, although it did something else.
func (o Overlap) onlyRemoves() bool {
	return slices.ContainsFunc(o.Work.Changes, func(c suffix.Change) bool { return c.After.Exists() }) &&
		!slices.ContainsFunc(o.Files, func(f FileOverlap) bool { return f.Verdict == Held && !f.found.ByRemoval() })
}

// discount notes that what a commit has of the work is no evidence, and why.
func (o *Overlap) discount(why Verdict) {
	o.Counts, o.Reason = false, ""
	for i := range o.Files {
		if o.Files[i].Verdict == Held {
			o.Files[i].Verdict = why
		}
	}
}
