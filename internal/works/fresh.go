package works

import (
	"bytes"
	"errors"
	"slices"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/ledger"
	"entire-plumb/internal/sets"
)

// largestFresh is the most bytes of a file whose lines are compared: that of the record of a
// commit's lines, so that a file that is divided here is recorded there. A larger one is new as a
// whole.
const largestFresh = checkpoints.LargestCompared

// mostGone is how many files that a commit takes away are looked at for the lines of others: each
// new file is compared with all of them. Of a commit that moves more files, those beyond are new.
const mostGone = 50

// Fresh is what changes bring that no side has, trees of commits that a merge, a cherry-pick, a
// squash or a revert puts together: each change goes from a version with the lines that some side
// has, in whatever form. It writes these versions. Changes that bring nothing are omitted, as are
// removals, and all of them where what they bring is no evidence together: nil. A missing tree of a
// side is an error, a missing version counts as one without lines.
func Fresh(db *gitexec.ODB, changes []gitexec.Change, sides []gitexec.OID) ([]gitexec.Change, error) {
	there := slices.DeleteFunc(slices.Clone(changes), func(c gitexec.Change) bool { return !c.New.Exists() })
	paths := gitexec.PathsOf(there)
	// By file, one for each side; the zero entry where a side lacks it.
	versions := make([][]gitexec.Entry, len(there)) // that the sides have
	for _, side := range sides {
		found, err := db.Files(side, paths...)
		if err != nil {
			return nil, err
		}
		for i, e := range found {
			versions[i] = sets.With(versions[i], e)
		}
	}
	var gone []gitexec.Entry
	for _, c := range changes {
		if !c.New.Exists() && len(gone) < mostGone {
			gone = append(gone, c.Old)
		}
	}
	var fresh []gitexec.Change
	weight := 0
	for i, c := range there {
		// The file is as one side has it: whoever resolved the conflict took that side.
		if slices.Contains(versions[i], c.New) {
			continue
		}
		known := append([]gitexec.Entry{c.Old}, versions[i]...)
		// A file that is new may be one that the same commit takes away, under another name.
		if !c.Old.Exists() {
			known = append(known, gone...)
		}
		old, w, err := lacking(db, c, known)
		if err != nil {
			return nil, err
		}
		if w > 0 {
			fresh = append(fresh, gitexec.Change{Path: c.Path, Old: old, New: c.New})
		}
		weight += w
	}
	// A few short lines, as a brace at a conflict's border, say nothing of who resolved it.
	if weight < ledger.Evidence {
		return nil, nil
	}
	return fresh, nil
}

// lacking is a file's new version without the lines that no known version has, and what these weigh
// as evidence; its old version, if they can't be told.
func lacking(db *gitexec.ODB, c gitexec.Change, known []gitexec.Entry) (old gitexec.Entry, weight int, err error) {
	data, ok, err := textOf(db, c.New)
	if err != nil || !ok {
		// What can't be compared counts in full: a binary file that no side has is new.
		return c.Old, ledger.Evidence, err
	}
	book := ledger.New()
	now := book.Add(string(c.Path), string(c.New.ID), data)
	var parents []*ledger.Version
	for _, e := range known {
		data, ok, err := textOf(db, e)
		if err != nil {
			return c.Old, ledger.Evidence, err
		}
		if ok {
			parents = append(parents, book.Add(string(c.Path), string(e.ID), data))
		}
	}
	// No version has lines: all of the text is new.
	if len(parents) == 0 {
		return c.Old, ledger.Evidence, nil
	}
	fresh := book.Fresh(now, parents...)
	var rest []byte
	i := 0
	for line := range bytes.Lines(data) {
		if fresh[i] {
			weight += book.Letters(now.Text[i])
		} else {
			rest = append(rest, line...)
		}
		i++
	}
	if weight == 0 {
		return c.New, 0, nil
	}
	id, err := db.WriteBlob(rest)
	return gitexec.Entry{Mode: c.New.Mode, ID: id}, weight, err
}

// textOf reads a version; ok is false where it has no lines that can be compared.
func textOf(db *gitexec.ODB, e gitexec.Entry) (data []byte, ok bool, err error) {
	if !e.IsFile() {
		return nil, false, nil
	}
	data, err = db.Blob(e.ID, largestFresh)
	if errors.As(err, new(*gitexec.TooLargeError)) || gitexec.IsMissing(err) { // of a partial clone
		return nil, false, nil
	}
	return data, err == nil && !gitexec.IsBinary(data), err
}
