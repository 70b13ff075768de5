package main

import (
	"fmt"
	"maps"
	"slices"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/session"
	"entire-plumb/shadow"
	"entire-plumb/suffix"
)

// plumb is entire-plumb in memory: the decisions are the program's own functions, what is around them in package hooks
// is told again here on plain values. The tests hold it against the real program.
type plumb struct {
	tally
	match   suffix.Match
	states  []*session.State
	streams streams
	links   map[*commit]string         // the checkpoint that a commit links
	held    map[string]map[string]bool // the sessions that a checkpoint holds
	lost    map[int]bool
	linked  []*commit
	replay  bool // write into the script what must be true
}

func newPlumb(match suffix.Match) *plumb {
	return &plumb{tally: tally{Rule: string(match)}, match: match, streams: streams{}, links: map[*commit]string{}, held: map[string]map[string]bool{}, lost: map[int]bool{}}
}

// state finds a session, or begins it.
func (p *plumb) state(w *world, id string) *session.State {
	for _, s := range p.states {
		if s.SessionID == id {
			return s
		}
	}
	s := &session.State{SessionID: id, BaseCommit: w.head.id()}
	p.states = append(p.states, s)
	slices.SortFunc(p.states, func(a, b *session.State) int { return a.StartedAt.Compare(b.StartedAt) })
	return s
}

func (p *plumb) turnStart(w *world, t turn) {
	s := p.state(w, t.session)
	if s.StartedAt.IsZero() {
		s.StartedAt = w.script.clock
	}
	now := w.script.clock
	s.LastInteractionTime = &now
	s.Phase = session.Active
}

// turnEnd is hooks.turnEnd.
func (p *plumb) turnEnd(w *world, t turn) {
	s := p.state(w, t.session)
	s.Phase = session.Idle
	before, touched := p.turnOf(w, t)
	if touched {
		p.checkpoint(w, s, t.number, before)
	}
	p.say(w, p.names())
	if touched {
		p.say(w, "snapshot "+variable(shadow.NewName(s.BaseCommit, "", s.ShadowBranchSuffix)))
	}
}

// turnOf is hooks.turnOf: what of the turn isn't committed, as the tree before it on the present HEAD.
func (p *plumb) turnOf(w *world, t turn) (tree, bool) {
	changes := diff(t.before, w.worktree)
	if t.commit == w.head {
		return t.before, len(changes) > 0
	}
	before, touched := w.worktree.clone(), false
	for _, c := range changes {
		path := string(c.Path)
		if c.New == w.head.tree.version(path) {
			continue
		}
		touched = true
		before[path] = w.head.tree[path]
		if c.Old != t.commit.tree.version(path) {
			before[path] = t.before[path]
		}
	}
	for _, c := range diff(t.commit.tree, w.head.tree) { // committed in the turn, and then undone
		path := string(c.Path)
		if w.worktree.version(path) == c.Old && t.before.version(path) == c.Old {
			before[path], touched = w.head.tree[path], true
		}
	}
	return before, touched
}

// checkpoint is hooks.writeTurn.
func (p *plumb) checkpoint(w *world, s *session.State, turn int, before tree) {
	candidates := p.candidates(w, s)
	plain := make([]suffix.Stream, len(candidates))
	for i, c := range candidates {
		plain[i] = suffix.Stream{Suffix: i + 1, Changes: c.changes("")}
	}
	decision, verdicts := suffix.Decide(plain, suffix.NewWorktree(diff(w.head.tree, before)), w.texts, p.match)
	next := p.streams.highest(w.head.id()) + 1
	name := shadow.NewName(w.head.id(), "", next)
	to := &stream{name: name}
	var chosen *stream
	if !decision.IsNew {
		chosen = candidates[decision.Suffix-1]
		to = chosen
	}
	p.judge(w, chosen, p.streams, func(s *stream) bool { return slices.Contains(candidates, s) },
		func() string { return w.likeness(chosen, verdicts[decision.Suffix-1]) }, before)
	if chosen != nil && chosen.name.Base != name.Base { // HEAD moved, and the work is still there: its stream moves along
		delete(p.streams, chosen.name)
		chosen.name = name
	}
	to.steps = append(to.steps, step{session: s.SessionID, turn: turn, before: before, after: w.worktree.clone()})
	p.streams[to.name] = to
	s.ShadowBranchSuffix, s.BaseCommit = to.name.Suffix, w.head.id()
}

// candidates is hooks.candidates.
func (p *plumb) candidates(w *world, s *session.State) []*stream {
	var found []*stream
	for _, base := range condense.Bases(w.head.id(), append(slices.Clone(p.states), s)) {
		found = append(found, p.streams.on(base)...)
	}
	return found
}

// likeness says what a verdict of Present rests on.
func (w *world) likeness(s *stream, v suffix.Verdict) string {
	var added []string
	for _, f := range v.Files {
		switch {
		case !f.Present:
		case f.Evidence == suffix.ByLines && len(f.AddedFound) == 0:
			return "somebody else took the same lines out"
		case f.Evidence == suffix.ByLines:
			added = append(added, f.AddedFound...)
		case f.Evidence == suffix.SameObject:
			return "somebody else came to the same version"
		default:
			return "somebody else changed the mode alike"
		}
	}
	return w.lookalike(s, added)
}

// committed is hooks.prepareCommitMsg and hooks.postCommit.
func (p *plumb) committed(w *world, c committing) {
	parent := c.new.parent.tree
	link, given := p.prepare(w, c)
	named, had := map[string]string{}, map[string]bool{}
	if c.amend && p.links[c.old] != "" {
		had = maps.Clone(p.held[link])
	}
	if link != "" {
		for _, m := range p.condense(w, c, link, given) {
			named[m.Session.SessionID] = m.Reason
		}
		p.links[c.new] = link
		p.linked = append(p.linked, c.new)
	}
	p.expectLink(w, c, link)
	p.judgeCommit(w, c, parent, named, had)
}

// prepare gives the link, if the commit gets one, and the sessions that it stands for.
func (p *plumb) prepare(w *world, c committing) (link string, given []string) {
	working := slices.DeleteFunc(slices.Clone(p.states), func(s *session.State) bool { return s.Phase != session.Active && s.ShadowBranchSuffix == 0 })
	if c.amend && p.links[c.old] != "" && len(working) > 0 {
		return p.links[c.old], nil
	}
	if c.amend && p.links[c.old] != "" {
		p.links[c.new] = p.links[c.old] // git keeps it; nothing of ours is asked
		p.linked = append(p.linked, c.new)
		return "", nil
	}
	if c.byAgent {
		for _, s := range working {
			if s.Phase == session.Active {
				given = append(given, s.SessionID)
			}
		}
	} else {
		works := p.gather(c.old.id(), working)
		matches, _, _ := condense.Match(diff(c.old.tree, c.new.tree), works, w.texts, p.match)
		for _, m := range matches {
			given = append(given, m.Session.SessionID)
		}
	}
	if len(given) == 0 {
		return "", nil
	}
	return fmt.Sprintf("L%d", c.new.number), given
}

// gather is condense.Gather.
func (p *plumb) gather(head gitexec.OID, states []*session.State) []condense.Work {
	var works []condense.Work
	for _, base := range condense.Bases(head, states) {
		for _, one := range p.streams.on(base) {
			works = append(works, worksOf(one, states)...)
		}
	}
	return works
}

func worksOf(s *stream, states []*session.State) []condense.Work {
	var works []condense.Work
	for _, id := range s.sessions() {
		changes := s.changes(id)
		i := slices.IndexFunc(states, func(s *session.State) bool { return s.SessionID == id })
		if i >= 0 && len(changes) > 0 {
			works = append(works, condense.Work{Session: states[i], Stream: &shadow.Stream{Name: s.name}, Changes: changes})
		}
	}
	return works
}

// condense is what the post-commit hook does with a linked commit.
func (p *plumb) condense(w *world, c committing, link string, given []string) []condense.Matched {
	changes := diff(c.new.parent.tree, c.new.tree)
	works := p.gather(c.new.parent.id(), p.states)
	all := works
	if c.byAgent && given != nil {
		all = append(slices.Clone(works), p.inProgress(w, changes)...)
	}
	matches, _, _ := condense.Match(changes, all, w.texts, p.match)
	if len(matches) == 0 {
		for _, s := range p.states {
			if slices.Contains(given, s.SessionID) {
				matches = append(matches, condense.Matched{Session: s, Reason: "the link was given out for it"})
			}
		}
	}
	if len(matches) == 0 {
		return nil
	}
	if p.held[link] == nil {
		p.held[link] = map[string]bool{}
	}
	for _, m := range matches {
		p.held[link][m.Session.SessionID] = true
	}
	p.carry(w, c, works, matches)
	return matches
}

// inProgress is condense.InProgress.
func (p *plumb) inProgress(w *world, changes []gitexec.Change) []condense.Work {
	work := condense.Work{Session: p.state(w, w.turn.session)}
	for _, c := range changes {
		if then := version(w.turn.before, c.Path); then != c.New {
			work.Changes = append(work.Changes, suffix.Change{Path: c.Path, Before: then, After: c.New})
		}
	}
	return []condense.Work{work}
}

// looks checks after every step that nothing is lost.
func (p *plumb) looks(w *world) {
	p.looksFor(w, p.lost, func(m mark, path string, f *file) bool {
		if p.streams.hold(m, path, f.version()) {
			return true
		}
		return slices.ContainsFunc(p.linked, func(c *commit) bool { return c.tree.holds(m) || c.tree.version(path) == f.version() })
	})
}

// names is the check that the streams are these.
func (p *plumb) names() string {
	line := "streams"
	var names []string
	for name := range p.streams {
		names = append(names, " "+variable(name))
	}
	slices.Sort(names)
	for _, n := range names {
		line += n
	}
	return line
}

// variable is how a script calls a stream.
func variable(name shadow.Name) string {
	var base int
	fmt.Sscanf(name.Base, "%d", &base)
	return fmt.Sprintf("$B%d-%d", base, name.Suffix)
}

func (p *plumb) say(w *world, lines ...string) {
	if p.replay {
		w.script.say(lines...)
	}
}

// expectLink is the check that a commit has its link, and the checkpoint its sessions.
func (p *plumb) expectLink(w *world, c committing, link string) {
	if p.links[c.new] == "" {
		p.say(w, "! link", p.names())
		return
	}
	id := "ID" + p.links[c.new][1:]
	p.say(w, "link "+id, "checkpoint $"+id+" json")
	for _, s := range p.states {
		check := fmt.Sprintf(`stdout '"session_id": "%s"'`, s.SessionID)
		if !p.held[p.links[c.new]][s.SessionID] {
			check = "! " + check
		}
		p.say(w, check)
	}
	p.say(w, p.names())
}
