package suffix

import (
	"slices"

	"entire-plumb/gitexec"
)

// Rename is a file that a commit renamed, and perhaps edited.
type Rename struct {
	From, To gitexec.Path
	Old, New gitexec.Entry // the versions
}

// RenamesIn lists the files that a commit renames: it deletes one with the same content as one that
// it adds, or half of it. Its errors are those of the texts.
func RenamesIn(commit []gitexec.Change, texts Texts) ([]Rename, error) {
	work := make([]Change, len(commit))
	for i, c := range commit {
		work[i] = Change{Path: c.Path, Before: c.Old, After: c.New}
	}
	var renames []Rename
	err := oldFiles(work, texts, func(added int, old gitexec.Change) {
		renames = append(renames, Rename{old.Path, work[added].Path, old.New, work[added].After})
	})
	return renames, err
}

// oldVersions finds the versions before renames.
type oldVersions struct {
	q       Renaming
	byPath  Worktree
	renames []Rename // of the version itself
	read    bool
}

// of is the version before a file of work was renamed to an added one: its own, if the version
// changes it; else that of the file which the version itself renames to this one, as where an
// earlier commit renamed the work's file to that.
func (o *oldVersions) of(path gitexec.Path, added gitexec.Change) (old gitexec.Entry, known bool, err error) {
	if c, changed := o.byPath[path]; changed {
		return c.Old, true, nil
	}
	if !o.read {
		o.read = true
		if o.renames, err = RenamesIn(o.q.Version, o.q.Texts); err != nil {
			return old, false, err
		}
	}
	at := slices.IndexFunc(o.renames, func(r Rename) bool { return r.To == added.Path })
	if at < 0 {
		return old, false, nil
	}
	return o.renames[at].Old, true, nil
}

// SinceRename gives the files that a piece of work adds, and that its commit renamed, the versions
// before that: the lines that they had are not the work's. They may have other names since.
func SinceRename(work []Change, commit []Rename) []Change {
	before := map[gitexec.Entry]gitexec.Entry{}
	for _, r := range slices.Backward(commit) { // of equal ones the first
		before[r.New] = r.Old
	}
	work = slices.Clone(work)
	for i, c := range work {
		if old, renamed := before[c.After]; renamed && !c.Before.Exists() {
			work[i].Before = old
		}
	}
	return work
}

// FromOldFiles gives the files that a piece of work adds, and that it renamed, the versions before
// that: the lines that they had are not new. A file is renamed if the work removes one with the
// same content, or half of it, or one that is nearly all in it.
func FromOldFiles(work []Change, texts Texts) ([]Change, error) {
	given := slices.Clone(work)
	err := oldFiles(work, texts, func(added int, old gitexec.Change) { given[added].Before = old.New })
	return given, err
}

// oldFiles passes on the files that work adds, by their index, and the file of which each is a
// rename.
func oldFiles(work []Change, texts Texts, each func(added int, old gitexec.Change)) error {
	isAdded := func(c Change) bool { return !c.Before.Exists() && c.After.Exists() }
	var removed []gitexec.Change // the other way round: find looks for added files
	for _, c := range work {
		if c.Before.Exists() && !c.After.Exists() {
			removed = append(removed, gitexec.Change{Path: c.Path, New: c.Before})
		}
	}
	if len(removed) == 0 || !slices.ContainsFunc(work, isAdded) {
		return nil
	}
	r := newRenames(Renaming{Version: removed, Texts: texts})
	r.backwards = true
	for i, c := range work {
		if !isAdded(c) {
			continue
		}
		at, err := r.find(c.Path, c.After)
		if err != nil {
			return err
		}
		if at >= 0 {
			each(i, r.added[at])
		}
	}
	return nil
}
