package main

import (
	"strings"

	"entire-plumb/gitexec"
)

// line is one line of a text. It keeps its identity when it is tweaked, indented, stashed or
// committed.
type line struct {
	id   int
	unit int // the piece of an agent's work that wrote it; 0: the human, or there from the start
	kind kind
	text string
}

// kind is how significant a line is.
type kind int

const (
	blank kind = iota
	common
	distinct
)

// file is one version of a file, never changed once made. The marks on it say which pieces of the
// agents' work are in it.
type file struct {
	mode     string
	modeUnit int // who made its mode what it is
	data     string
	dataUnit int // who wrote its data, if it is binary
	lines    []line
	taken    map[int]mark // lines that agents took out, by ID
	gone     bool         // there is no file: it was deleted
	goneUnit int          // by whom
	entry    gitexec.Entry
	marks    []mark
}

// mark is one trace of an agent's work in a version: a line added, a line removed, a mode,
// data, or the file's absence.
type mark struct {
	unit int
	what byte // '+', '-', 'm', 'b' or 'x'
	id   int  // of the line
	kind kind
}

// tree is the files of a worktree, an index or a commit. Files that an agent deleted are kept,
// marked.
type tree map[string]*file

func (f *file) exists() bool { return f != nil && !f.gone }

func (f *file) version() gitexec.Entry {
	if !f.exists() {
		return gitexec.Entry{}
	}
	return f.entry
}

func (f *file) binary() bool { return f.data != "" }

func (f *file) content() string {
	if f.binary() {
		return f.data
	}
	var b strings.Builder
	for _, l := range f.lines {
		b.WriteString(l.text)
		b.WriteByte('\n')
	}
	return b.String()
}

// allMarks lists the traces in a version, each once.
func (f *file) allMarks() []mark {
	if f == nil || f.marks != nil {
		if f == nil {
			return nil
		}
		return f.marks
	}
	marks := []mark{}
	add := func(m mark) {
		if m.unit != 0 {
			marks = append(marks, m)
		}
	}
	if f.gone {
		add(mark{f.goneUnit, 'x', 0, distinct})
	} else {
		for _, l := range f.lines {
			add(mark{l.unit, '+', l.id, l.kind})
		}
		for _, m := range f.taken {
			add(m)
		}
		add(mark{f.modeUnit, 'm', 0, distinct})
		add(mark{f.dataUnit, 'b', 0, distinct})
	}
	f.marks = marks
	return marks
}

func (f *file) has(m mark) bool {
	for _, other := range f.allMarks() {
		if other.unit == m.unit && other.what == m.what && other.id == m.id {
			return true
		}
	}
	return false
}

func (f *file) lineAt(id int) int {
	if f.exists() {
		for i, l := range f.lines {
			if l.id == id {
				return i
			}
		}
	}
	return -1
}

// beyond lists the traces in a version that the version in old doesn't show, and that make a
// difference to it.
func (f *file) beyond(old *file) []mark {
	var more []mark
	for _, m := range f.allMarks() {
		if old.has(m) {
			continue
		}
		switch m.what {
		case '-':
			if old.lineAt(m.id) < 0 {
				continue
			}
		case 'm':
			if old.exists() && old.mode == f.mode {
				continue
			}
		case 'b':
			if old.exists() && old.data == f.data {
				continue
			}
		case 'x':
			if !old.exists() {
				continue
			}
		}
		more = append(more, m)
	}
	return more
}

// beyond lists the agents' work in a tree that another tree doesn't have.
func (t tree) beyond(old tree) []mark {
	var more []mark
	for path, f := range t {
		more = append(more, f.beyond(old[path])...)
	}
	return more
}

func (t tree) clone() tree {
	c := make(tree, len(t)+1)
	for path, f := range t {
		c[path] = f
	}
	return c
}

func (t tree) version(path string) gitexec.Entry { return t[path].version() }

// diff lists the files that differ, as git would.
func diff(a, b tree) []gitexec.Change {
	var changes []gitexec.Change
	for _, path := range union(a, b) {
		if old, now := a.version(path), b.version(path); old != now {
			changes = append(changes, gitexec.Change{Path: gitexec.Path(path), Old: old, New: now})
		}
	}
	return changes
}
