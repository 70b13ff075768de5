package condense

import (
	"slices"

	"entire-plumb/gitexec"
	"entire-plumb/suffix"
)

// onlyRemoves reports whether a commit has nothing of the work but that lines are gone which it
// removed, or files that it deleted, although it added others.
func (o Overlap) onlyRemoves(byPath map[gitexec.Path]gitexec.Change, texts suffix.Texts) (bool, error) {
	more := false
	for _, changes := range o.held() {
		more = more || byPath[changes[0].Path].New.Exists()
	}
	for _, changes := range suffix.ByFile(o.Work.Changes) {
		if more {
			break
		}
		var err error
		if more, err = suffix.Adds(changes, texts); err != nil {
			return false, err
		}
	}
	if !more {
		return false, nil
	}
	return o.heldByRemoval(byPath, texts)
}

// heldByRemoval reports whether all that a commit has of the work is that lines are gone, or files.
func (o Overlap) heldByRemoval(byPath map[gitexec.Path]gitexec.Change, texts suffix.Texts) (bool, error) {
	for _, changes := range o.held() {
		if removes, err := suffix.InEffectByRemoval(changes, byPath[changes[0].Path], texts); !removes || err != nil {
			return false, err
		}
	}
	return true, nil
}

// held lists the work's changes of the files that the commit has some of.
func (o Overlap) held() (files [][]suffix.Change) {
	held := map[gitexec.Path]bool{}
	for _, f := range o.Files {
		held[f.Path] = f.Verdict == Held
	}
	for _, changes := range suffix.ByFile(o.Work.Changes) {
		if held[changes[0].Path] {
			files = append(files, changes)
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
func discountRemovals(judged []Overlap, byPath map[gitexec.Path]gitexec.Change, texts suffix.Texts) error {
	var old []int
	var others [][]suffix.Change
	for i, o := range judged {
		only, err := o.onlyRemovesSince(byPath, texts)
		switch {
		case err != nil:
			return err
		case only:
			old = append(old, i)
		case o.Counts && o.Work.Link == nil:
			others = append(others, suffix.ByFile(o.Work.Changes)...)
		}
	}
	if len(old) == 0 {
		return nil
	}
	removedBy := map[gitexec.Path][]gitexec.Change{}
	for _, own := range others {
		path := own[0].Path
		removedBy[path] = append(removedBy[path], gitexec.Change{Path: path, Old: own[0].Before, New: own[len(own)-1].After})
	}
	for _, i := range old {
		all := true
		for _, changes := range judged[i].held() {
			again := false
			for _, other := range removedBy[changes[0].Path] {
				removed, err := suffix.InEffectByRemoval(changes, other, texts)
				if err != nil {
					return err
				}
				again = again || removed
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
func (o Overlap) onlyRemovesSince(byPath map[gitexec.Path]gitexec.Change, texts suffix.Texts) (bool, error) {
	if !o.Counts || o.Work.Stream == nil || len(o.Work.Since) == 0 {
		return false, nil
	}
	if slices.ContainsFunc(o.held(), func(changes []suffix.Change) bool { return !o.Work.Since[changes[0].Path] }) {
		return false, nil
	}
	return o.heldByRemoval(byPath, texts)
}
