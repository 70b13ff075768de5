package main

import (
	"sort"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/remainder"
	"entire-plumb/internal/session"
	"entire-plumb/shadow"
	"entire-plumb/suffix"
)

// rest is a file of one session's work that a commit left over.
type rest struct {
	session string
	path    string
	now     *file  // what is carried: the worktree's content
	from    string // or the stream that it is kept from
	work    fileWork
}

// carry is remainder.CarryForward for the sessions that the commit says something about.
func (p *plumb) carry(w *world, c committing, works []condense.Work, matches []condense.Matched) {
	states, works := remainder.Concerned(c.new.parent.id(), p.states, works, matches)
	left := p.leftovers(w, c, works)
	for _, s := range states {
		s.BaseCommit, s.ShadowBranchSuffix = c.new.id(), 0
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
		left = left[end:]
		if len(to.steps) > 0 {
			p.streams[to.name] = to
			n++
		}
	}
	for _, work := range works {
		delete(p.streams, work.Stream.Name)
	}
}

func (p *plumb) carryGroup(c committing, to *stream, group []rest) {
	at := c.new.tree
	for len(group) > 0 {
		id := group[0].session
		had := len(to.steps)
		var mine, others []rest
		for _, r := range group {
			if r.session == id {
				mine = append(mine, r)
			} else {
				others = append(others, r)
			}
		}
		for i, more := 0, true; more; i++ {
			before, after := at.clone(), at.clone()
			more = false
			of := map[gitexec.Path][]suffix.Change{}
			for _, r := range mine {
				switch {
				case r.from == "" && i == 0:
					after[r.path] = r.now
					for _, c := range r.work.changes {
						if len(c.Of) == 0 {
							c.Of = []suffix.Change{c}
						}
						of[c.Path] = append(of[c.Path], c.Of...)
					}
				case r.from != "" && i < len(r.work.changes):
					more = true
					after[r.path] = r.work.after[i]
					of[gitexec.Path(r.path)] = r.work.changes[i].Of
					if i > 0 && r.work.changes[i].Before != r.work.changes[i-1].After {
						before[r.path] = r.work.before[i]
					}
				}
			}
			if len(diff(at, after)) > 0 || len(diff(at, before)) > 0 {
				to.steps = append(to.steps, step{session: id, before: before, after: after, of: of})
			}
			at = after
		}
		for _, s := range p.states {
			if s.SessionID == id && len(to.steps) > had {
				s.ShadowBranchSuffix = to.name.Suffix
			}
		}
		group = others
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
			inIndex := c.only && w.index.version(path) != committed
			if changes.last().version() == committed && len(w.stashes) == 0 && !inIndex {
				continue
			}
			versions := []gitexec.Entry{w.worktree.version(path)}
			if inIndex {
				versions = append(versions, w.index.version(path))
			}
			for i := len(w.stashes) - 1; i >= 0; i-- {
				f, ok := w.stashes[i].changed[path]
				if !ok {
					f = w.stashes[i].base[path]
				}
				versions = append(versions, f.version())
			}
			here, kept, _ := condense.Fate(changes.changes, versions, committed, w.texts, p.match)
			if kept {
				left = append(left, rest{work.Session.SessionID, path, nil, work.Stream.Ref(), changes})
			}
			if last, first := changes.last().version(), changes.changes[0].Before; !here && !kept && last.Exists() && last != first && committed == first {
				work.Session.Dismiss(session.Dismissed{Path: gitexec.Path(path), Entry: last, When: w.script.clock})
			}
			if here {
				left = append(left, rest{work.Session.SessionID, path, w.worktree[path], "", changes})
			}
		}
	}
	return left
}
