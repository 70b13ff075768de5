package suffix

import (
	"slices"

	"entire-plumb/gitexec"
)

// FromOldFiles gives the files that a piece of work adds, and that it renamed, the versions before
// that: the lines that they had are not new. A file is renamed if the work removes one with the
// same content, or one of which it has half. The result has the order and the length of work, which
// it leaves as it is. Its errors are those of the texts.
func FromOldFiles(work []Change, texts Texts) ([]Change, error) {
	var removed []gitexec.Change // the other way round: find looks for added files
	for _, c := range work {
		if !c.After.Exists() {
			removed = append(removed, gitexec.Change{Path: c.Path, New: c.Before})
		}
	}
	if len(removed) == 0 {
		return work, nil
	}
	given := slices.Clone(work)
	r := newRenames(Renaming{Version: removed, Texts: texts})
	// find seeks an added file for an old one. Here it is given the new file, and seeks among the
	// removed ones.
	r.backwards = true
	for i, c := range work {
		if c.Before.Exists() {
			continue
		}
		at, err := r.find(c.Path, c.After)
		if err != nil {
			return nil, err
		}
		if at >= 0 {
			given[i].Before = r.added[at].New
		}
	}
	return given, nil
}

// ChangesOf are changes of a tree, as somebody's work.
func ChangesOf(diff []gitexec.Change) []Change {
	work := make([]Change, len(diff))
	for i, c := range diff {
		work[i] = Change{Path: c.Path, Before: c.Old, After: c.New}
	}
	return work
}
