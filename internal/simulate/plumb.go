package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/lineage"
	"entire-plumb/internal/session"
	"entire-plumb/shadow"
	"entire-plumb/suffix"
)

// plumb is entire-plumb in memory: the decisions are the program's own functions, and the
// repository that package hooks reads and writes is values here. The tests compare it with the real
// program.
type plumb struct {
	tally
	states  []*session.State
	streams streams
	links   map[*commit][]string                 // the checkpoints that a commit links
	held    map[string]map[string]bool           // the sessions that a checkpoint holds
	touched map[string]map[string][]gitexec.Path // and the files of each
	files   map[gitexec.OID][]gitexec.Path       // of a session's directory in a checkpoint, as it was then
	told    map[string]bool                      // links that the script has met
	lost    map[int]bool
	linked  []*commit
	replay  bool // write into the script what must be true
}

func newPlumb(rule string) *plumb {
	return &plumb{tally: tally{Rule: rule}, streams: streams{}, links: map[*commit][]string{},
		held:    map[string]map[string]bool{},
		touched: map[string]map[string][]gitexec.Path{}, files: map[gitexec.OID][]gitexec.Path{}, told: map[string]bool{}, lost: map[int]bool{}}
}

// state finds a session, or creates it.
func (p *plumb) state(w *world, id string) *session.State {
	for _, s := range p.states {
		if s.SessionID == id {
			return s
		}
	}
	s := &session.State{SessionID: id, Place: session.Place{BaseCommit: w.head.id()}, StartedAt: w.script.clock}
	p.states = append(p.states, s) // oldest first
	return s
}

func (p *plumb) turnStart(w *world, t turn) {
	s := p.state(w, t.session)
	now := w.script.clock
	s.LastInteractionTime = &now
	s.Phase = session.Active
}

// turnEnd writes the turn's checkpoint.
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

// turnOf reports whether the turn has uncommitted changes, and returns the tree before it on the
// current HEAD.
func (p *plumb) turnOf(w *world, t turn) (tree, bool) {
	if t.commit == w.head {
		return t.before, len(diff(t.before, w.worktree)) > 0
	}
	before, some := w.worktree.clone(), false
	for _, path := range append(union(t.before, w.worktree), union(t.commit.tree, w.head.tree)...) {
		f := condense.TurnFile{Began: t.before.version(path), Ended: w.worktree.version(path), HeadAtStart: t.commit.tree.version(path),
			HeadAtEnd: w.head.tree.version(path)}
		was, touched := f.Uncommitted()
		if some = some || touched; !touched {
			continue
		}
		before[path] = t.before[path]
		if was == f.HeadAtEnd {
			before[path] = w.head.tree[path]
		}
	}
	return before, some
}

// checkpoint writes one on the stream that the work belongs to.
func (p *plumb) checkpoint(w *world, s *session.State, turn int, before tree) {
	candidates := p.candidates(w, s)
	plain := make([]suffix.Stream, len(candidates))
	for i, c := range candidates {
		plain[i].Suffix = i + 1
		for _, change := range c.changes() {
			plain[i].Changes = append(plain[i].Changes, condense.Value(change))
		}
	}
	decision, verdicts := suffix.Decide(plain, suffix.NewWorktree(diff(w.head.tree, before)), w.texts)
	to, chosen, own := &stream{}, (*stream)(nil), 0
	if !decision.IsNew {
		chosen = candidates[decision.Suffix-1]
		if to = chosen; chosen.name.Base == w.head.id().Short() {
			own = chosen.name.Suffix
		}
	}
	name := shadow.NewName(w.head.id(), "", decision.OnBase(p.streams.highest(w.head.id())+1, own).Suffix)
	p.judge(w, chosen, p.streams, func(s *stream) bool { return slices.Contains(candidates, s) },
		func() string { return w.likeness(chosen, verdicts[decision.Suffix-1]) }, before)
	if chosen != nil {
		delete(p.streams, chosen.name) // HEAD may have moved, and the stream moves along
	}
	to.name = name
	to.steps = append(to.steps, step{session: s.SessionID, turn: turn, before: before, after: w.worktree.clone()})
	p.streams[to.name] = to
	s.OnStream(to.name.Suffix, w.head.id(), nil)
	session.KeepBases(s, func(base gitexec.OID) bool { return p.streams.highest(base) > 0 })
}

// candidates are the streams that the work may belong to.
func (p *plumb) candidates(w *world, s *session.State) []*stream {
	var found []*stream
	for _, base := range condense.Bases(w.head.id(), append(slices.Clone(p.states), s)) {
		found = append(found, p.streams.on(base)...)
	}
	return found
}

// likeness describes the evidence of a verdict of Present.
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
	return w.similarLines(s, added)
}

// committed is what prepare-commit-msg and post-commit do, and post-rewrite after an amend.
func (p *plumb) committed(w *world, c committing) {
	if c.replayed {
		if links := p.links[c.picked]; len(links) > 0 {
			p.links[c.new], p.linked = links, append(p.linked, c.new)
		}
		p.expectLinks(w, c)
		return
	}
	left := p.prepare(w, c)
	named, had := map[string]string{}, map[string]bool{}
	for _, id := range left.links {
		maps.Copy(had, p.held[id])
	}
	if left.id != "" {
		for _, m := range p.condense(w, c, left) {
			named[m.Session.SessionID] = m.Reason
		}
		p.links[c.new], p.linked = left.links, append(p.linked, c.new)
	}
	if c.amend {
		p.rewritten(move{c.old, c.new})
	}
	p.expectLinks(w, c)
	p.judgeCommit(w, c, c.new.parent.tree, named, had)
}

// given is the pending link of prepare-commit-msg, and the commit's links.
type given struct {
	condense.Links
	id    string
	links []string
}

// prepare returns the commit's links, if it gets any.
func (p *plumb) prepare(w *world, c committing) given {
	base := c.old.tree
	amended := p.links[c.old]
	if c.amend && len(amended) == 0 {
		base = c.old.parent.tree
	}
	m := p.linkedSets(w, c.old)
	var working []*session.State
	for _, s := range p.states {
		if condense.MayHaveWork(s, p.onStreams(c.old.id()), func(id gitexec.OID) bool { return m.reset[id] }, w.script.clock) {
			working = append(working, s)
		}
	}
	changes := diff(base, c.new.tree)
	all := append(p.gather(w, c.old, changes, working), p.others(w, c, working, changes, m)...)
	matches, _, _ := condense.Match(changes, all, w.texts, w.stashed(), nil)
	left := given{Links: condense.LinksFor(matches)}
	switch {
	case c.amend && len(amended) > 0:
		left.Sessions, left.links = nil, amended
		left.Replaces = append([]lineage.Predecessor{{Commit: c.old.id(), By: lineage.Amended}}, left.Replaces...)
	case len(left.Sessions) > 0:
		left.links = []string{fmt.Sprintf("L%d", c.new.number)}
	}
	for _, r := range left.Replaces {
		for _, id := range r.Links {
			if !slices.Contains(left.links, id) {
				left.links = append(slices.Clone(left.links), id)
			}
		}
	}
	if len(left.links) > 0 {
		left.id = left.links[0]
	}
	return left
}

// gather is the sessions' work on the streams of their bases, beside changes of a commit on head.
func (p *plumb) gather(w *world, head *commit, changes []gitexec.Change, states []*session.State) []condense.Work {
	var works []condense.Work
	bases := map[*shadow.Stream]*commit{}
	for _, base := range condense.Bases(head.id(), states) {
		for _, one := range p.streams.on(base) {
			s := &shadow.Stream{Name: one.name}
			bases[s], works = w.byID[base], append(works, condense.OfStream(s, one.changes(), states)...)
		}
	}
	condense.MarkElsewhere(works, head.id(), func(base gitexec.OID) bool { return condense.Left(head.line(), w.byID[base].line()) })
	_ = condense.MarkSince(works, head.id(), changes, func(s *shadow.Stream, paths []gitexec.Path) (versions []gitexec.Entry, err error) {
		for _, path := range paths {
			versions = append(versions, bases[s].tree.version(string(path)))
		}
		return versions, nil
	})
	return works
}

// condense is what the post-commit hook does with a linked commit.
func (p *plumb) condense(w *world, c committing, left given) []condense.Matched {
	changes := diff(c.new.parent.tree, c.new.tree)
	works := p.gather(w, c.new.parent, changes, p.states)
	m := linkedSets{}
	if len(left.Sessions) > 0 || lineage.Any(left.Replaces, lineage.Reset) {
		m = p.linkedSets(w, c.old)
	}
	matches, overlaps, _ := condense.Match(changes, append(slices.Clone(works), p.others(w, c, p.states, changes, m)...), w.texts,
		w.stashed(), nil)
	if len(matches) == 0 {
		matches = condense.ForSessions(p.states, left.Sessions)
	}
	said := append(slices.Clone(left.Replaces), condense.ResetsIn(matches)...)
	for i := range said {
		was := w.byID[said[i].Commit]
		said[i].Links = append(slices.Clone(said[i].Links), p.links[was]...)
		said[i].Same = len(diff(was.tree, c.new.tree)) == 0 && was.parent == c.new.parent
	}
	plan := lineage.Decide(gitexec.Commit{ID: c.new.id(), Parents: []gitexec.OID{c.new.parent.id()}}, left.links, said)
	matches = condense.Condensed(matches, overlaps, left.Replaces)
	switch {
	case len(matches) == 0 && len(plan.From) == 0 && p.held[left.id] == nil:
		return nil
	case len(matches) == 0 && plan.Same:
		p.applyPlan(c, left.links, lineage.Plan{}, nil)
		return nil
	}
	p.write(left.id, checkpoints.CondensedFor(left.id, matches))
	p.applyPlan(c, left.links, plan, changes)
	if len(matches) > 0 {
		p.carry(w, c, works, matches)
	}
	return matches
}

// inProgress is the work of the active turn, whose agent makes the commit.
func (p *plumb) inProgress(w *world, changes []gitexec.Change) []condense.Work {
	then := make([]gitexec.Entry, len(changes))
	for i, c := range changes {
		then[i] = version(w.turn.before, c.Path)
	}
	return condense.InProgress(p.state(w, w.turn.session), changes, then, true, nil)
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
	fmt.Sscanf(name.Base, "%x", &base)
	return fmt.Sprintf("$B%d-%d", base, name.Suffix)
}

func (p *plumb) say(w *world, lines ...string) {
	if p.replay {
		w.script.say(lines...)
	}
}

// expectLinks is the check that a commit has its links, and the checkpoints their sessions.
func (p *plumb) expectLinks(w *world, c committing) {
	links := p.links[c.new]
	if len(links) == 0 {
		p.say(w, "! link")
	} else {
		var names []string
		for _, id := range links {
			names = append(names, idOf(id, p.told))
		}
		p.say(w, "link "+strings.Join(names, ","))
	}
	for _, id := range links {
		if p.told[id] {
			p.say(w, fmt.Sprintf("exec test $%s = $ID%s", idOf(id, p.told), id[1:]))
		}
	}
	for _, id := range links {
		p.told[id] = true
		p.say(w, "checkpoint $ID"+id[1:]+" json")
		for _, s := range p.states {
			check := fmt.Sprintf(`stdout '"session_id": "%s"'`, s.SessionID)
			if !p.held[id][s.SessionID] {
				check = "! " + check
			}
			p.say(w, check)
		}
	}
	p.say(w, p.names())
}

// idOf is the variable of a link's ID: a known one is compared.
func idOf(link string, told map[string]bool) string {
	if told[link] {
		return "AGAIN" + link[1:]
	}
	return "ID" + link[1:]
}
