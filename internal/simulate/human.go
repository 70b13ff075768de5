package main

import (
	"slices"
	"strings"

	"entire-plumb/gitexec"
)

// humanEdits makes one edit in one file, over an agent's work or beside it.
func (w *world) humanEdits() bool {
	switch r := w.rng.IntN(100); {
	case r < 25:
		return w.humanWrites()
	case r < 33:
		return w.humanAppends()
	case r < 48:
		return w.humanTweaks(false)
	case r < 63:
		return w.humanTweaks(true)
	case r < 70:
		return w.humanIndents()
	case r < 80:
		return w.humanReverts()
	case r < 90:
		return w.humanDeletes()
	case r < 95:
		return w.humanTakesOut()
	case r < 97:
		w.put("notes.txt", &file{mode: gitexec.ModeFile, lines: w.code(2, 0)})
		return true
	default:
		paths := w.paths(func(string, *file) bool { return true })
		if len(paths) < 3 {
			return false
		}
		w.put(pick(w.rng, paths), &file{gone: true})
		return true
	}
}

// humanWrites inserts a few lines anywhere.
func (w *world) humanWrites() bool {
	path, f := w.text()
	if f == nil {
		return false
	}
	at := w.rng.IntN(len(f.lines) + 1)
	w.put(path, f.insert(at, w.code(1+w.rng.IntN(4), 0)))
	return true
}

func (w *world) humanAppends() bool {
	path, f := w.text()
	if f == nil {
		return false
	}
	w.put(path, f.insert(len(f.lines), w.code(1+w.rng.IntN(3), 0)))
	return true
}

// humanTweaks changes one line, an agent's or any.
func (w *world) humanTweaks(agents bool) bool {
	path, f := w.text()
	n := 0
	if agents {
		path, f, n = w.pieceOfText()
	}
	if f == nil {
		return false
	}
	var at []int
	for i, l := range f.lines {
		if l.kind == distinct && (!agents || l.unit == n) {
			at = append(at, i)
		}
	}
	if len(at) == 0 {
		return false
	}
	lines := slices.Clone(f.lines)
	l := &lines[pick(w.rng, at)]
	l.text = tweaked(w.rng, l.text)
	w.put(path, f.with(lines))
	return true
}

// humanIndents indents a piece of an agent's work, as when a block is put around it, or a whole
// file.
func (w *world) humanIndents() bool {
	path, f, n := w.pieceOfText()
	if f == nil {
		return false
	}
	whole := w.rng.IntN(4) == 0
	lines := slices.Clone(f.lines)
	for i, l := range lines {
		if (whole || l.unit == n) && strings.TrimSpace(l.text) != "" {
			lines[i].text = "\t" + l.text
		}
	}
	g := w.made(f.with(lines))
	w.put(path, g)
	return g.version() != f.version()
}

// humanReverts reverts one piece of an agent's work.
func (w *world) humanReverts() bool {
	path, f, n := w.pieceOfText()
	if f == nil {
		return false
	}
	w.put(path, without(f, w.head.tree[path], n))
	return true
}

// humanDeletes deletes some of the lines that agents wrote.
func (w *world) humanDeletes() bool {
	path, f, n := w.pieceOfText()
	if f == nil {
		return false
	}
	g := f.with(slices.DeleteFunc(slices.Clone(f.lines), func(l line) bool { return l.unit == n && w.rng.IntN(2) == 0 }))
	w.put(path, g)
	return len(g.lines) < len(f.lines)
}

func (w *world) humanTakesOut() bool {
	path, f := w.text()
	if f == nil {
		return false
	}
	at, n := w.span(f, 4)
	w.put(path, f.without(at, n, 0))
	return true
}
