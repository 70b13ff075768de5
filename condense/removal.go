package condense

import (
	"slices"

	"entire-plumb/gitexec"
	"entire-plumb/suffix"
)

// onlyRemoves reports whether a commit has nothing of the work but that lines are gone which it
// removed, or files that it deleted, although it did something else.
func (o Overlap) onlyRemoves() bool {
	more := slices.ContainsFunc(o.Work.Changes, func(c suffix.Change) bool { return c.After.Exists() })
	return more && o.heldByRemoval()
}

// heldByRemoval reports whether a commit has nothing of the work but that lines are gone which it
// removed.
func (o Overlap) heldByRemoval() bool {
	return !slices.ContainsFunc(o.held(), func(f FileOverlap) bool { return !f.found.ByRemoval() })
}

// held lists the files that the commit has some of.
func (o Overlap) held() (files []FileOverlap) {
	for _, f := range o.Files {
		if f.Verdict == Held {
			files = append(files, f)
		}
	}
	return files
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

// discountRemovals leaves out work of which a commit has nothing but that lines are gone which it
// removed, where other work that counts removed them, too, and commits changed the file in between:
// the lines had come back.
func discountRemovals(judged []Overlap, texts suffix.Texts) error {
	removedBy := map[gitexec.Path][]gitexec.Change{}
	for _, o := range judged {
		if !o.Counts || o.Work.Link != nil || o.onlyRemovesSince() {
			continue
		}
		for _, own := range suffix.ByFile(o.Work.Changes) {
			path := own[0].Path
			removedBy[path] = append(removedBy[path], gitexec.Change{Path: path, Old: own[0].Before, New: own[len(own)-1].After})
		}
	}
	for i, o := range judged {
		all := o.onlyRemovesSince()
		for _, f := range o.held() {
			again := false
			for _, other := range removedBy[f.Path] {
				if !all || again {
					break
				}
				removed, err := suffix.Compare(f.changes, other, texts)
				if err != nil {
					return err
				}
				again = removed.ByRemoval()
			}
			all = all && again
		}
		if all {
			judged[i].discount(Back)
		}
	}
	return nil
}

// onlyRemovesSince reports whether a commit has nothing of a stream's work but that lines are gone,
// all in files that commits have changed since.
func (o Overlap) onlyRemovesSince() bool {
	return o.Counts && o.Work.Stream != nil && o.heldByRemoval() &&
		!slices.ContainsFunc(o.held(), func(f FileOverlap) bool { return !o.Work.Since[f.Path] })
}
