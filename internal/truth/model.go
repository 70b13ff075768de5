package main

import (
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"entire-plumb/gitexec"
)

// A model is a repository in memory with a human and sessions. The decisions are the program's own
// functions. Of git it has what they are asked about: commits, an index, a stash, two branches.
type model struct {
	r        *rand.Rand
	step     int
	op       string
	lines    int // how many lines were written
	clock    time.Time
	sessions []*session
	last     *session // whose turn was the last one
	tally    *tally
	trace    io.Writer // nil: none
	blobs    blobs
	nodes    map[gitexec.OID]*node
	head     *node
	branch   string
	tips     map[string]*node
	resets   []*node // where HEAD was reset from
	index    files
	worktree files
	stash    []entry
	ledger   ledger
	edited   map[string]map[string]bool // a session: the files that it ever changed
	renamers map[string][]string        // a file: the sessions that once gave it its name
	lost     map[string]bool            // lines that were found to be lost
	record   record
}

// A node is a commit.
type node struct {
	id     gitexec.OID
	parent *node
	tree   files
}

// line is the commit and its ancestors, newest first.
func (n *node) line() (ids []gitexec.OID) {
	for ; n != nil; n = n.parent {
		ids = append(ids, n.id)
	}
	return ids
}

func (n *node) reaches(id gitexec.OID) bool { return slices.Contains(n.line(), id) }

// An entry of the stash has the files of a commit, and those that were changed. A file that is
// absent has the zero version.
type entry struct {
	base    *node
	changed map[string]gitexec.Entry
}

// blobs are all versions of files.
type blobs struct {
	ids   map[text]gitexec.OID
	texts map[gitexec.OID]text
}

// entry is a file's version in a tree.
func (b blobs) entry(tree files, name string) gitexec.Entry {
	content, there := tree[name]
	if !there {
		return gitexec.Entry{}
	}
	id, known := b.ids[content]
	if !known {
		id = gitexec.OID(fmt.Sprintf("%040x", len(b.ids)+1))
		b.ids[content], b.texts[id] = id, content
	}
	return gitexec.Entry{Mode: gitexec.ModeFile, ID: id}
}

// put puts a version into a tree.
func (b blobs) put(tree files, name string, e gitexec.Entry) {
	if !e.Exists() {
		delete(tree, name)
		return
	}
	tree[name] = b.texts[e.ID]
}

// Lines is what the decisions read: see suffix.Texts.
func (b blobs) Lines(e gitexec.Entry) ([]string, bool, error) {
	content, ok := b.texts[e.ID]
	return content.lines(), ok, nil
}

// diff lists the files that differ, as git would.
func (b blobs) diff(old, now files) (changes []gitexec.Change) {
	for _, name := range union(old.names(), now.names()) {
		if was, is := b.entry(old, name), b.entry(now, name); was != is {
			changes = append(changes, gitexec.Change{Path: gitexec.Path(name), Old: was, New: is})
		}
	}
	return changes
}

// union is what is in either of two lists, sorted.
func union(a, b []string) []string {
	return slices.Compact(slices.Sorted(slices.Values(slices.Concat(a, b))))
}

// modelOps are the steps of a workflow in memory.
var modelOps = []op[model]{
	{name: "turn", weight: 60, do: (*model).turn},
	{name: "human edits", weight: 20, do: (*model).humanEdits},
	{name: "human indents", weight: 4, do: (*model).humanIndents},
	{name: "human takes work out", weight: 7, do: (*model).humanTakesOut},
	{name: "restore all", weight: 5, do: (*model).restoreAll},
	{name: "restore a file", weight: 6, do: (*model).restoreOne},
	{name: "stash", weight: 6, do: (*model).push},
	{name: "stash pop", weight: 10, do: func(m *model) bool { return m.apply(true) }},
	{name: "stash apply", weight: 3, do: func(m *model) bool { return m.apply(false) }},
	{name: "stash drop", weight: 3, do: (*model).drop},
	{name: "stage some files", weight: 3, do: (*model).stageSome},
	{name: "commit all", weight: 12, do: func(m *model) bool { return m.stageAll() && m.commit(nil, false) }},
	{name: "commit some files", weight: 6, do: func(m *model) bool { return m.stageSome() && m.commit(nil, false) }},
	{name: "commit a part", weight: 5, do: func(m *model) bool { return m.stagePart() && m.commit(nil, false) }},
	{name: "commit what is staged", weight: 3, do: func(m *model) bool { return m.commit(nil, false) }},
	{name: "commit -- file", weight: 3, do: (*model).commitPath},
	{name: "amend", weight: 4, do: func(m *model) bool { return m.stageSome() && m.commit(nil, true) }},
	{name: "amend the message", weight: 2, do: func(m *model) bool { return m.commit(nil, true) }},
	{name: "reset", weight: 4, do: (*model).reset},
	{name: "switch", weight: 7, do: (*model).switchBranch},
}

func newModel(r *rand.Rand, trace io.Writer) *model {
	return &model{r: r, tally: newTally(), trace: trace, clock: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
		sessions: []*session{{id: "s1"}, {id: "s2"}, {id: "s3"}}, blobs: blobs{map[text]gitexec.OID{}, map[gitexec.OID]text{}},
		nodes: map[gitexec.OID]*node{}, branch: "main", tips: map[string]*node{}, worktree: files{}, ledger: newLedger(),
		edited: map[string]map[string]bool{}, renamers: map[string][]string{}, lost: map[string]bool{}, record: newRecord()}
}

// playModel plays one workflow in memory.
func playModel(p plan) (t *tally) {
	m := newModel(newRand(p.seed, p.number<<16), p.trace)
	t = m.tally
	t.Workflows = 1
	defer func() {
		if fault := recover(); fault != nil {
			t.Errors = append(t.Errors, fmt.Sprintf("workflow %d, step %d (%s): %v\n%s", p.number, m.step, m.op, fault, debug.Stack()))
		}
		for i := range t.Failures {
			t.Failures[i].Workflow = p.number
		}
	}()
	m.play(p)
	return t
}

// play makes the first commit, and plays the steps.
func (m *model) play(p plan) {
	for i := range 2 + m.r.IntN(2) {
		name := fmt.Sprintf("f%d.%s", i, pick(m.r, styles).ext)
		var lines []string
		for range 6 + m.r.IntN(14) {
			lines = append(lines, m.line(nil, name))
		}
		m.worktree[name] = join(lines)
	}
	m.arrive(&node{tree: maps.Clone(m.worktree)})
	m.index = maps.Clone(m.worktree)
	for m.step = 1; m.step <= p.steps; m.step++ {
		m.r = newRand(p.seed, p.number<<16+uint64(m.step))
		if p.skip[m.step] {
			continue
		}
		for done := false; !done; {
			o := choose(m.r, modelOps)
			if m.op = o.name; o.do(m) {
				done = true
				m.tally.Ops[o.name]++
			}
		}
		m.say("%d %s, on %s", m.step, m.op, short(string(m.head.id)))
		m.tally.Steps++
		m.checkLost()
	}
}

func (m *model) say(format string, args ...any) {
	if m.trace != nil {
		fmt.Fprintf(m.trace, format+"\n", args...)
	}
}

func (m *model) chance(n int) bool { return m.r.IntN(n) == 0 }

// commons are lines that code is full of: nobody's, and no evidence.
var commons = []string{"}", "}", "\t}", "", "\treturn nil", "\t\treturn err", "\tif err != nil {"}

// line makes a new line of somebody's for a file. In code many are nobody's.
func (m *model) line(s *session, file string) string {
	if strings.HasSuffix(file, ".c") && m.chance(3) {
		return pick(m.r, commons)
	}
	m.lines++
	return newLine(m.r, s, file, m.step, m.lines)
}

// edits has somebody change something in the worktree.
func (m *model) edits(s *session, do func()) bool {
	before := maps.Clone(m.worktree)
	do()
	m.ledger.changed(s.name(), before, m.worktree, nil)
	changes := m.blobs.diff(before, m.worktree)
	for _, c := range changes {
		m.touch(s, string(c.Path))
		m.say("  %s: %s %q", s.name(), c.Path, m.worktree[string(c.Path)].lines())
	}
	return len(changes) > 0
}

// touch notes that somebody changed a file.
func (m *model) touch(s *session, name string) {
	if m.edited[s.name()] == nil {
		m.edited[s.name()] = map[string]bool{}
	}
	m.edited[s.name()][name] = true
}

func (m *model) editFile(s *session) bool {
	names := m.worktree.names()
	if len(names) == 0 {
		return false
	}
	name := pick(m.r, names)
	return m.edits(s, func() {
		m.worktree[name] = join(pick(m.r, edits)(m.r, m.worktree[name].lines(), func() string { return m.line(s, name) }))
	})
}

func (m *model) humanEdits() bool { return m.editFile(nil) }

// agentEdits has a session edit, write, delete or rename a file.
func (m *model) agentEdits(s *session) {
	names := m.worktree.names()
	switch r := m.r.IntN(20); {
	case r < 2 || len(names) < 2:
		name := fmt.Sprintf("new%d.txt", m.r.IntN(6))
		m.edits(s, func() { m.worktree[name] = join(several(m.r, func() string { return m.line(s, name) })) })
	case r == 2 && len(names) > 2:
		m.edits(s, func() { delete(m.worktree, pick(m.r, names)) })
	case r == 3:
		from := pick(m.r, names)
		to := fmt.Sprintf("moved%d%s", m.r.IntN(4), from[strings.LastIndex(from, "."):])
		if _, there := m.worktree[to]; !there {
			m.say("  %s renames %s to %s", s.id, from, to)
			m.touch(s, from)
			for _, names := range m.edited {
				names[to] = names[to] || names[from]
			}
			m.ledger.takeOut(from, "", s.id)
			m.renamers[to] = append(m.renamers[to], s.id)
			m.worktree[to] = m.worktree[from]
			delete(m.worktree, from)
		}
	default:
		m.editFile(s)
	}
}

// turn is one of a session, mostly of the one that worked last. In some the agent commits.
func (m *model) turn() bool {
	if m.last == nil || m.chance(4) {
		m.last = pick(m.r, m.sessions)
	}
	s := m.last
	m.clock = m.clock.Add(time.Minute)
	s.from = maps.Clone(m.worktree)
	head := m.head
	m.turnStart(s)
	for range 1 + m.r.IntN(3) {
		m.agentEdits(s)
	}
	if m.chance(12) {
		if m.chance(2) {
			m.stageSome()
		} else {
			m.stageAll()
		}
		m.commit(s, false)
		if m.chance(2) {
			m.agentEdits(s)
		}
	}
	m.turnEnd(s, head)
	return true
}

// worked are the files with uncommitted lines of sessions.
func (m *model) worked() (names []string) {
	had := keysIn(m.head.tree)
	for _, name := range m.worktree.names() {
		for _, line := range m.worktree[name].lines() {
			if who, ok := authorOf(line); ok && who != human && had[key(line)] == 0 {
				names = append(names, name)
				break
			}
		}
	}
	return names
}

// humanIndents: the human indents sessions' uncommitted lines, as when a block is put around them.
func (m *model) humanIndents() bool {
	return m.changeWork(func(lines []string, work func(string) bool) {
		for i, line := range lines {
			if work(line) {
				lines[i] = "\t" + line
			}
		}
	})
}

// humanTakesOut: the human removes sessions' uncommitted lines by hand, all or some.
func (m *model) humanTakesOut() bool {
	all := m.chance(2)
	return m.changeWork(func(lines []string, work func(string) bool) {
		for i, line := range lines {
			if work(line) && (all || m.chance(2)) {
				lines[i] = removed
			}
		}
	})
}

// removed stands for a line that changeWork removes.
const removed = "\x00"

// changeWork changes the lines of a file with sessions' uncommitted work.
func (m *model) changeWork(change func(lines []string, work func(string) bool)) bool {
	names := m.worked()
	if len(names) == 0 {
		return false
	}
	name, had := pick(m.r, names), keysIn(m.head.tree)
	lines := m.worktree[name].lines()
	change(lines, func(line string) bool {
		who, ok := authorOf(line)
		return ok && who != human && had[key(line)] == 0
	})
	return m.edits(nil, func() { m.worktree[name] = join(slices.DeleteFunc(lines, func(l string) bool { return l == removed })) })
}

func (m *model) modified() (names []string) {
	for _, c := range m.blobs.diff(m.head.tree, m.worktree) {
		names = append(names, string(c.Path))
	}
	return names
}

func (m *model) restoreAll() bool {
	some := len(m.modified()) > 0
	m.worktree, m.index = maps.Clone(m.head.tree), maps.Clone(m.head.tree)
	return some
}

// set puts a file's version of one tree into others.
func (m *model) set(name string, from files, to ...files) {
	for _, tree := range to {
		m.blobs.put(tree, name, m.blobs.entry(from, name))
	}
}

func (m *model) restoreOne() bool {
	names := m.modified()
	if len(names) == 0 {
		return false
	}
	m.set(pick(m.r, names), m.head.tree, m.worktree, m.index)
	return true
}

// push stashes, with or without new files.
func (m *model) push() bool {
	e, untracked := entry{m.head, map[string]gitexec.Entry{}}, m.chance(2)
	for _, name := range m.modified() {
		if _, known := m.head.tree[name]; known || untracked {
			e.changed[name] = m.blobs.entry(m.worktree, name)
		}
	}
	if len(e.changed) == 0 {
		return false
	}
	m.index = maps.Clone(m.head.tree)
	for name := range e.changed {
		m.set(name, m.head.tree, m.worktree)
	}
	m.stash = append(m.stash, e)
	return true
}

// apply applies the newest entry, if no merge is needed.
func (m *model) apply(pop bool) bool {
	if len(m.stash) == 0 {
		return false
	}
	e := m.stash[len(m.stash)-1]
	for name := range e.changed {
		now := m.blobs.entry(m.head.tree, name)
		if now != m.blobs.entry(e.base.tree, name) || now != m.blobs.entry(m.worktree, name) {
			return false
		}
	}
	m.index = maps.Clone(m.head.tree)
	for name, version := range e.changed {
		m.blobs.put(m.worktree, name, version)
	}
	return !pop || m.drop()
}

func (m *model) drop() bool {
	if len(m.stash) == 0 {
		return false
	}
	m.stash = m.stash[:len(m.stash)-1]
	return true
}

func (m *model) stageAll() bool {
	m.index = maps.Clone(m.worktree)
	return len(m.modified()) > 0
}

func (m *model) stageSome() bool {
	names := m.modified()
	if len(names) == 0 {
		return false
	}
	m.index = maps.Clone(m.head.tree)
	m.r.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	for _, name := range names[:1+m.r.IntN(len(names))] {
		m.set(name, m.worktree, m.index)
	}
	return true
}

// stagePart stages some of a file's changes, as `git add -p` does.
func (m *model) stagePart() bool {
	names := m.modified()
	if len(names) == 0 {
		return false
	}
	name := pick(m.r, names)
	part := join(partOf(m.r, m.head.tree[name].lines(), m.worktree[name].lines()))
	if part == "" {
		return false
	}
	m.index = maps.Clone(m.head.tree)
	m.index[name] = part
	return true
}

// commit commits the index, or amends the last commit with it.
func (m *model) commit(s *session, amend bool) bool {
	parent := m.head
	if amend {
		parent = m.head.parent
	}
	if parent == nil || len(m.blobs.diff(parent.tree, m.index)) == 0 {
		return false
	}
	old := m.head
	m.committed(committing{old, m.arrive(&node{parent: parent, tree: maps.Clone(m.index)}), s, amend})
	return true
}

// commitPath commits one file, whatever is staged.
func (m *model) commitPath() bool {
	names := slices.DeleteFunc(m.modified(), func(name string) bool { _, known := m.head.tree[name]; return !known })
	if len(names) == 0 {
		return false
	}
	old, next := m.head, &node{parent: m.head, tree: maps.Clone(m.head.tree)}
	m.set(pick(m.r, names), m.worktree, next.tree, m.index)
	m.committed(committing{old: old, new: m.arrive(next)})
	return true
}

// arrive moves HEAD to a new commit.
func (m *model) arrive(n *node) *node {
	n.id = gitexec.OID(fmt.Sprintf("%07x%033d", len(m.nodes)+1, 0))
	m.nodes[n.id], m.head, m.tips[m.branch] = n, n, n
	return n
}

// reset goes back by one commit, and keeps its changes in the worktree and perhaps in the index.
func (m *model) reset() bool {
	if m.head.parent == nil {
		return false
	}
	m.resets = append(m.resets, m.head)
	m.head = m.head.parent
	m.tips[m.branch] = m.head
	if m.chance(2) {
		m.index = maps.Clone(m.head.tree)
	}
	return true
}

// switchBranch goes to the other branch with all uncommitted work, if git lets it.
func (m *model) switchBranch() bool {
	other := "side"
	if m.branch == other {
		other = "main"
	}
	to := m.tips[other]
	if to == nil {
		to = m.head
	}
	changes := m.blobs.diff(m.head.tree, to.tree)
	for _, c := range changes {
		if name := string(c.Path); m.blobs.entry(m.worktree, name) != c.Old || m.blobs.entry(m.index, name) != c.Old {
			return false
		}
	}
	for _, c := range changes {
		m.set(string(c.Path), to.tree, m.worktree, m.index)
	}
	m.branch, m.head, m.tips[other] = other, to, to
	return true
}
