package main

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// edits has somebody change something in the worktree, and notes what the text doesn't say.
func (w *world) edits(s *session, do func()) { w.editsNamed(s, "", "", do) }

// editsNamed may also rename a file.
func (w *world) editsNamed(s *session, from, to string, do func()) {
	before := read(w.at.dir)
	do()
	after := read(w.at.dir)
	w.ledger.changed(s.name(), before, after, from, to)
	w.touchChanged(s, before, after)
	if from == "" {
		return
	}
	w.renamers.add(to, s.name())
	for who := range w.renamers[from] {
		w.renamers.add(to, who)
	}
	w.renamers[from] = w.renamers[to] // it is deleted
	w.origins[to] = append(slices.Clone(w.origins[from]), before[from])
	if s != nil {
		w.origins[to] = append(w.origins[to], s.from[from])
	}
	for _, stop := range w.stops {
		if stop.tree == w.at {
			w.origins[to] = append(w.origins[to], stop.files[from])
		}
	}
	for who, names := range w.at.touched {
		if names[from] {
			w.at.touch(who, to)
		}
	}
}

// brings has somebody bring content that has its authors, or change its form: that makes nobody its
// author.
func (w *world) brings(s *session, do func()) {
	before := read(w.at.dir)
	do()
	after := read(w.at.dir)
	w.ledger.takenOut(s.name(), before, after, "", "", key)
	w.touchChanged(s, before, after)
}

// touchChanged notes which files a session changed.
func (w *world) touchChanged(s *session, before, after files) {
	for _, name := range union(before.names(), after.names()) {
		if s != nil && before[name] != after[name] {
			w.at.touch(s.id, name)
		}
	}
}

// editFile has somebody edit a file, or write a new one, and returns its name. Files in not are
// left alone.
func (w *world) editFile(s *session, not []string) string {
	name := ""
	w.edits(s, func() {
		all := read(w.at.dir)
		names := slices.DeleteFunc(all.names(), func(n string) bool { return slices.Contains(not, n) })
		fresh := func() string { return w.line(s, name) }
		if len(names) == 0 || w.chance(4) {
			name = w.newName()
			w.write(name, join(several(w.r, fresh)))
			return
		}
		name = pick(w.r, names)
		lines := pick(w.r, edits)(w.r, all[name].lines(), fresh)
		if path.Ext(name) == ".c" && w.chance(4) {
			lines = append(lines, "}") // nobody's
		}
		w.write(name, join(lines))
	})
	return name
}

// newName is that of a file that was never there.
func (w *world) newName() string {
	w.lines++
	dir := pick(w.r, []string{"", "", "", "src/", "odd dir/", "übung/"})
	return fmt.Sprintf("%sf%d.%s", dir, 10+w.lines, pick(w.r, styles).ext)
}

// nameFor is a new name for what a file holds.
func (w *world) nameFor(file string) string {
	name := w.newName()
	return strings.TrimSuffix(name, path.Ext(name)) + path.Ext(file)
}

// someFile is a file, its lines, and all files; empty: there is none.
func (w *world) someFile() (name string, lines []string, all files) {
	all = read(w.at.dir)
	name = pick(w.r, append(all.names(), ""))
	return name, all[name].lines(), all
}

// idle are the sessions that could begin a turn here.
func (w *world) idle() []*session {
	return slices.DeleteFunc(slices.Clone(w.sessions), func(s *session) bool { return s.active })
}

// writes has a session edit some files with its tools, or a shell, and returns their names.
func (w *world) writes(s *session, n int, named bool, not []string) []string {
	var wrote []string
	for range n {
		file := w.editFile(s, not)
		if named || !w.chance(4) {
			w.uses(s, file)
		} else {
			w.runs(s, "make "+file)
		}
		wrote = append(wrote, file)
	}
	return wrote
}

// begins has a session begin a turn.
func (w *world) begins() *session {
	s := pick(w.r, w.idle())
	w.prompt(s)
	return s
}

// somebody has the human do something, or a session in a turn of its own.
func (w *world) somebody(do func(s *session)) {
	if w.chance(2) {
		do(nil)
		return
	}
	s := w.begins()
	do(s)
	w.stop(s)
}

func turn(w *world) {
	s := w.begins()
	if w.chance(12) {
		w.stop(s) // only a question
		return
	}
	w.writes(s, 1+w.r.IntN(3), false, nil)
	switch {
	case w.chance(12):
		w.try(func(w *world) { moveLines(w, s) })
	case w.chance(12):
		w.try(func(w *world) { renameBy(w, s) })
	}
	w.stop(s)
}

// turnWithCommit: the agent commits in its turn, and may go on.
func turnWithCommit(w *world) {
	s := w.begins()
	wrote := w.writes(s, 1+w.r.IntN(3), false, nil)
	w.as(s, func() {
		if w.chance(3) {
			w.git(append([]string{"add", "--"}, wrote...)...)
		} else {
			w.git("add", "-A")
		}
		w.commit(s)
	})
	if w.chance(3) {
		w.writes(s, 1, false, nil)
		if w.chance(2) {
			w.as(s, func() {
				w.git("add", "-A")
				if w.chance(2) {
					w.runs(s, "git commit --amend --no-edit")
					w.git("commit", "-q", "--amend", "--no-edit")
				} else {
					w.commit(s)
				}
			})
		}
	}
	w.stop(s)
}

// turnsAtOnce: two sessions have turns in one worktree, each with files of its own; or one has its
// whole turn inside the other's.
func turnsAtOnce(w *world) {
	idle := w.idle()
	w.need(len(idle) >= 2)
	w.r.Shuffle(len(idle), func(i, j int) { idle[i], idle[j] = idle[j], idle[i] })
	a, b := idle[0], idle[1]
	inside := w.chance(3)
	w.prompt(a)
	w.prompt(b)
	if inside {
		ofB := w.writes(b, 1+w.r.IntN(2), true, nil)
		w.stop(b)
		w.writes(a, 1+w.r.IntN(2), true, ofB)
		w.stop(a)
		return
	}
	ofA := w.writes(a, 1+w.r.IntN(2), true, nil)
	ofB := w.writes(b, 1+w.r.IntN(2), true, ofA)
	if w.chance(2) {
		w.writes(a, 1, true, ofB)
	}
	if a.agent == "claude-code" && w.chance(3) { // others have no mark, and here one process
		w.as(a, func() {
			w.git(append([]string{"add", "--"}, ofA...)...)
			w.commit(a)
		})
	}
	if w.chance(2) {
		a, b = b, a
	}
	w.stop(a)
	w.stop(b)
}

// turnBesideCommit: the human commits in the middle of a turn.
func turnBesideCommit(w *world) {
	s := w.begins()
	w.writes(s, 1+w.r.IntN(2), true, nil)
	w.try(commitAll)
	if w.chance(2) {
		w.writes(s, 1, true, nil)
	}
	w.stop(s)
}

// turnInterrupted: the user interrupts a turn, which has no stop then, and edits other files, or
// commits.
func turnInterrupted(w *world) {
	s := pick(w.r, w.idle())
	w.need(s.agent == "claude-code")
	w.prompt(s)
	wrote := w.writes(s, 1+w.r.IntN(2), true, nil)
	w.tick()
	w.interrupt(s)
	w.clock = w.clock.Add(5_000_000_000)
	if w.chance(2) {
		w.editFile(nil, wrote)
	}
	if w.chance(2) {
		w.try(commitAll)
	}
	if w.chance(3) {
		w.event(s, "session-end", nil)
		s.active = false
		return
	}
	w.prompt(s)
	w.writes(s, 1, false, nil)
	w.stop(s)
}

func humanEdits(w *world) {
	for range 1 + w.r.IntN(2) {
		w.tick()
		w.editFile(nil, nil)
	}
}

// moveLines has somebody move lines from a file to another of the same kind.
func moveLines(w *world, s *session) {
	from, lines, _ := w.someFile()
	w.need(len(lines) >= 3)
	at := w.r.IntN(len(lines) - 1)
	moved := slices.Clone(lines[at : at+1+w.r.IntN(2)])
	rest := slices.Delete(slices.Clone(lines), at, at+len(moved))
	to := from
	w.edits(s, func() {
		if w.chance(2) { // within the file
			w.write(from, join(slices.Insert(rest, w.r.IntN(len(rest)+1), moved...)))
			for _, line := range lines { // which lines moved, git may see otherwise
				if !w.ledger.strict || !significant(line) {
					w.ledger.bring(line, s.name())
				}
			}
			return
		}
		to = w.nameFor(from)
		w.write(to, join(append(moved, w.line(s, to))))
		if !w.chance(3) { // else they are copied
			w.write(from, join(rest))
		}
	})
	w.uses(s, from) // its tools write both files
	if to != from {
		w.uses(s, to)
	}
}

func renames(w *world) {
	done := false
	w.somebody(func(s *session) { done = w.try(func(w *world) { renameBy(w, s) }) })
	w.need(done)
}

// renameBy has somebody rename a file, and perhaps add to it.
func renameBy(w *world, s *session) {
	from, lines, _ := w.someFile()
	// No look has a file that git ignores: whose its lines are under another name is not known.
	w.need(from != "" && !w.asks("check-ignore", "-q", "--", from))
	to := w.nameFor(from)
	w.editsNamed(s, from, to, func() {
		w.runs(s, "mv '"+from+"' '"+to+"'")
		if !w.asks("ls-files", "--error-unmatch", "--", from) || w.chance(2) || !w.git("mv", from, to) {
			w.rename(from, to)
		}
		if w.chance(4) {
			w.write(to, join(appendLines(w.r, lines, func() string { return w.line(s, to) })))
		}
	})
}

func deletes(w *world) {
	names := read(w.at.dir).names()
	w.need(len(names) >= 3)
	gone := pick(w.r, names)
	w.somebody(func(s *session) {
		w.edits(s, func() { w.remove(gone) })
		w.runs(s, "rm '"+gone+"'")
	})
}

func sessionEnds(w *world) {
	for _, s := range w.idle() {
		if s.begun {
			w.event(s, "session-end", nil)
			return
		}
	}
	w.need(false)
}
