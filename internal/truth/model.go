package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"entire-plumb/gitexec"
	kept "entire-plumb/internal/session"
	"entire-plumb/shadow"
)

// A model is a repository in memory with a human and sessions. The decisions are the program's own
// functions. Of git it has what they are asked about: commits, an index, a stash, two branches.
type model struct {
	*course
	last     *session  // whose turn was the last one
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
	edited   relation[string] // a session: the files that it ever changed
	renamers relation[string] // a file: the sessions that once gave it its name
	lost     map[string]bool  // lines that were found to be lost
	// What the program keeps of the sessions' work.
	states  []*kept.State
	streams map[shadow.Name]*stream
	linked  map[string]map[string][]gitexec.Path // a checkpoint and a session: the files
	dirs    map[gitexec.OID][]gitexec.Path       // likewise, of a session's directory as it once was
}

// A node is a commit.
type node struct {
	id     gitexec.OID
	parent *node
	tree   files
	links  []string // the checkpoints
}

// line is the commit and its ancestors, newest first.
func (n *node) line() (ids []gitexec.OID) {
	for ; n != nil; n = n.parent {
		ids = append(ids, n.id)
	}
	return ids
}

func (n *node) reaches(id gitexec.OID) bool { return slices.Contains(n.line(), id) }

// An entry of the stash has the files of a commit as they were changed.
type entry struct {
	base *node
	tree files
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
var modelOps = []op[func(*model) bool]{
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

func newModel(c *course, trace io.Writer) *model {
	c.sessions = []*session{{id: "s1"}, {id: "s2"}, {id: "s3"}}
	return &model{course: c, trace: trace, blobs: blobs{map[text]gitexec.OID{}, map[gitexec.OID]text{}}, nodes: map[gitexec.OID]*node{},
		branch: "main", tips: map[string]*node{}, worktree: files{}, edited: relation[string]{}, renamers: relation[string]{},
		lost: map[string]bool{}, streams: map[shadow.Name]*stream{},
		linked: map[string]map[string][]gitexec.Path{}, dirs: map[gitexec.OID][]gitexec.Path{}}
}

// begin makes the first commit.
func (m *model) begin() {
	for i := range 2 + m.r.IntN(2) {
		name := fmt.Sprintf("f%d.%s", i, pick(m.r, styles).ext)
		m.worktree[name] = join(freshLines(6+m.r.IntN(14), func() string { return m.line(nil, name) }))
	}
	m.arrive(&node{tree: maps.Clone(m.worktree)})
	m.index = maps.Clone(m.worktree)
}

// playStep plays an operation that can be played now.
func (m *model) playStep() {
	for done := false; !done; {
		o := choose(m.r, modelOps)
		m.op = o.name
		done = o.do(m)
	}
	m.tally.Ops[m.op]++
	m.say("%d %s, on %s", m.step, m.op, short(string(m.head.id)))
	m.tally.Steps++
	m.checkLost()
}

func (m *model) say(format string, args ...any) {
	if m.trace != nil {
		fmt.Fprintf(m.trace, format+"\n", args...)
	}
}

// commons are lines that code is full of: nobody's, and no evidence.
var commons = []string{"}", "}", "\t}", "", "\treturn nil", "\t\treturn err", "\tif err != nil {"}

// line makes a new line of somebody's for a file. In code many are nobody's.
func (m *model) line(s *session, file string) string {
	if strings.HasSuffix(file, ".c") && m.chance(3) {
		return pick(m.r, commons)
	}
	return m.course.line(s, file)
}

// edits has somebody change something in the worktree.
func (m *model) edits(s *session, do func()) bool {
	before := maps.Clone(m.worktree)
	do()
	m.ledger.changed(s.name(), before, m.worktree, "", "")
	changes := m.blobs.diff(before, m.worktree)
	for _, c := range changes {
		m.edited.add(s.name(), string(c.Path))
		m.say("  %s: %s %q", s.name(), c.Path, m.worktree[string(c.Path)].lines())
	}
	return len(changes) > 0
}

func (m *model) editFile(s *session) bool {
	name := m.one(m.worktree.names())
	return name != "" && m.edits(s, func() {
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
			m.edited.add(s.id, from)
			for _, names := range m.edited {
				names[to] = names[to] || names[from]
			}
			m.ledger.removed.add(place{from, ""}, s.id)
			m.renamers.add(to, s.id)
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
	head, state, now := m.head, m.state(s.id), m.clock
	state.LastInteractionTime, state.Phase = &now, kept.Active
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

// isWork reports of lines of the worktree whether they are sessions', and not committed.
func (m *model) isWork() func(line string) bool {
	had := keysIn(m.head.tree)
	return func(line string) bool {
		who, ok := authorOf(line)
		return ok && who != human && had[key(line)] == 0
	}
}

// humanIndents: the human indents sessions' uncommitted lines, as when a block is put around them.
func (m *model) humanIndents() bool {
	return m.changeWork(func(line string) (string, bool) { return "\t" + line, true })
}

// humanTakesOut: the human removes sessions' uncommitted lines by hand, all or some.
func (m *model) humanTakesOut() bool {
	all := m.chance(2)
	return m.changeWork(func(line string) (string, bool) { return line, !all && !m.chance(2) })
}

// changeWork changes, or removes, the lines of a file that are sessions' uncommitted work.
func (m *model) changeWork(change func(line string) (now string, kept bool)) bool {
	isWork := m.isWork()
	name := m.one(slices.DeleteFunc(m.worktree.names(), func(name string) bool { return !slices.ContainsFunc(m.worktree[name].lines(), isWork) }))
	if name == "" {
		return false
	}
	var lines []string
	for _, line := range m.worktree[name].lines() {
		kept := true
		if isWork(line) {
			line, kept = change(line)
		}
		if kept {
			lines = append(lines, line)
		}
	}
	return m.edits(nil, func() { m.worktree[name] = join(lines) })
}

// one is one of some names; empty: there is none.
func (m *model) one(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return pick(m.r, names)
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
	name := m.one(m.modified())
	m.set(name, m.head.tree, m.worktree, m.index)
	return name != ""
}

// push stashes, with or without new files.
func (m *model) push() bool {
	e, untracked := entry{m.head, maps.Clone(m.head.tree)}, m.chance(2)
	for _, name := range m.modified() {
		if _, known := m.head.tree[name]; known || untracked {
			m.set(name, m.worktree, e.tree)
			m.set(name, m.head.tree, m.worktree)
		}
	}
	if len(m.blobs.diff(m.head.tree, e.tree)) == 0 {
		return false
	}
	m.index = maps.Clone(m.head.tree)
	m.stash = append(m.stash, e)
	return true
}

// apply applies the newest entry, if no merge is needed.
func (m *model) apply(pop bool) bool {
	if len(m.stash) == 0 {
		return false
	}
	e := m.stash[len(m.stash)-1]
	changes := m.blobs.diff(e.base.tree, e.tree)
	for _, c := range changes {
		if name := string(c.Path); m.blobs.entry(m.head.tree, name) != c.Old || m.blobs.entry(m.worktree, name) != c.Old {
			return false
		}
	}
	m.index = maps.Clone(m.head.tree)
	for _, c := range changes {
		m.set(string(c.Path), e.tree, m.worktree)
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
	names := some(m.r, m.modified())
	if len(names) == 0 {
		return false
	}
	m.index = maps.Clone(m.head.tree)
	for _, name := range names {
		m.set(name, m.worktree, m.index)
	}
	return true
}

// stagePart stages some of a file's changes, as `git add -p` does.
func (m *model) stagePart() bool {
	name := m.one(m.modified())
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
	name := m.one(slices.DeleteFunc(m.modified(), func(name string) bool { return !m.blobs.entry(m.head.tree, name).Exists() }))
	if name == "" {
		return false
	}
	old, next := m.head, &node{parent: m.head, tree: maps.Clone(m.head.tree)}
	m.set(name, m.worktree, next.tree, m.index)
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
