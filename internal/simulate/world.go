package main

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/suffix"
)

// world is a repository with a human and agents. They don't depend on what the programs record.
type world struct {
	kind     func(*rand.Rand) string // makes a line of the text; nil: lines of a program
	run      uint64                  // the workflow's number
	rng      *rand.Rand
	script   script
	ids      int
	blobs    map[string]gitexec.OID
	texts    texts
	units    []*unit // by number; the first stands for the human
	head     *commit
	commits  int
	didReset bool // a commit was reset: its checkpoint may have no commit
	byID     map[gitexec.OID]*commit
	branches map[string]*commit
	resets   []*commit // where HEAD was reset from
	branch   string
	index    tree
	worktree tree
	stashes  []stash
	turn     *turn // that is going on
	turns    int
	last     string // the session that worked last
	programs []program
}

// unit is one piece of an agent's work: what one step of one turn did to a file.
type unit struct {
	session string
	turn    int
	kind    kind // of its most significant change
	lines   []line
}

type turn struct {
	session string
	number  int
	before  tree
	commit  *commit
}

// commit is a commit of the user's, or of an agent's.
type commit struct {
	number int
	parent *commit
	merged *commit // the second parent, if there is one
	tree   tree
}

// reaches reports whether a commit is in this one's history.
func (c *commit) reaches(id gitexec.OID) bool {
	return c != nil && (c.id() == id || c.parent.reaches(id) || c.merged.reaches(id))
}

// line is the commit and its first-parent history, newest first.
func (c *commit) line() (ids []gitexec.OID) {
	for ; c != nil; c = c.parent {
		ids = append(ids, c.id())
	}
	return ids
}

func (c *commit) id() gitexec.OID { return gitexec.OID(fmt.Sprintf("%07x%033d", c.number, 0)) }

// stash is an entry of the stash: the files that it holds otherwise than the commit it was made on.
type stash struct {
	base    tree
	changed tree
}

// version is a file as the entry has it.
func (s stash) version(path string) gitexec.Entry {
	if f, ok := s.changed[path]; ok {
		return f.version()
	}
	return s.base.version(path)
}

// stashed is condense.Stashed for the stash entries that there are.
func (w *world) stashed() condense.Stashed {
	return func(own []suffix.Change, committed gitexec.Entry) (held bool, err error) {
		for _, s := range slices.Backward(w.stashes) {
			now := s.version(string(own[0].Path))
			if held || err != nil || now == own[0].Before || now == committed {
				continue
			}
			held, err = suffix.InEffect(own, gitexec.Change{Path: own[0].Path, Old: own[0].Before, New: now}, w.texts)
		}
		return held, err
	}
}

// program records the agents' work.
type program interface {
	turnStart(w *world, t turn)
	turnEnd(w *world, t turn)
	committed(w *world, c committing)
	rebased(w *world, moves []move)
	looks(w *world) // after every step
}

// committing is a commit as its hooks see it.
type committing struct {
	old, new *commit
	amend    bool
	byAgent  bool
	only     bool    // one path
	replayed bool    // by git itself, as a revert or a pick
	picked   *commit // what was picked
}

// move is a commit and its successor.
type move struct{ old, new *commit }

// texts are the lines of the blobs.
type texts map[gitexec.OID][]string

func (t texts) Lines(e gitexec.Entry) ([]string, bool, error) {
	lines, ok := t[e.ID]
	return lines, ok, nil
}

func newWorld(rng *rand.Rand, kind func(*rand.Rand) string) *world {
	w := &world{rng: rng, kind: kind, blobs: map[string]gitexec.OID{}, texts: texts{}, units: []*unit{{}}, branches: map[string]*commit{},
		byID: map[gitexec.OID]*commit{}, branch: "main", worktree: tree{}}
	w.script.begin()
	for i := range 2 + rng.IntN(2) {
		path := fmt.Sprintf("file%d.go", i)
		w.put(path, &file{mode: gitexec.ModeFile, lines: w.code(15+rng.IntN(35), 0)})
	}
	w.head = &commit{tree: w.worktree.clone()}
	w.index = w.worktree.clone()
	w.branches["main"] = w.head
	w.script.enabled()
	return w
}

func (w *world) next() int { w.ids++; return w.ids }

// put writes a version to the worktree. An unchanged or committed version is no work.
func (w *world) put(path string, f *file) {
	w.made(f)
	old := w.worktree[path]
	w.script.put(path, old, f)
	w.worktree[path] = f
	if w.head != nil && f.version() == w.head.tree.version(path) {
		w.undo(path)
	}
	if f.version() == old.version() && old != nil {
		w.worktree[path] = old
	}
}

// made assigns a version its object ID.
func (w *world) made(f *file) *file {
	if f.gone {
		return f
	}
	content := f.content()
	id, ok := w.blobs[content]
	if !ok {
		id = gitexec.OID(fmt.Sprintf("%040x", len(w.blobs)+1))
		w.blobs[content] = id
		if !f.binary() {
			lines := []string{}
			for _, l := range f.lines {
				lines = append(lines, l.text)
			}
			w.texts[id] = lines
		}
	}
	f.entry = gitexec.Entry{Mode: f.mode, ID: id}
	return f
}

// begin adds a piece of an agent's work.
func (w *world) begin() int {
	w.units = append(w.units, &unit{session: w.turn.session, turn: w.turn.number})
	return len(w.units) - 1
}

// substance reports whether a trace is significant to a user. A remaining brace of a function
// isn't, unless the work was only braces.
func (w *world) substance(m mark) bool {
	return m.kind == distinct || m.kind == common && w.units[m.unit].kind == common
}

// union returns the paths of both trees, sorted.
func union(a, b tree) []string {
	all := map[string]bool{}
	for path := range a {
		all[path] = true
	}
	for path := range b {
		all[path] = true
	}
	return slices.Sorted(maps.Keys(all))
}

// paths lists the paths of the worktree's files that pass a test, sorted.
func (w *world) paths(test func(string, *file) bool) []string {
	var found []string
	for _, path := range slices.Sorted(maps.Keys(w.worktree)) {
		if f := w.worktree[path]; f.exists() && test(path, f) {
			found = append(found, path)
		}
	}
	return found
}

func (w *world) modified() []string {
	var paths []string
	for _, c := range diff(w.head.tree, w.worktree) {
		paths = append(paths, string(c.Path))
	}
	return paths
}
