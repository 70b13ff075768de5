package query

import (
	"cmp"
	"slices"

	"entire-plumb/gitexec"
	"entire-plumb/internal/attribution"
)

// DiffFile is what changes in one file.
type DiffFile struct {
	Path   gitexec.Path `json:"path"`
	Was    gitexec.Path `json:"old_path,omitempty"` // its former name
	Status string       `json:"status"`             // added, deleted, renamed or modified
	Binary bool         `json:"binary,omitempty"`
	// Generated says that the file is generated or vendored: other commands count its lines apart.
	Generated bool `json:"generated,omitempty"`
	DiffLines

	Old     gitexec.Entry  `json:"-"`
	New     gitexec.Entry  `json:"-"`
	Changes []gitexec.Hunk `json:"-"`
	owners  []*DiffOwner   // of the new lines, in order; nil: nobody's
}

// file is a file's change, with the authors of its lines.
func (d *OwnedDiff) file(p gitexec.FilePatch, sides map[gitexec.Path]gitexec.Change, authors lineAuthors) (*DiffFile, error) {
	f := &DiffFile{Path: cmp.Or(p.New, p.Old), Status: "modified", Binary: p.Binary, Changes: p.Hunks, Old: sides[p.Old].Old, New: sides[p.New].New}
	switch {
	case p.Old == "":
		f.Status, f.Old = "added", gitexec.Entry{}
	case p.New == "":
		f.Status, f.New = "deleted", gitexec.Entry{}
	case p.Old != p.New:
		f.Status, f.Was = "renamed", p.Old
	}
	by := map[int]*DiffOwner{}
	if f.hasLines() {
		if err := authors(p, func(line int, a attribution.Author, human string) { by[line] = d.owner(a, human) }); err != nil {
			return nil, err
		}
	}
	for _, h := range p.Hunks {
		for i := range h.NewLines {
			f.owners = append(f.owners, by[h.NewStart+i])
		}
	}
	f.count()
	return f, nil
}

// hasLines reports whether the new version is text. Symlinks and submodules have no lines, and
// those of a deleted file are nobody's any more.
func (f *DiffFile) hasLines() bool { return !f.Binary && f.New.IsFile() }

// count counts the file's lines.
func (f *DiffFile) count() {
	f.DiffLines = DiffLines{}
	// Of a text that was deleted the lines count as removed. Of anything that becomes or stays
	// binary, a symlink or a submodule, there are no lines.
	if !f.hasLines() && (f.New.Exists() || !f.Old.IsFile()) {
		return
	}
	for _, h := range f.Changes {
		f.Removed += h.OldLines
	}
	for _, o := range f.owners {
		switch {
		case o == nil:
			f.Older++
		case o.Kind == attribution.Agent:
			f.Agent++
		case o.Kind == attribution.Human:
			f.Human++
		default:
			f.Unknown++
		}
	}
}

// limited is the part with the changes alone in which there are lines that it is about; none: it
// has none.
func (part *DiffPart) limited() []*DiffPart {
	if part.only != nil {
		var files []*DiffFile
		for _, f := range part.Files {
			if few := f.limited(part.only); few != nil {
				files = append(files, few)
			}
		}
		part.Files = files
	}
	// A turn that has nothing left here is no chapter. A whole commit or range is one, also where
	// it changes nothing.
	if len(part.Files) == 0 && (part.only != nil || part.Turn != "") {
		return nil
	}
	for _, f := range part.Files {
		part.Add(f.DiffLines)
	}
	return []*DiffPart{part}
}

// limited is the file with those of its changes that have wanted lines; nil: none has.
func (f *DiffFile) limited(wanted func([]*DiffOwner) bool) *DiffFile {
	few := *f
	few.Changes, few.owners = nil, nil
	at := 0
	for _, h := range f.Changes {
		// Owners are listed for the new lines of all changes in a row.
		owners := f.owners[at : at+h.NewLines]
		at += h.NewLines
		if wanted(owners) {
			few.Changes, few.owners = append(few.Changes, h), append(few.owners, owners...)
		}
	}
	if len(few.Changes) == 0 {
		return nil
	}
	few.count()
	return &few
}

// haveLinesOf reports whether a change has lines of a session's turn; with an empty name of any.
func haveLinesOf(session, turn string) func([]*DiffOwner) bool {
	return func(owners []*DiffOwner) bool {
		return slices.ContainsFunc(owners, func(o *DiffOwner) bool {
			return o != nil && o.Kind == attribution.Agent && (session == "" || o.Session == session) && (turn == "" || o.Turn == turn)
		})
	}
}
