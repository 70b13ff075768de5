package main

import (
	"fmt"
	"slices"

	"entire-plumb/gitexec"
)

// agentEdits makes one edit in one file, as an agent in its turn. It reports whether a file allowed
// it.
func (w *world) agentEdits() bool {
	n := w.begin()
	before := w.worktree.clone()
	switch r := w.rng.IntN(100); {
	case r < 38:
		w.agentInserts(n, w.code(1+w.rng.IntN(10), n))
	case r < 58:
		w.agentReplaces(n)
	case r < 68:
		w.agentTakesOut(n)
	case r < 76:
		w.agentInserts(n, w.repeated(n))
	case r < 79:
		w.agentMoves(n)
	case r < 88:
		w.put(fmt.Sprintf("new%d.go", w.rng.IntN(6)), &file{mode: gitexec.ModeFile, lines: w.code(3+w.rng.IntN(20), n)})
	case r < 91:
		w.agentDeletes(n)
	case r < 93:
		w.agentRenames(n)
	case r < 96:
		w.agentChangesMode(n)
	default:
		w.put(fmt.Sprintf("image%d.bin", w.rng.IntN(2)), &file{mode: gitexec.ModeFile, data: fmt.Sprintf("\x00image %d", w.next()),
			dataUnit: n})
	}
	w.note(n)
	return len(diff(before, w.worktree)) > 0
}

// note records the kind of a piece of work, and its lines.
func (w *world) note(n int) {
	u := w.units[n]
	for _, f := range w.worktree {
		for _, m := range f.allMarks() {
			if m.unit == n {
				u.kind = max(u.kind, m.kind)
			}
		}
		for _, l := range f.lines {
			if l.unit == n {
				u.lines = append(u.lines, l)
			}
		}
	}
}

func (w *world) agentInserts(_ int, lines []line) {
	if path, f := w.text(); f != nil && len(lines) > 0 {
		w.put(path, f.insert(w.rng.IntN(len(f.lines)+1), lines))
	}
}

func (w *world) agentReplaces(n int) {
	if path, f := w.text(); f != nil {
		at, count := w.span(f, 4)
		w.put(path, f.replace(at, count, w.code(1+w.rng.IntN(5), n), n))
	}
}

func (w *world) agentTakesOut(n int) {
	if path, f := w.text(); f != nil {
		at, count := w.span(f, 6)
		w.put(path, f.without(at, count, n))
	}
}

// agentMoves moves a few lines.
func (w *world) agentMoves(n int) {
	if path, f := w.text(); f != nil {
		at, count := w.span(f, 8)
		moved := slices.Clone(f.lines[at : at+count])
		for i := range moved {
			moved[i].id, moved[i].unit = w.next(), n
		}
		g := f.without(at, count, n)
		w.put(path, g.insert(w.rng.IntN(len(g.lines)+1), moved))
	}
}

// repeated writes missing lines that an agent wrote before: the same prompt gets a similar answer.
func (w *world) repeated(n int) []line {
	there := map[string]bool{}
	for _, f := range w.worktree {
		for _, l := range f.lines {
			there[l.text] = true
		}
	}
	var lines []line
	for _, u := range w.units[max(1, len(w.units)-8):] {
		for _, l := range u.lines {
			if !there[l.text] || l.kind != distinct {
				l.id, l.unit = w.next(), n
				lines = append(lines, l)
			}
		}
		if len(lines) > 1 {
			break
		}
		lines = nil
	}
	if len(lines) > 0 { // nearly
		lines[w.rng.IntN(len(lines))] = w.code(1, n)[0]
	}
	return lines
}

func (w *world) agentDeletes(n int) {
	if paths := w.paths(func(string, *file) bool { return true }); len(paths) > 2 {
		w.put(pick(w.rng, paths), &file{gone: true, goneUnit: n})
	}
}

func (w *world) agentRenames(n int) {
	if path, f := w.text(); f != nil {
		lines := slices.Clone(f.lines)
		for i := range lines {
			if m := (mark{lines[i].unit, '+', lines[i].id, 0}); m.unit == 0 || w.head.tree.holds(m) {
				lines[i].unit = n
			}
		}
		w.put(path, &file{gone: true, goneUnit: n})
		w.put(fmt.Sprintf("moved%d.go", w.rng.IntN(4)), f.with(lines))
	}
}

func (w *world) agentChangesMode(n int) {
	paths := w.paths(func(string, *file) bool { return true })
	if len(paths) == 0 {
		return
	}
	path := pick(w.rng, paths)
	g := *w.worktree[path]
	g.modeUnit, g.marks = n, nil
	if g.mode == gitexec.ModeFile {
		g.mode = gitexec.ModeExec
	} else {
		g.mode = gitexec.ModeFile
	}
	w.put(path, &g)
}
