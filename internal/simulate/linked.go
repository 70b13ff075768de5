package main

import (
	"fmt"
	"slices"
	"time"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/lineage"
	"entire-plumb/internal/moves"
	"entire-plumb/internal/session"
	"entire-plumb/shadow"
	"entire-plumb/suffix"
)

// linkedSets are the sessions' linked commits: those that a reset, or an amend that dropped work,
// removed from HEAD's history, and those in it.
type linkedSets struct{ reset, here map[gitexec.OID]bool }

func (p *plumb) linkedSets(w *world, head *commit) linkedSets {
	m := linkedSets{map[gitexec.OID]bool{}, map[gitexec.OID]bool{}}
	linked, from := session.LinkedCommits(p.states, time.Time{}) // links have no time here
	for _, id := range linked {
		m.here[id] = head.reaches(id)
		if slices.ContainsFunc(w.resets, func(tip *commit) bool { return tip.reaches(id) }) {
			from = append(from, id)
		}
	}
	for _, id := range moves.Removed(linked, from) {
		if !m.here[id] {
			m.reset[id] = true
		}
	}
	return m
}

// others are the works on no stream: of the active turn, of reset commits, and discarded content.
func (p *plumb) others(w *world, c committing, states []*session.State, changes []gitexec.Change, m linkedSets) []condense.Work {
	var works []condense.Work
	if c.byAgent {
		works = p.inProgress(w, changes)
	}
	for _, s := range states {
		works = append(append(works, p.resetWorks(w, s, c.new.parent, m)...), condense.RestoredContent(s, changes)...)
	}
	return works
}

// resetWorks is the work of commits that were reset.
func (p *plumb) resetWorks(w *world, s *session.State, parent *commit, m linkedSets) []condense.Work {
	works := condense.ResetWork(s, func(id gitexec.OID) bool { return m.reset[id] }, func(id gitexec.OID) bool { return m.here[id] })
	for i, work := range works {
		was := w.byID[work.Link.Commit]
		works[i].Changes = condense.InFiles(suffix.ChangesOf(diff(was.parent.tree, was.tree)), p.files[work.Link.Tree])
		works[i].InPlace = was.parent == parent || m.reset[was.parent.id()]
	}
	return works
}

// linkCommit links a commit to a session, with the session's directory in its checkpoint, which
// lists the files.
func (p *plumb) linkCommit(s *session.State, link string, c *commit, files []gitexec.Path) {
	dir := gitexec.OID(fmt.Sprintf("%040x", len(p.files)+1))
	p.files[dir] = files
	s.AddLink(session.Link{ID: link, Commit: c.id(), Tree: dir})
}

// trim removes files from a checkpoint that its commit doesn't change any more.
func (p *plumb) trim(link string, changes []gitexec.Change) (dropped bool) {
	for id, files := range p.touched[link] {
		p.touched[link][id] = condense.ChangedFiles(changes, files)
		dropped = dropped || len(p.touched[link][id]) < len(files)
	}
	return dropped
}

// applyPlan moves the checkpoints of replaced commits to their successor, and links it to the
// sessions.
func (p *plumb) applyPlan(c committing, links []string, plan lineage.Plan, changes []gitexec.Change) {
	for _, link := range plan.Trim {
		p.trim(link, changes)
	}
	for _, m := range plan.Move {
		dropped := p.trim(m.Link, changes)
		for _, s := range p.states {
			s.Amended(m.Link, m.From, dropped)
		}
	}
	for _, s := range p.states {
		for _, link := range links {
			if p.held[link][s.SessionID] {
				p.linkCommit(s, link, c.new, p.touched[link][s.SessionID])
			}
		}
	}
}

// write adds what a commit holds of the sessions' work to its checkpoint.
func (p *plumb) write(link string, matches []condense.Matched) {
	if p.held[link] == nil {
		p.held[link], p.touched[link] = map[string]bool{}, map[string][]gitexec.Path{}
	}
	for _, m := range matches {
		id := m.Session.SessionID
		p.held[link][id] = true
		p.touched[link][id] = condense.Union(p.touched[link][id], m.Files)
	}
}

// rebased follows commits that git replayed.
func (p *plumb) rebased(w *world, moves []move) {
	for _, m := range moves {
		if links := p.links[m.old]; len(links) > 0 {
			p.links[m.new], p.linked = links, append(p.linked, m.new)
		}
	}
	p.rewritten(moves...)
	p.expectLinks(w, committing{new: w.head})
}

// rewritten moves streams and sessions to what commits were rewritten to.
func (p *plumb) rewritten(moves ...move) {
	now := map[gitexec.OID]gitexec.OID{}
	for _, m := range moves {
		p.moveStreams(m)
		now[m.old.id()] = m.new.id()
	}
	for _, s := range p.states {
		s.Rewritten(now)
	}
}

func (p *plumb) moveStreams(m move) {
	n := p.streams.highest(m.new.id())
	for _, one := range p.streams.on(m.old.id()) {
		n++
		for _, s := range p.states {
			s.StreamRenamed(m.old.id(), one.name.Suffix, n)
		}
		delete(p.streams, one.name)
		one.name = shadow.NewName(m.new.id(), "", n)
		p.streams[one.name] = one
	}
}
