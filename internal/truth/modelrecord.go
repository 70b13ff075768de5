package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/lineage"
	"entire-plumb/internal/moves"
	kept "entire-plumb/internal/session"
	"entire-plumb/shadow"
	"entire-plumb/suffix"
)

// A stream is a shadow branch.
type stream struct {
	name  shadow.Name
	turns []checkpoint // oldest first
}

// A checkpoint is what one turn did. Of a carried one only what the changes in of did is the
// session's.
type checkpoint struct {
	session       string
	part          shadow.Part
	before, after files
	of            map[gitexec.Path][]shadow.Change
}

// changes are what the agents did on a stream.
func (m *model) changes(s *stream) (changes []shadow.Change) {
	for n, t := range s.turns {
		if t.part != shadow.Human {
			for _, c := range m.blobs.diff(t.before, t.after) {
				changes = append(changes, shadow.Change{Change: c, At: gitexec.OID(strconv.Itoa(n)), Session: t.session, Of: t.of[c.Path]})
			}
		}
	}
	return changes
}

// allStreams lists the streams, by base and suffix.
func (m *model) allStreams() []*stream {
	return slices.SortedFunc(maps.Values(m.streams), func(a, b *stream) int {
		return cmp.Or(cmp.Compare(a.name.Base, b.name.Base), a.name.Suffix-b.name.Suffix)
	})
}

// streamsOn lists the streams of a base.
func (m *model) streamsOn(base gitexec.OID) []*stream {
	return slices.DeleteFunc(m.allStreams(), func(s *stream) bool { return s.name.Base != base.Short() })
}

// next is the first free suffix on a base.
func (m *model) next(base gitexec.OID) int {
	if all := m.streamsOn(base); len(all) > 0 {
		return all[len(all)-1].name.Suffix + 1
	}
	return 1
}

func (m *model) move(s *stream, to shadow.Name) {
	delete(m.streams, s.name)
	s.name = to
	m.streams[to] = s
}

// state finds a session, or creates it.
func (m *model) state(id string) *kept.State {
	for _, s := range m.states {
		if s.SessionID == id {
			return s
		}
	}
	s := &kept.State{SessionID: id, Place: kept.Place{BaseCommit: m.head.id}, StartedAt: m.clock}
	m.states = append(m.states, s)
	return s
}

// turnEnd writes the turn's checkpoint on the stream that the work belongs to.
func (m *model) turnEnd(s *session, headThen *node) {
	state := m.state(s.id)
	state.Phase = kept.Idle
	before := m.uncommittedBefore(s.from, headThen)
	if len(m.blobs.diff(before, m.worktree)) == 0 {
		return
	}
	var candidates []*stream
	for _, base := range condense.Bases(m.head.id, m.states) {
		candidates = append(candidates, m.streamsOn(base)...)
	}
	plain := make([]suffix.Stream, len(candidates))
	for i, c := range candidates {
		plain[i].Suffix = i + 1
		for _, change := range m.changes(c) {
			plain[i].Changes = append(plain[i].Changes, condense.Value(change))
		}
	}
	decision, _ := suffix.Decide(plain, gitexec.ByPath(m.blobs.diff(m.head.tree, before)), m.blobs)
	to, own := &stream{}, 0
	if decision.IsNew {
		m.checkStream(nil, before)
	} else {
		to = candidates[decision.Suffix-1]
		m.checkStream(to, before)
		if to.name.Base == m.head.id.Short() {
			own = to.name.Suffix
		}
	}
	m.move(to, shadow.NewName(m.head.id, "", decision.OnBase(m.next(m.head.id), own).Suffix))
	to.turns = append(to.turns, checkpoint{session: s.id, part: shadow.Agent, before: before, after: maps.Clone(m.worktree)})
	state.OnStream(to.name.Suffix, m.head.id, nil)
	kept.KeepBases(state, func(base gitexec.OID) bool { return len(m.streamsOn(base)) > 0 })
	m.say("  %s is on %s-%d", s.id, to.name.Base, to.name.Suffix)
}

// uncommittedBefore is the worktree before a turn, as seen from HEAD, which may have moved in it.
func (m *model) uncommittedBefore(began files, then *node) files {
	if then == m.head {
		return began
	}
	before := maps.Clone(m.worktree)
	for _, name := range union(began.names(), m.worktree.names()) {
		f := condense.TurnFile{Began: m.blobs.entry(began, name), Ended: m.blobs.entry(m.worktree, name),
			HeadAtStart: m.blobs.entry(then.tree, name), HeadAtEnd: m.blobs.entry(m.head.tree, name)}
		if was, touched := f.Uncommitted(); touched {
			m.blobs.put(before, name, was)
		}
	}
	return before
}

// committing is a commit as its hooks see it. by is the session whose turn it is in.
type committing struct {
	old, new *node
	by       *session
	amend    bool
}

// committed links a commit, and carries what it leaves.
func (m *model) committed(c committing) {
	changes, links := m.blobs.diff(c.new.parent.tree, c.new.tree), []string(nil)
	works := m.works(c.new.parent, changes)
	matches, overlaps, err := condense.Match(changes, slices.Concat(works, m.otherWorks(c, changes)), m.blobs, m.stashed, m.read)
	must(err)
	given := condense.LinksFor(matches)
	if c.amend {
		if links = c.old.links; len(links) > 0 {
			given.Sessions = nil
		}
		given.Replaces = append([]lineage.Predecessor{{Commit: c.old.id, By: lineage.Amended}}, given.Replaces...)
	}
	if len(given.Sessions) > 0 {
		links = []string{fmt.Sprintf("L%d", len(m.nodes))}
	}
	for i, p := range given.Replaces {
		was := m.nodes[p.Commit]
		links = union(links, p.Links)
		given.Replaces[i].Links = union(p.Links, was.links)
		given.Replaces[i].Same = was.parent == c.new.parent && len(m.blobs.diff(was.tree, c.new.tree)) == 0
	}
	reasons, had := map[string]string{}, map[string]bool{}
	for _, link := range links {
		for s := range m.linked[link] {
			had[s] = true
		}
	}
	if len(links) > 0 {
		plan := lineage.Decide(gitexec.Commit{ID: c.new.id, Parents: []gitexec.OID{c.new.parent.id}}, links, given.Replaces)
		matches = condense.Condensed(matches, overlaps, given.Replaces)
		m.write(c, links, matches, plan, changes)
		if len(matches) > 0 {
			m.carry(c, works, matches)
		}
		for _, match := range matches {
			reasons[match.Session.SessionID] = string(match.Reason)
		}
	}
	if c.amend {
		m.amended(c)
	}
	m.say("  %s links %q for %v", short(string(c.new.id)), links, reasons)
	m.checkLinked(c, reasons, had)
}

// linkedCommits are the sessions' linked commits that a reset removed from HEAD's history, and
// those in it.
func (m *model) linkedCommits(head *node) (reset, here map[gitexec.OID]bool) {
	reset, here = map[gitexec.OID]bool{}, map[gitexec.OID]bool{}
	all, from := kept.LinkedCommits(m.states, time.Time{}) // links have no time here
	for _, id := range all {
		here[id] = head.reaches(id)
		if slices.ContainsFunc(m.resets, func(tip *node) bool { return tip.reaches(id) }) {
			from = append(from, id)
		}
	}
	for _, id := range moves.Removed(all, from) {
		reset[id] = !here[id]
	}
	return reset, here
}

// works is the sessions' work on streams that a commit on head may hold.
func (m *model) works(head *node, changes []gitexec.Change) (works []condense.Work) {
	bases := map[*shadow.Stream]*node{}
	for _, base := range condense.Bases(head.id, m.states) {
		for _, one := range m.streamsOn(base) {
			s := &shadow.Stream{Name: one.name}
			bases[s], works = m.nodes[base], append(works, condense.OfStream(s, m.changes(one), m.states)...)
		}
	}
	condense.MarkElsewhere(works, head.id, func(base gitexec.OID) bool { return condense.Left(head.line(), m.nodes[base].line()) })
	must(condense.MarkSince(works, head.id, changes, func(s *shadow.Stream, paths []gitexec.Path) (versions []gitexec.Entry, err error) {
		for _, path := range paths {
			versions = append(versions, m.blobs.entry(bases[s].tree, string(path)))
		}
		return versions, nil
	}))
	return works
}

// otherWorks is the work on no stream: of the turn in progress whose agent commits, of commits that
// were reset, and dismissed content.
func (m *model) otherWorks(c committing, changes []gitexec.Change) (works []condense.Work) {
	if c.by != nil {
		began := make([]gitexec.Entry, len(changes))
		for i, change := range changes {
			began[i] = m.blobs.entry(c.by.from, string(change.Path))
		}
		works = condense.InProgress(m.state(c.by.id), changes, began, true, nil)
	}
	reset, here := m.linkedCommits(c.old)
	for _, s := range m.states {
		resets := condense.ResetWork(s, func(id gitexec.OID) bool { return reset[id] }, func(id gitexec.OID) bool { return here[id] })
		for i, work := range resets {
			was := m.nodes[work.Link.Commit]
			resets[i].Changes = condense.InFiles(suffix.ChangesOf(m.blobs.diff(was.parent.tree, was.tree)), m.dirs[work.Link.Tree])
			resets[i].InPlace = was.parent == c.new.parent || reset[was.parent.id]
		}
		works = slices.Concat(works, resets, condense.RestoredContent(s, changes))
	}
	return works
}

// read reads a file of the worktree.
func (m *model) read(name gitexec.Path) ([]string, bool) {
	return m.worktree[string(name)].lines(), true
}

// stashed is condense.Stashed for the entries that there are.
func (m *model) stashed(own []suffix.Change, committed gitexec.Entry) (held bool, err error) {
	for _, e := range m.stash {
		now := m.blobs.entry(e.tree, string(own[0].Path))
		if held || err != nil || now == own[0].Before || now == committed {
			continue
		}
		held, err = suffix.InEffect(own, gitexec.Change{Path: own[0].Path, Old: own[0].Before, New: now}, m.blobs)
	}
	return held, err
}

// write writes a commit's checkpoints: the work that is new in it, and that of the commits that it
// replaces.
func (m *model) write(c committing, links []string, matches []condense.Matched, plan lineage.Plan, changes []gitexec.Change) {
	c.new.links = links
	for _, match := range checkpoints.CondensedFor(links[0], matches) {
		if m.linked[links[0]] == nil {
			m.linked[links[0]] = map[string][]gitexec.Path{}
		}
		names := m.linked[links[0]]
		names[match.Session.SessionID] = condense.Union(names[match.Session.SessionID], match.Files)
	}
	trim := func(link string) (dropped bool) { // the files that the commit doesn't change any more
		for id, names := range m.linked[link] {
			m.linked[link][id] = condense.ChangedFiles(changes, names)
			dropped = dropped || len(m.linked[link][id]) < len(names)
		}
		return dropped
	}
	for _, link := range plan.Trim {
		trim(link)
	}
	for _, move := range plan.Move {
		dropped := trim(move.Link)
		for _, s := range m.states {
			s.Amended(move.Link, move.From, dropped)
		}
	}
	for _, s := range m.states {
		for _, link := range links {
			if names, ok := m.linked[link][s.SessionID]; ok {
				dir := gitexec.OID(fmt.Sprintf("%040x", len(m.dirs)+1))
				m.dirs[dir] = names
				s.AddLink(kept.Link{ID: link, Commit: c.new.id, Tree: dir})
			}
		}
	}
}

// amended moves streams and sessions to what a commit was amended to.
func (m *model) amended(c committing) {
	next := m.next(c.new.id)
	for _, one := range m.streamsOn(c.old.id) {
		for _, s := range m.states {
			s.StreamRenamed(c.old.id, one.name.Suffix, next)
		}
		m.move(one, shadow.NewName(c.new.id, "", next))
		next++
	}
	for _, s := range m.states {
		s.Rewritten(map[gitexec.OID]gitexec.OID{c.old.id: c.new.id})
	}
}

// carry carries a commit's remainder to streams on it.
func (m *model) carry(c committing, works []condense.Work, matches []condense.Matched) {
	parent := c.new.parent.id
	all, bases := works, condense.Bases(parent, m.states)
	states, works := condense.Concerned(parent, m.states, works, matches)
	remainders, committed := m.remainders(c, works)
	for _, s := range states {
		s.MoveTo(c.new.id, condense.KeptOn(s, bases, all, works)...)
	}
	for _, group := range condense.Groups(remainders) {
		to := &stream{name: shadow.NewName(c.new.id, "", m.next(c.new.id))}
		at := c.new.tree
		for _, step := range condense.Steps(group, committed) {
			next := maps.Clone(at)
			for name, version := range step.Edits {
				m.blobs.put(next, string(name), version)
			}
			if len(m.blobs.diff(at, next)) > 0 {
				to.turns = append(to.turns, m.carried(step, at, next))
				if step.Part == shadow.Agent {
					step.Work.Session.OnStream(to.name.Suffix, c.new.id, step.Files)
				}
			}
			at = next
		}
		if len(to.turns) > 0 {
			m.streams[to.name] = to
		}
	}
	for _, work := range works {
		delete(m.streams, work.Stream.Name)
	}
}

// remainders compares each file of the works with the commit, the worktree, the index and the
// stash.
func (m *model) remainders(c committing, works []condense.Work) (all []condense.Remainder, committed map[gitexec.Path]gitexec.Entry) {
	committed, staged := map[gitexec.Path]gitexec.Entry{}, map[gitexec.Path]gitexec.Entry{}
	for _, work := range works {
		for _, change := range work.Changes {
			name := string(change.Path)
			committed[change.Path] = m.blobs.entry(c.new.tree, name)
			if now := m.blobs.entry(m.index, name); now != committed[change.Path] {
				staged[change.Path] = now
			}
		}
	}
	for _, r := range condense.RemainderCandidates(works, committed, staged, len(m.stash) > 0) {
		name := string(r.Path())
		v := condense.Versions{Committed: committed[r.Path()], Worktree: m.blobs.entry(m.worktree, name)}
		if now, ok := staged[r.Path()]; ok {
			v.Others = append(v.Others, now)
		}
		for _, e := range slices.Backward(m.stash) {
			v.Others = append(v.Others, m.blobs.entry(e.tree, name))
		}
		remains, dismissed, err := r.Parts(v, m.blobs)
		must(err)
		all = append(all, remains...)
		if dismissed.Exists() {
			r.Work.Session.Dismiss(kept.Dismissed{Path: r.Path(), Entry: dismissed, When: m.clock})
		}
	}
	return all, committed
}

// carried is a checkpoint of a remainder, with what it carries on.
func (m *model) carried(step condense.Step, before, after files) checkpoint {
	t := checkpoint{session: step.Work.Session.SessionID, part: step.Part, before: before, after: after, of: map[gitexec.Path][]shadow.Change{}}
	for _, from := range step.WorkOn {
		for _, c := range m.changes(m.streams[from.Name]) {
			switch {
			case c.Session != t.session:
			case len(c.Of) > 0:
				t.of[c.Path] = append(t.of[c.Path], c.Of...)
			default:
				t.of[c.Path] = append(t.of[c.Path], c)
			}
		}
	}
	return t
}
