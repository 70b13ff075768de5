package condense

import (
	"slices"

	"entire-plumb/gitexec"
	"entire-plumb/suffix"
)

// onlyRemoves reports whether a commit has nothing of the work but that lines are gone which it
// removed, or files that it deleted, although it added others.
func (o Overlap) onlyRemoves(byPath map[gitexec.Path]gitexec.Change, texts suffix.Texts, match suffix.Match) (bool, error) {
	adds, lines := false, false
	for _, changes := range suffix.ByFile(o.Work.Changes) {
		added, err := suffix.Adds(changes, texts, match)
		if err != nil {
			return false, err
		}
		adds = adds || added
		if at := slices.IndexFunc(o.Files, func(f FileOverlap) bool { return f.Path == changes[0].Path }); at < 0 || o.Files[at].Verdict != Held {
			continue
		}
		if removes, err := suffix.InEffectByRemoval(changes, byPath[changes[0].Path], texts, match); !removes || err != nil {
			return false, err
		}
		lines = lines || byPath[changes[0].Path].New.Exists()
	}
	return adds || lines, nil
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
func discountRemovals(judged []Overlap, byPath map[gitexec.Path]gitexec.Change, texts suffix.Texts, match suffix.Match) error {
	var old, others []int
	for i, o := range judged {
		only, err := o.onlyRemovesSince(byPath, texts, match)
		switch {
		case err != nil:
			return err
		case only:
			old = append(old, i)
		case o.Counts && o.Work.Link == nil:
			others = append(others, i)
		}
	}
	for _, i := range old {
		all := len(others) > 0
		for _, changes := range judged[i].held() {
			again := false
			for _, k := range others {
				removed, err := judged[k].Work.removed(changes, texts, match)
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

// held lists the work's changes of the files that the commit has some of.
func (o Overlap) held() (files [][]suffix.Change) {
	for _, changes := range suffix.ByFile(o.Work.Changes) {
		if slices.Contains(o.Files, FileOverlap{changes[0].Path, Held}) {
			files = append(files, changes)
		}
	}
	return files
}

// onlyRemovesSince reports whether a commit has nothing of a stream's work but that lines are gone,
// all in files that commits have changed since.
func (o Overlap) onlyRemovesSince(byPath map[gitexec.Path]gitexec.Change, texts suffix.Texts, match suffix.Match) (bool, error) {
	if !o.Counts || o.Work.Stream == nil || len(o.Work.Since) == 0 {
		return false, nil
	}
	for _, changes := range o.held() {
		path := changes[0].Path
		if !o.Work.Since[path] {
			return false, nil
		}
		if removes, err := suffix.InEffectByRemoval(changes, byPath[path], texts, match); !removes || err != nil {
			return false, err
		}
	}
	return true, nil
}

// removed reports whether the work removed what other work had removed from a file.
func (w Work) removed(other []suffix.Change, texts suffix.Texts, match suffix.Match) (bool, error) {
	for _, own := range suffix.ByFile(w.Changes) {
		if own[0].Path == other[0].Path {
			since := gitexec.Change{Path: own[0].Path, Old: own[0].Before, New: own[len(own)-1].After}
			return suffix.InEffectByRemoval(other, since, texts, match)
		}
	}
	return false, nil
}
