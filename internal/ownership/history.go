package ownership

import (
	"maps"

	"entire-plumb/gitexec"
)

// File is a file after some steps.
type File struct {
	Lines   Lines
	Removed int  // lines of the base that the human removed without a replacement
	NoText  bool // binary, a symlink or a submodule: it has no lines
}

// History follows files step by step. All lines of a file that no step touched are the base's.
type History struct {
	Files    map[gitexec.Path]File // those that were touched and exist
	base     map[gitexec.Path]Lines
	versions map[version]File // all that the files were
	content  Content          // nil: the history doesn't read it
	lost     map[gitexec.Path][]lost
}

// version is a file's content.
type version struct {
	path gitexec.Path
	blob gitexec.OID
}

// NewHistory begins a history. base holds the owners of the lines of files of which more is known
// than that they existed before; it may be nil.
func NewHistory(base map[gitexec.Path]Lines) *History {
	return &History{Files: map[gitexec.Path]File{}, base: base, versions: map[version]File{}, lost: map[gitexec.Path][]lost{}}
}

// Reading makes a history read versions where lines may be back that were taken out.
func (h *History) Reading(content Content) *History {
	h.content = content
	return h
}

// Clone returns an independent copy.
func (h *History) Clone() *History {
	return &History{Files: maps.Clone(h.Files), base: h.base, versions: maps.Clone(h.versions), content: h.content, lost: maps.Clone(h.lost)}
}

// Step applies one step: all its changes to files at once, since names may be swapped. It is an
// agent's turn, or the human's (Added). A version that the human brings back, as by a rewind, has the
// owners that it had, and so have an agent's lines that are back in another version: the human may go
// on after a rewind. What an agent writes again is its own: a step may carry work that another one
// carried before.
func (h *History) Step(patches []gitexec.FilePatch, by Owner) {
	was := make([]File, len(patches))
	for i, p := range patches {
		was[i] = h.at(p.Old)
		if p.Old != "" && p.OldBlob != "" {
			h.versions[version{p.Old, p.OldBlob}] = was[i]
		}
	}
	for _, p := range patches {
		delete(h.Files, p.Old)
	}
	h.renameLost(patches)
	after := make([]File, len(patches))
	var added []int
	for i, p := range patches {
		if p.New == "" {
			continue
		}
		f, before := h.versions[version{p.New, p.NewBlob}]
		if !before || by != Added {
			f = was[i].step(p, by)
			if by == Added {
				f = h.giveBack(p, f)
			}
			if p.Old == "" {
				added = append(added, i)
			}
		}
		after[i] = f
	}
	h.movedFiles(patches, was, after, added)
	for i, p := range patches {
		h.lose(p, was[i])
	}
	for i, p := range patches {
		if p.New != "" {
			h.Set(p, after[i])
		}
	}
}

// Set replaces what is known of a file after the last step.
func (h *History) Set(p gitexec.FilePatch, f File) {
	h.Files[p.New] = f
	if p.NewBlob != "" {
		h.versions[version{p.New, p.NewBlob}] = f
	}
}

func (h *History) at(path gitexec.Path) File {
	if path == "" {
		return File{}
	}
	if f, ok := h.Files[path]; ok {
		return f
	}
	if lines, ok := h.base[path]; ok {
		return File{Lines: lines}
	}
	return File{Lines: Whole(Base)}
}

func (f File) step(p gitexec.FilePatch, by Owner) File {
	switch {
	case p.Binary || p.Mode == gitexec.ModeSymlink || p.Mode == gitexec.ModeGitlink:
		return File{NoText: true}
	case f.NoText: // it became a text, and the authors of its lines are unknown
		return File{Lines: Whole(Unknown)}
	}
	after, removed := f.Lines.Apply(p.Hunks, by)
	if by != Added {
		removed = 0
	}
	return File{Lines: after, Removed: f.Removed + removed}
}
