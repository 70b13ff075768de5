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

// shown is how much of some work is somewhere, and what shows it best.
type shown struct {
	presence
	by string
}

func (s *shown) note(p presence, by string) {
	if p > s.presence {
		*s = shown{p, by}
	}
}

// changed is what of a session's work one tree has beyond another. of selects lines that were added
// to a file, and lines that were taken out; an empty one stands for the file itself.
func (m *model) changed(session string, old, now files, of func(file, line string, added bool) bool) (best shown) {
	had := keysIn(old)
	for _, c := range m.blobs.diff(old, now) {
		name := string(c.Path)
		most := present
		if len(m.renamers[name]) > 0 {
			most = remnant // another may have moved a line there
		}
		if m.renamers[name][session] && of(name, "", true) {
			best.note(remnant, "the name "+name)
		}
		for _, line := range now[name].lines() {
			if had[key(line)] == 0 && of(name, key(line), true) {
				best.note(min(most, added(line, session)), line)
			}
		}
		lines, has := old[name].lines(), now[name].lines()
		if !c.New.Exists() {
			lines = []string{""}
		}
		for _, line := range lines {
			if !slices.Contains(has, line) && m.ledger.removed[place{name, line}][session] && of(name, line, false) {
				best.note(remnant, "without "+line)
			}
		}
	}
	return best
}

// anyWork is all of a session's.
func anyWork(string, string, bool) bool { return true }

// onStream is what of a stream's work a worktree has uncommitted.
func (m *model) onStream(s *stream, worktree files) (best shown) {
	for _, t := range s.turns {
		if t.part == shadow.Human {
			continue
		}
		had, has := keysIn(t.before), keysIn(t.after)
		here := m.changed(t.session, m.head.tree, worktree, func(file, line string, added bool) bool {
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
		best.note(here.presence, here.by)
		for _, c := range m.blobs.diff(t.before, t.after) { // it may have taken out what isn't committed
			if name := string(c.Path); m.blobs.entry(worktree, name) == c.New && m.blobs.entry(m.head.tree, name) != c.New {
				best.note(remnant, "")
			}
		}
	}
	return best
}

// checkStream: a turn goes on with a stream whose work is in the worktree, the one with significant
// work if there is one; else it has a new one, which is chosen nil.
func (m *model) checkStream(chosen *stream, worktree files) {
	m.tally.Decisions++
	has, what := absent, wrongNew
	if chosen != nil {
		has = m.onStream(chosen, worktree).presence
		if what = wrongSame; has == absent {
			m.fail(wrongSame, "nothing of %s-%d is in the worktree", chosen.name.Base, chosen.name.Suffix)
			return
		}
	}
	for _, s := range m.allStreams() {
		if other := m.onStream(s, worktree); has < present && other.presence == present {
			m.fail(what, "%s-%d has %q", s.name.Base, s.name.Suffix, other.by)
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
		all := m.changed(s.id, c.new.parent.tree, c.new.tree, anyWork).presence
		isNew := m.changed(s.id, c.old.tree, c.new.tree, anyWork)
		switch {
		case had[s.id]:
		case isNew.presence == present, found && all == present:
			if m.tally.Links++; !found {
				m.fail(missedLink, "%s to %s: %q", short(string(c.new.id)), s.id, isNew.by)
			}
		case !found:
		case max(all, isNew.presence) > absent || slices.ContainsFunc(m.blobs.diff(c.new.parent.tree, c.new.tree),
			func(f gitexec.Change) bool { return m.edited[s.id][string(f.Path)] }):
			m.tally.Skipped++
		default:
			m.fail(wrongLink, "%s to %s: %s", short(string(c.new.id)), s.id, reason)
		}
	}
}

// checkLost: each line of a session's that is in the worktree or in a stash entry is in a commit,
// or on a stream.
func (m *model) checkLost() {
	kept := map[string]bool{}
	keep := func(tree files) {
		for line := range keysIn(tree) {
			kept[line] = true
		}
	}
	for _, s := range m.streams {
		for _, t := range s.turns {
			keep(t.after)
		}
	}
	for _, n := range m.nodes {
		keep(n.tree)
	}
	trees := []files{m.worktree}
	for _, e := range m.stash {
		trees = append(trees, e.tree)
	}
	for _, tree := range trees {
		for _, content := range tree {
			for _, line := range content.lines() {
				if who, ok := authorOf(line); ok && who != human && !kept[key(line)] && !m.lost[key(line)] {
					m.lost[key(line)] = true
					m.fail(lostWork, "%s's line %q", who, line)
				}
			}
		}
	}
}

func (m *model) fail(k kind, format string, args ...any) {
	what := fmt.Sprintf(format, args...)
	m.tally.fail(failure{Kind: k, Step: m.step, Op: m.op, What: what})
	m.say("# %s: %s", k, what)
}
