package main

import (
	"slices"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/session"
	"entire-plumb/shadow"
	"entire-plumb/suffix"
)

// filesOf names the files that a session had in a checkpoint when it was made for a commit.
type filesOf struct {
	link    string
	commit  gitexec.OID
	session string
}

// memory is hooks.memory: the sessions' linked commits that reset, or an amend that left work out,
// took out of HEAD's history, and those in it.
type memory struct{ reset, here map[gitexec.OID]bool }

func (p *plumb) memory(w *world, head *commit) memory {
	m := memory{map[gitexec.OID]bool{}, map[gitexec.OID]bool{}}
	for _, s := range p.states {
		for _, l := range s.Linked {
			if l.Rewritten && !l.Dropped {
				continue
			}
			m.here[l.Commit] = head.reaches(l.Commit)
			taken := l.Dropped || slices.ContainsFunc(w.resets, func(tip *commit) bool { return tip.reaches(l.Commit) })
			if taken && !m.here[l.Commit] {
				m.reset[l.Commit] = true
			}
		}
	}
	return m
}

// others are the works that are on no stream: of the turn that is going on, and what is remembered.
func (p *plumb) others(w *world, c committing, states []*session.State, changes []gitexec.Change, m memory) []condense.Work {
	var works []condense.Work
	if c.byAgent {
		works = p.inProgress(w, changes)
	}
	for _, s := range states {
		works = append(append(works, p.redone(w, s, m)...), condense.BackAgain(s, changes)...)
	}
	return works
}

// redone is works.Redone.
func (p *plumb) redone(w *world, s *session.State, m memory) []condense.Work {
	var works []condense.Work
	for i, l := range s.Linked {
		newer := func(other session.Link) bool { return other.ID == l.ID && m.reset[other.Commit] }
		if !m.reset[l.Commit] || !l.Dropped && slices.ContainsFunc(s.Linked[i+1:], newer) {
			continue
		}
		work := condense.Work{Session: s, Link: &s.Linked[i]}
		work.Free = !slices.ContainsFunc(s.Linked, func(other session.Link) bool { return other.ID == l.ID && m.here[other.Commit] })
		was := w.byID[l.Commit]
		for _, c := range diff(was.parent.tree, was.tree) {
			if slices.Contains(p.files[filesOf{l.ID, l.Commit, s.SessionID}], c.Path) {
				work.Changes = append(work.Changes, suffix.Change{Path: c.Path, Before: c.Old, After: c.New})
			}
		}
		works = append(works, work)
	}
	return works
}

// remember notes a commit that holds a session's work.
func (p *plumb) remember(s *session.State, link string, c *commit, files []gitexec.Path) {
	p.files[filesOf{link, c.id(), s.SessionID}] = slices.Clone(files)
	s.Remember(session.Link{ID: link, Commit: c.id()})
}

// trim takes the files out of a checkpoint that its commit doesn't change any more.
func (p *plumb) trim(link string, changes []gitexec.Change) (dropped bool) {
	for id, files := range p.touched[link] {
		kept := slices.DeleteFunc(slices.Clone(files), func(path gitexec.Path) bool {
			return !slices.ContainsFunc(changes, func(c gitexec.Change) bool { return c.Path == path })
		})
		dropped = dropped || len(kept) < len(files)
		p.touched[link][id] = kept
	}
	return dropped
}

// rewrite is hooks.rewriteCheckpoint.
func (p *plumb) rewrite(link string, amended gitexec.OID, c committing, changes []gitexec.Change) {
	dropped := p.trim(link, changes)
	for _, s := range p.states {
		s.Leaves(link, amended, dropped)
		if p.held[link][s.SessionID] {
			p.remember(s, link, c.new, p.touched[link][s.SessionID])
		}
	}
}

// write is what of hooks.writeCheckpoint concerns the checkpoint itself.
func (p *plumb) write(c committing, link string, matches []condense.Matched, changes []gitexec.Change) {
	if p.held[link] == nil {
		p.held[link], p.touched[link] = map[string]bool{}, map[string][]gitexec.Path{}
	}
	for _, m := range matches {
		id := m.Session.SessionID
		p.held[link][id] = true
		p.touched[link][id] = condense.Union(p.touched[link][id], m.Files)
	}
	p.trim(link, changes)
	for _, s := range p.states {
		if p.held[link][s.SessionID] {
			p.remember(s, link, c.new, p.touched[link][s.SessionID])
		}
	}
}

// rebased is what of hooks.postCommit concerns commits that git replays, and hooks.postRewrite.
func (p *plumb) rebased(w *world, moves []move) {
	for _, m := range moves {
		if links := p.links[m.old]; len(links) > 0 {
			p.links[m.new], p.linked = links, append(p.linked, m.new)
		}
	}
	p.rewritten(moves...)
	p.expectLinks(w, committing{new: w.head})
}

// rewritten is hooks.postRewrite.
func (p *plumb) rewritten(moves ...move) {
	now := map[gitexec.OID]gitexec.OID{}
	for _, m := range moves {
		p.moveStreams(m)
		now[m.old.id()] = m.new.id()
	}
	for _, s := range p.states {
		before := slices.Clone(s.Linked)
		s.Rewritten(now)
		for _, l := range before {
			if to, ok := now[l.Commit]; ok {
				p.files[filesOf{l.ID, to, s.SessionID}] = p.files[filesOf{l.ID, l.Commit, s.SessionID}]
			}
		}
	}
}

func (p *plumb) moveStreams(m move) {
	n := p.streams.highest(m.new.id())
	for _, one := range p.streams.on(m.old.id()) {
		n++
		for _, s := range p.states {
			if s.BaseCommit == m.old.id() && s.ShadowBranchSuffix == one.name.Suffix {
				s.ShadowBranchSuffix = n
			}
		}
		delete(p.streams, one.name)
		one.name = shadow.NewName(m.new.id(), "", n)
		p.streams[one.name] = one
	}
}
