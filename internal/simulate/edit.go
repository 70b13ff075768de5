package main

import (
	"maps"
	"slices"
)

// with returns a version with other lines.
func (f *file) with(lines []line) *file {
	return &file{mode: f.mode, modeUnit: f.modeUnit, lines: lines, taken: f.taken}
}

// insert inserts lines at an index.
func (f *file) insert(at int, lines []line) *file {
	return f.with(slices.Insert(slices.Clone(f.lines), at, lines...))
}

// without removes n lines at an index. If an agent does it, the version keeps its mark.
func (f *file) without(at, n, unit int) *file {
	g := f.with(slices.Delete(slices.Clone(f.lines), at, at+n))
	if unit == 0 {
		return g
	}
	g.taken = maps.Clone(f.taken)
	if g.taken == nil {
		g.taken = map[int]mark{}
	}
	for _, l := range f.lines[at : at+n] {
		g.taken[l.id] = mark{unit, '-', l.id, l.kind}
	}
	return g
}

// replace replaces n lines.
func (f *file) replace(at, n int, lines []line, unit int) *file {
	return f.without(at, n, unit).insert(at, lines)
}

// without reverts one piece of an agent's work in a text: its lines are removed, and the lines that
// it removed are restored from the version in base.
func without(f, base *file, unit int) *file {
	g := f.with(slices.DeleteFunc(slices.Clone(f.lines), func(l line) bool { return l.unit == unit }))
	if !base.exists() {
		return g
	}
	g.taken = maps.Clone(f.taken)
	for i, l := range base.lines {
		if m, ok := f.taken[l.id]; !ok || m.unit != unit {
			continue
		}
		delete(g.taken, l.id)
		at := 0
		for j := i - 1; j >= 0 && at == 0; j-- {
			at = g.lineAt(base.lines[j].id) + 1
		}
		if g.lineAt(l.id) < 0 {
			g.lines = slices.Insert(g.lines, at, l)
		}
	}
	return g
}

// pieceOfText picks a text with uncommitted work of an agent, and one piece of it.
func (w *world) pieceOfText() (string, *file, int) {
	texts := w.paths(func(path string, f *file) bool { return !f.binary() && len(w.inText(path)) > 0 })
	if len(texts) == 0 {
		return "", nil, 0
	}
	path := pick(w.rng, texts)
	return path, w.worktree[path], pick(w.rng, w.inText(path))
}

// inText lists the pieces of agents' work in a text's lines.
func (w *world) inText(path string) []int {
	var units []int
	for _, m := range w.worktree[path].beyond(w.head.tree[path]) {
		if (m.what == '+' || m.what == '-') && !slices.Contains(units, m.unit) {
			units = append(units, m.unit)
		}
	}
	slices.Sort(units)
	return units
}

// span picks up to most consecutive lines.
func (w *world) span(f *file, most int) (at, n int) {
	at = w.rng.IntN(len(f.lines))
	return at, 1 + w.rng.IntN(min(most, len(f.lines)-at))
}

func (w *world) text() (string, *file) {
	texts := w.paths(func(_ string, f *file) bool { return !f.binary() && len(f.lines) > 3 })
	if len(texts) == 0 {
		return "", nil
	}
	path := pick(w.rng, texts)
	return path, w.worktree[path]
}
