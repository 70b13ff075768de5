package ownership

import (
	"maps"

	"entire-plumb/gitexec"
)

// File is a file after some steps.
type File struct {
	Lines   Lines
	Removed int  // lines of the base that the human took out and put none in the place of
	NoText  bool // binary, a symlink or a submodule: it has no lines
}

// History is what became of the files, step by step. A file that no step touched yet is all the
// base's.
type History struct {
	Files map[gitexec.Path]File // those that were touched and are there
	begun map[gitexec.Path]Lines
}

// NewHistory begins one. begun says whose the lines of files are from which more is known than that
// they were there before; it may be nil.
func NewHistory(begun map[gitexec.Path]Lines) *History {
	return &History{Files: map[gitexec.Path]File{}, begun: begun}
}

// Clone gives a copy that goes on by itself.
func (h *History) Clone() *History { return &History{Files: maps.Clone(h.Files), begun: h.begun} }

// Step plays one step: all that it did to files, at once, since names may change places. It is an
// agent's turn, or the human's (Added).
func (h *History) Step(patches []gitexec.FilePatch, by Owner) {
	was := make([]File, len(patches))
	for i, p := range patches {
		was[i] = h.at(p.Old)
	}
	for _, p := range patches {
		delete(h.Files, p.Old)
	}
	for i, p := range patches {
		if p.New != "" {
			h.Files[p.New] = was[i].step(p, by)
		}
	}
}

func (h *History) at(path gitexec.Path) File {
	if path == "" {
		return File{}
	}
	if f, ok := h.Files[path]; ok {
		return f
	}
	if lines, ok := h.begun[path]; ok {
		return File{Lines: lines}
	}
	return File{Lines: Whole(Base)}
}

func (f File) step(p gitexec.FilePatch, by Owner) File {
	switch {
	case p.Binary || p.Mode == gitexec.ModeSymlink || p.Mode == gitexec.ModeGitlink:
		return File{NoText: true}
	case f.NoText: // it became a text, and what its lines were made of nobody knows
		return File{Lines: Whole(Unknown)}
	}
	after, removed := f.Lines.Apply(p.Hunks, by)
	if by != Added {
		removed = 0
	}
	return File{Lines: after, Removed: f.Removed + removed}
}
