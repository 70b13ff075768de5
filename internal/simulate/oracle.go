package main

import (
	"strings"

	"entire-plumb/gitexec"
)

// The oracle knows from the marks which work is where; it never compares contents.

// alive are the traces of the agents' work that a tree has uncommitted.
func (w *world) alive(t tree) map[mark]bool {
	all := map[mark]bool{}
	for _, m := range t.beyond(w.head.tree) {
		all[m] = true
	}
	return all
}

// presence is the share of a stream's work in the worktree.
type presence int

const (
	absent  presence = iota
	remnant          // a brace or two: no answer is wrong
	present
)

func (w *world) presence(s *stream, alive map[mark]bool) presence {
	found := absent
	for m := range s.work(w) {
		switch {
		case !alive[m]:
		case w.substance(m):
			return present
		default:
			found = remnant
		}
	}
	return found
}

// judge compares a decision with the truth: chosen is nil for a new stream. The decision is right
// if it is right for one of the moments.
func (t *tally) judge(w *world, chosen *stream, all streams, asked func(*stream) bool, evidence func() string, moments ...tree) {
	t.Decisions++
	var back *stream
	for _, at := range moments {
		alive := w.alive(at)
		back = nil
		for _, s := range all {
			if w.presence(s, alive) == present {
				back = s
				break
			}
		}
		if chosen == nil && back == nil || chosen != nil && w.presence(chosen, alive) != absent {
			return
		}
	}
	if chosen != nil {
		t.fail(&t.WrongSame, "wrong same", evidence(), w)
		return
	}
	kind := "its stream was not asked"
	if asked(back) {
		kind = w.trace(back.work(w), moments[0], w.head.tree)
	}
	t.fail(&t.WrongNew, "wrong new", kind, w)
}

// trace describes the agent's work in a tree that a rule didn't find.
func (w *world) trace(work map[mark]bool, t, base tree) string {
	written, everyday, kept, indented := 0, 0, 0, 0
	kinds := map[byte]bool{}
	for path, f := range t {
		for _, m := range f.beyond(base[path]) {
			if !work[m] || !w.substance(m) {
				continue
			}
			kinds[m.what] = true
			if m.what != '+' {
				continue
			}
			written++
			now := f.lines[f.lineAt(m.id)]
			switch was := w.first(m); {
			case now.kind == common:
				everyday++
			case now.text == was:
				kept++
			case strings.TrimSpace(now.text) == strings.TrimSpace(was):
				indented++
			}
		}
	}
	switch {
	case kinds['x'] || kinds['b'] || kinds['m']:
		return "a deletion, a mode or a binary file"
	case written == 0:
		return "only lines taken out are left of it"
	case kept > 0:
		return "some of its lines are left as they were"
	case everyday > 0:
		return "only lines that code is full of are left of it"
	case indented > 0:
		return "the human indented all that is left of it"
	}
	return "the human changed every line that is left of it"
}

// first is a line as the agent wrote it.
func (w *world) first(m mark) string {
	for _, l := range w.units[m.unit].lines {
		if l.id == m.id {
			return l.text
		}
	}
	return ""
}

// similarLines describes the lines that a rule took for a stream's work by mistake.
func (w *world) similarLines(s *stream, found []string) string {
	wrote := map[string]bool{}
	for m := range s.work(w) {
		if m.what == '+' {
			wrote[w.first(m)] = true
		}
	}
	kind := "lines that code is full of"
	for _, text := range found {
		if w.isCommon(text) {
			continue
		}
		if wrote[text] {
			return "somebody else wrote the same line"
		}
		kind = "a line of the human's, or of dismissed work, taken for the agent's"
	}
	return kind
}

func (w *world) isCommon(text string) bool {
	for _, c := range commons {
		if strings.TrimSpace(c) == strings.TrimSpace(text) {
			return true
		}
	}
	return false
}

// authors are the sessions whose work is in one tree and not in another.
func (w *world) authors(t, old tree) map[string]presence {
	all := map[string]presence{}
	for _, m := range t.beyond(old) {
		s := w.units[m.unit].session
		if w.substance(m) {
			all[s] = present
		} else {
			all[s] = max(all[s], remnant)
		}
	}
	return all
}

// ofSession are the traces of a session's work in a tree that another doesn't have.
func (w *world) ofSession(session string, t, old tree) map[mark]bool {
	all := map[mark]bool{}
	for _, m := range t.beyond(old) {
		if w.units[m.unit].session == session {
			all[m] = true
		}
	}
	return all
}

// judgeCommit compares the sessions of a commit's checkpoint with those whose work is in the
// commit. had are the sessions of an amended commit's predecessor.
func (t *tally) judgeCommit(w *world, c committing, parent tree, named map[string]string, had map[string]bool) {
	t.Commits++
	inCommit, isNew := w.authors(c.new.tree, parent), w.authors(c.new.tree, c.old.tree)
	for s, reason := range named {
		if inCommit[s] == absent && !had[s] {
			t.fail(&t.LinkWrong, "wrong link", reason, w)
		}
	}
	for s, p := range isNew {
		if _, ok := named[s]; p == present && !ok && !had[s] {
			t.fail(&t.LinkMissed, "missed link", w.trace(w.ofSession(s, c.new.tree, c.old.tree), c.new.tree, c.old.tree), w)
		}
	}
}

// looksFor counts the work that is uncommitted or in a stash entry, and missing from everything
// recorded. Each piece counts once.
func (t *tally) looksFor(w *world, lost map[int]bool, held func(m mark, path string, f *file) bool) {
	check := func(m mark, path string, f *file) {
		if w.substance(m) && !lost[m.unit] && !held(m, path, f) {
			lost[m.unit] = true
			t.fail(&t.Lost, "lost", w.trace(map[mark]bool{m: true}, tree{"f": f}, tree{}), w)
		}
	}
	for path, f := range w.worktree {
		for _, m := range f.beyond(w.head.tree[path]) {
			check(m, path, f)
		}
	}
	for _, s := range w.stashes {
		for path, f := range s.changed {
			if f.version() == w.head.tree.version(path) {
				continue // committed work isn't lost
			}
			for _, m := range f.beyond(s.base[path]) {
				if !w.head.tree[path].has(m) {
					check(m, path, f)
				}
			}
		}
	}
}

func version(t tree, path gitexec.Path) gitexec.Entry { return t.version(string(path)) }
