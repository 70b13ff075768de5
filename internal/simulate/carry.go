package main

import (
	"slices"
	"sort"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/session"
	"entire-plumb/shadow"
)

// rest is a file of one session's work that a commit left over.
type rest struct {
	session string
	path    string
	file    *file
	from    string // the stream that it stays with, if only a stash holds it
}

// carry is condense.CarryForward for the sessions that the commit says something about.
func (p *plumb) carry(w *world, c committing, works []condense.Work, matches []condense.Matched) {
	concerned := func(s *session.State) bool {
		return s.BaseCommit == c.new.parent.id() || slices.ContainsFunc(matches, func(m condense.Matched) bool { return m.Session == s })
	}
	works = slices.DeleteFunc(slices.Clone(works), func(w condense.Work) bool { return !concerned(w.Session) })
	left := p.leftovers(w, c, works)
	for _, s := range p.states {
		if concerned(s) {
			s.BaseCommit, s.ShadowBranchSuffix = c.new.id(), 0
		}
	}
	sort.SliceStable(left, func(i, j int) bool { return left[i].from < left[j].from })
	n := 1
	for len(left) > 0 {
		end := 1
		for end < len(left) && left[end].from == left[0].from {
			end++
		}
		for p.streams[shadow.NewName(c.new.id(), "", n)] != nil {
			n++
		}
		to := &stream{name: shadow.NewName(c.new.id(), "", n)}
		p.carryGroup(c, to, left[:end])
		p.streams[to.name] = to
		n++
		left = left[end:]
	}
	for _, work := range works {
		delete(p.streams, work.Stream.Name)
	}
}

func (p *plumb) carryGroup(c committing, to *stream, group []rest) {
	at := c.new.tree
	done := map[string]bool{}
	for _, r := range group {
		if done[r.session] {
			continue
		}
		done[r.session] = true
		next := at.clone()
		for _, other := range group {
			if other.session == r.session {
				next[other.path] = other.file
			}
		}
		to.steps = append(to.steps, step{session: r.session, before: at, after: next})
		at = next
		for _, s := range p.states {
			if s.SessionID == r.session {
				s.ShadowBranchSuffix = to.name.Suffix
			}
		}
	}
}

// leftovers is condense.leftovers.
func (p *plumb) leftovers(w *world, c committing, works []condense.Work) []rest {
	var left []rest
	for _, work := range works {
		from := p.streams[work.Stream.Name]
		for _, changes := range byFile(from, work.Session.SessionID) {
			path := string(changes.changes[0].Path)
			committed := c.new.tree.version(path)
			if changes.after.version() == committed {
				continue
			}
			versions := []gitexec.Entry{w.worktree.version(path)}
			for i := len(w.stashes) - 1; i >= 0; i-- {
				f, ok := w.stashes[i].changed[path]
				if !ok {
					f = w.stashes[i].base[path]
				}
				versions = append(versions, f.version())
			}
			at, _ := condense.Whereabouts(changes.changes, versions, committed, w.texts, p.match)
			switch {
			case at == 0:
				left = append(left, rest{work.Session.SessionID, path, w.worktree[path], ""})
			case at > 0:
				left = append(left, rest{work.Session.SessionID, path, changes.after, work.Stream.Ref()})
			}
		}
	}
	return left
}
