package main

import (
	"slices"
	"strings"

	"entire-plumb/gitexec"
	"entire-plumb/shadow"
)

// literal is the suffix document's rule, literally: only the highest suffix is compared, any line
// that isn't blank is evidence, a checkpoint's tree is the previous one with the turn's files, a
// session condenses from its own stream, and a commit deletes all streams of its base.
type literal struct {
	tally
	states  map[string]*literalState
	streams streams
	trees   map[*stream]tree
	links   map[*commit]map[string]bool
	linked  []*commit
	lost    map[int]bool
}

type literalState struct {
	base   gitexec.OID
	suffix int
	files  map[string]bool
}

func newLiteral() *literal {
	return &literal{tally: tally{Rule: "seed"}, states: map[string]*literalState{}, streams: streams{}, trees: map[*stream]tree{},
		links: map[*commit]map[string]bool{}, lost: map[int]bool{}}
}

func (p *literal) turnStart(*world, turn) {}

func (p *literal) turnEnd(w *world, t turn) {
	var touched []string
	for _, c := range diff(t.before, w.worktree) {
		if c.New != version(w.head.tree, c.Path) {
			touched = append(touched, string(c.Path))
		}
	}
	if len(touched) == 0 {
		return
	}
	s := p.states[t.session]
	if s == nil {
		s = &literalState{base: w.head.id(), files: map[string]bool{}}
		p.states[t.session] = s
	}
	p.follow(w, s)
	highest := p.streams.highest(w.head.id())
	last := p.streams[shadow.NewName(w.head.id(), "", highest)]
	found := p.preserved(w, last)
	var to *stream
	if len(found) > 0 {
		to = last
	}
	p.judge(w, to, p.streams, func(s *stream) bool { return s == last }, func() string { return w.similarLines(to, found) }, t.before,
		w.worktree)
	if to == nil {
		to = &stream{name: shadow.NewName(w.head.id(), "", highest+1)}
		p.streams[to.name] = to
		p.trees[to] = w.head.tree
	}
	if to.name.Suffix != s.suffix {
		s.suffix, s.files = to.name.Suffix, map[string]bool{}
	}
	p.write(w, to, t, touched, s)
}

// follow moves a session's stream when HEAD has moved.
func (p *literal) follow(w *world, s *literalState) {
	if s.base == w.head.id() {
		return
	}
	old, name := p.streams[shadow.NewName(s.base, "", s.suffix)], shadow.NewName(w.head.id(), "", s.suffix)
	if old != nil && p.streams[name] == nil {
		delete(p.streams, old.name)
		old.name = name
		p.streams[name] = old
	}
	s.base = w.head.id()
}

// preserved lists the lines that are the rule's evidence of the agent's changes.
func (p *literal) preserved(w *world, s *stream) []string {
	var found []string
	if s == nil {
		return nil
	}
	for _, c := range diff(w.head.tree, w.worktree) {
		path := string(c.Path)
		base, now := lines(w.head.tree[path]), lines(w.worktree[path])
		for _, text := range lines(p.trees[s][path]) {
			if strings.TrimSpace(text) != "" && !slices.Contains(base, text) && slices.Contains(now, text) {
				found = append(found, text)
			}
		}
	}
	return found
}

func lines(f *file) []string {
	if !f.exists() {
		return nil
	}
	return strings.Split(f.content(), "\n")
}

// write adds a checkpoint to a stream.
func (p *literal) write(w *world, to *stream, t turn, touched []string, s *literalState) {
	next := p.trees[to].clone()
	done := step{session: t.session, turn: t.number, before: t.before, after: t.before.clone()}
	for _, path := range touched {
		next[path], done.after[path] = w.worktree[path], w.worktree[path]
		s.files[path] = true
	}
	p.trees[to] = next
	to.steps = append(to.steps, done)
	for path, f := range next {
		switch now := w.worktree.version(path); {
		case f.exists() && !now.Exists():
			p.fail(&p.Ghosts, "ghost", "the file was dismissed, and is still in the stream's tree", w)
		case f.version() != now:
			p.fail(&p.Corrupt, "corrupt", "the stream's tree has the file otherwise than the worktree", w)
		}
	}
}

func (p *literal) committed(w *world, c committing) {
	if c.replayed {
		return
	}
	named := map[string]string{}
	changes := diff(c.old.tree, c.new.tree)
	for id, s := range p.states {
		branch := p.streams[shadow.NewName(s.base, "", s.suffix)]
		overlaps := slices.ContainsFunc(changes, func(c gitexec.Change) bool { return s.files[string(c.Path)] })
		if s.base == c.old.id() && branch != nil && overlaps {
			named[id] = "the commit changes a file that the session touched"
		}
	}
	p.judgeCommit(w, c, c.new.parent.tree, named, p.links[c.old])
	if len(named) == 0 {
		return
	}
	p.linked = append(p.linked, c.new)
	p.links[c.new] = map[string]bool{}
	for id := range named {
		p.links[c.new][id] = true
	}
	for _, s := range p.streams.on(c.old.id()) {
		delete(p.streams, s.name)
	}
	for _, s := range p.states {
		if s.base == c.old.id() {
			s.base, s.suffix, s.files = c.new.id(), 0, map[string]bool{}
		}
	}
}

func (p *literal) rebased(*world, []move) {}

func (p *literal) looks(w *world) {
	p.looksFor(w, p.lost, func(m mark, path string, f *file) bool {
		if p.streams.hold(m, path, f.version()) {
			return true
		}
		return slices.ContainsFunc(p.linked, func(c *commit) bool { return c.tree.holds(m) || c.tree.version(path) == f.version() })
	})
}
