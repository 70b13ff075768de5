package main

import (
	"slices"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/session"
	"entire-plumb/shadow"
)

// carry carries a commit's remainder to streams on it, as package remainder does in a repository.
func (p *plumb) carry(w *world, c committing, works []condense.Work, matches []condense.Matched) {
	all, bases := works, condense.Bases(c.new.parent.id(), p.states)
	states, works := condense.Concerned(c.new.parent.id(), p.states, works, matches)
	left, committed := p.remainders(w, c, works)
	for _, s := range states {
		s.MoveTo(c.new.id(), condense.KeptOn(s, bases, all, works)...)
	}
	n := 1
	for _, group := range condense.Groups(left) {
		for p.streams[shadow.NewName(c.new.id(), "", n)] != nil {
			n++
		}
		to := &stream{name: shadow.NewName(c.new.id(), "", n)}
		at := c.new.tree
		for _, k := range condense.Steps(group, committed) {
			next := at.clone()
			for path, entry := range k.Edits {
				next[string(path)] = p.versionOf(w, c, k, string(path), entry)
			}
			if len(diff(at, next)) > 0 {
				to.steps = append(to.steps, p.step(k, at, next))
			}
			if len(diff(at, next)) > 0 && k.Part == shadow.Agent {
				k.Work.Session.OnStream(n, c.new.id(), k.Files)
			}
			at = next
		}
		if len(to.steps) > 0 {
			p.streams[to.name] = to
			n++
		}
	}
	for _, work := range works {
		delete(p.streams, work.Stream.Name)
	}
}

// remainders compares each file of the works with the commit, the worktree, the index and the
// stash.
func (p *plumb) remainders(w *world, c committing, works []condense.Work) (left []condense.Remainder,
	committed map[gitexec.Path]gitexec.Entry) {
	committed, staged := map[gitexec.Path]gitexec.Entry{}, map[gitexec.Path]gitexec.Entry{}
	for _, work := range works {
		for _, change := range work.Changes {
			committed[change.Path] = version(c.new.tree, change.Path)
			if now := version(w.index, change.Path); c.only && now != committed[change.Path] {
				staged[change.Path] = now
			}
		}
	}
	for _, r := range condense.RemainderCandidates(works, committed, staged, len(w.stashes) > 0) {
		v := condense.Versions{Committed: committed[r.Path()], Worktree: version(w.worktree, r.Path())}
		if now, ok := staged[r.Path()]; ok {
			v.Others = append(v.Others, now)
		}
		for _, s := range slices.Backward(w.stashes) {
			v.Others = append(v.Others, s.version(string(r.Path())))
		}
		remains, dismissed, _ := r.Parts(v, w.texts)
		left = append(left, remains...)
		if dismissed.Exists() {
			r.Work.Session.Dismiss(session.Dismissed{Path: r.Path(), Entry: dismissed, When: w.script.clock})
		}
	}
	return left, committed
}

// versionOf finds a step's version of a file: in the worktree, on the streams of the session's
// work, or in the commit.
func (p *plumb) versionOf(w *world, c committing, k condense.Step, path string, entry gitexec.Entry) *file {
	trees := []tree{w.worktree}
	if from := p.streams[k.Work.Stream.Name]; from != nil {
		for _, s := range from.steps {
			trees = append(trees, s.after, s.before)
		}
	}
	if len(k.From) == 0 {
		trees = append(trees[1:], w.worktree) // what is kept is as it is on the stream
	}
	for _, t := range append(trees, c.new.tree) {
		if t.version(path) == entry {
			return t[path]
		}
	}
	return nil
}

// step is a checkpoint, with what its changes carry on.
func (p *plumb) step(k condense.Step, before, after tree) step {
	s := step{session: k.Work.Session.SessionID, part: k.Part, before: before, after: after, of: map[gitexec.Path][]shadow.Change{}}
	for _, from := range k.WorkOn {
		for _, done := range p.streams[from.Name].changes() {
			if done.Session != s.session {
				continue
			}
			s.of[done.Path] = append(s.of[done.Path], done.Of...)
			if len(done.Of) == 0 {
				s.of[done.Path] = append(s.of[done.Path], done)
			}
		}
	}
	return s
}
