package main

import (
	"fmt"
	"slices"

	"entire-plumb/gitexec"
	"entire-plumb/shadow"
)

// presence is how much of some work is somewhere.
type presence int

const (
	absent  presence = iota
	remnant          // a short line, or what was taken out or moved: no answer is wrong
	present
)

// keysIn counts the lines of a tree, whatever their form.
func keysIn(tree files) map[string]int {
	times := map[string]int{}
	for _, content := range tree {
		for _, line := range content.lines() {
			times[key(line)]++
		}
	}
	return times
}

// added is what a session's work is that a line of it is there.
func added(line, session string) presence {
	switch who, ok := authorOf(line); {
	case !ok || who != session:
		return absent
	case significant(line):
		return present
	}
	return remnant
}

// changed is what of a session's work one tree has beyond another, and what shows it best. of
// selects lines that were added to a file, and lines that were taken out; an empty one stands for
// the file itself.
func (m *model) changed(session string, old, now files, of func(file, line string, added bool) bool) (best presence, by string) {
	note := func(p presence, what string) {
		if p > best {
			best, by = p, what
		}
	}
	had := keysIn(old)
	for _, c := range m.blobs.diff(old, now) {
		name := string(c.Path)
		if slices.Contains(m.renamers[name], session) && of(name, "", true) {
			note(remnant, "the name "+name)
		}
		for _, line := range now[name].lines() {
			if had[key(line)] > 0 || !of(name, key(line), true) {
				continue
			}
			if p := added(line, session); len(m.renamers[name]) > 0 { // another may have moved it there
				note(min(p, remnant), line)
			} else {
				note(p, line)
			}
		}
		lines, has := old[name].lines(), now[name].lines()
		if !c.New.Exists() {
			lines = []string{""}
		}
		for _, line := range lines {
			if !slices.Contains(has, line) && m.ledger.removed[place{name, line}][session] && of(name, line, false) {
				note(remnant, "without "+line)
			}
		}
	}
	return best, by
}

// anyWork is all of a session's.
func anyWork(string, string, bool) bool { return true }

// onStream is what of a stream's work a worktree has uncommitted.
func (m *model) onStream(s *stream, worktree files) (best presence, by string) {
	for _, t := range s.turns {
		if t.part == shadow.Human {
			continue
		}
		had, has := keysIn(t.before), keysIn(t.after)
		here, line := m.changed(t.session, m.head.tree, worktree, func(file, line string, added bool) bool {
			_, was := t.before[file]
			_, is := t.after[file]
			switch {
			case line == "":
				return was != is && is == added
			case added:
				return had[line] == 0 && has[line] > 0
			}
			return slices.Contains(t.before[file].lines(), line) && !slices.Contains(t.after[file].lines(), line)
		})
		if here > best {
			best, by = here, line
		}
		for _, c := range m.blobs.diff(t.before, t.after) { // it may have taken out what isn't committed
			if name := string(c.Path); m.blobs.entry(worktree, name) == c.New && m.blobs.entry(m.head.tree, name) != c.New {
				best = max(best, remnant)
			}
		}
	}
	return best, by
}

// checkStream: a turn goes on with a stream whose work is in the worktree, the one with significant
// work if there is one; else it has a new one, which is chosen nil.
func (m *model) checkStream(chosen *stream, worktree files) {
	m.tally.Decisions++
	has, what := absent, wrongNew
	if chosen != nil {
		has, _ = m.onStream(chosen, worktree)
		if what = wrongSame; has == absent {
			m.fail(wrongSame, fmt.Sprintf("nothing of %s-%d is in the worktree", chosen.name.Base, chosen.name.Suffix))
			return
		}
	}
	for _, s := range m.record.all() {
		if other, line := m.onStream(s, worktree); has < present && other == present {
			m.fail(what, fmt.Sprintf("%s-%d has %q", s.name.Base, s.name.Suffix, line))
			return
		}
	}
}

// checkLinked: a commit links the sessions whose work is new in it, and no other, but that a file
// that a session changed counts. reasons are those of the sessions that were found; had are those
// of checkpoints that it keeps.
func (m *model) checkLinked(c committing, reasons map[string]string, had map[string]bool) {
	m.tally.Commits++
	for _, s := range m.sessions {
		reason, found := reasons[s.id]
		all, _ := m.changed(s.id, c.new.parent.tree, c.new.tree, anyWork)
		isNew, line := m.changed(s.id, c.old.tree, c.new.tree, anyWork)
		switch {
		case had[s.id]:
		case isNew == present, found && all == present:
			if m.tally.Links++; !found {
				m.fail(missedLink, fmt.Sprintf("%s to %s: %q", short(string(c.new.id)), s.id, line))
			}
		case !found:
		case max(all, isNew) > absent || slices.ContainsFunc(m.blobs.diff(c.new.parent.tree, c.new.tree),
			func(f gitexec.Change) bool { return m.edited[s.id][string(f.Path)] }):
			m.tally.Skipped++
		default:
			m.fail(wrongLink, fmt.Sprintf("%s to %s: %s", short(string(c.new.id)), s.id, reason))
		}
	}
}

// checkLost: each line of a session's that is in the worktree or in a stash entry is in a commit,
// or on a stream.
func (m *model) checkLost() {
	var kept []map[string]int
	for _, s := range m.record.streams {
		for _, t := range s.turns {
			kept = append(kept, keysIn(t.after))
		}
	}
	for _, n := range m.nodes {
		kept = append(kept, keysIn(n.tree))
	}
	check := func(tree files) {
		for _, content := range tree {
			for _, line := range content.lines() {
				who, ok := authorOf(line)
				if !ok || who == human || m.lost[key(line)] || slices.ContainsFunc(kept, func(of map[string]int) bool { return of[key(line)] > 0 }) {
					continue
				}
				m.lost[key(line)] = true
				m.fail(lostWork, fmt.Sprintf("%s's line %q", who, line))
			}
		}
	}
	check(m.worktree)
	for _, e := range m.stash {
		tree := files{}
		for name, version := range e.changed {
			m.blobs.put(tree, name, version)
		}
		check(tree)
	}
}

func (m *model) fail(k kind, what string) {
	m.tally.fail(failure{Kind: k, Step: m.step, Op: m.op, What: what})
	m.say("# %s: %s", k, what)
}
