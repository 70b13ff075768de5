package query

import (
	"errors"
	"fmt"

	"entire-plumb/gitexec"
	"entire-plumb/internal/hunks"
)

// OwnedLine is a line of a hunk with its author; nil: nobody's, or it is not new.
type OwnedLine struct {
	hunks.Line
	Owner *DiffOwner
}

// OwnedHunk is a hunk of a file.
type OwnedHunk struct {
	hunks.Hunk
	Lines []OwnedLine
}

// largestDiffed is how many bytes of a version are read to show its lines.
const largestDiffed = 64 << 20

// ErrTooLarge says that the lines of a file are not shown.
var ErrTooLarge = errors.New("too large to show")

// Hunks are the hunks of a file, with so many lines of context. It fails with ErrTooLarge.
func (d *OwnedDiff) Hunks(f *DiffFile, around int) ([]OwnedHunk, error) {
	if f.Binary || len(f.Changes) == 0 {
		return nil, nil
	}
	var texts [2][]string
	for i, e := range []gitexec.Entry{f.Old, f.New} {
		text, err := d.text(e)
		if err != nil {
			return nil, err
		}
		texts[i] = hunks.Split(text)
	}
	var all []OwnedHunk
	next := 0
	for _, h := range hunks.Of(f.Changes, texts[0], texts[1], around) {
		one := OwnedHunk{Hunk: h}
		for _, l := range h.Lines {
			owned := OwnedLine{Line: l}
			if l.Sign == hunks.Added && next < len(f.owners) {
				owned.Owner = f.owners[next]
				next++
			}
			one.Lines = append(one.Lines, owned)
		}
		all = append(all, one)
	}
	return all, nil
}

// text is a version's content, as git compares it.
func (d *OwnedDiff) text(e gitexec.Entry) (string, error) {
	switch {
	case !e.Exists():
		return "", nil
	// The commit of a submodule is in another repository: git compares this line instead.
	case e.Mode == gitexec.ModeGitlink:
		return fmt.Sprintf("Subproject commit %s\n", e.ID), nil
	}
	data, err := d.db.Blob(e.ID, largestDiffed)
	if large := new(gitexec.TooLargeError); errors.As(err, &large) {
		return "", ErrTooLarge
	}
	return string(data), err
}
