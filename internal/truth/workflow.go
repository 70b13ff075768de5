package main

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"
)

// An op is something that somebody does in a world, or in a model.
type op[F any] struct {
	name   string
	weight int
	do     F
	// replays says that its commits replace others, whose links they keep whatever becomes of the
	// sessions' lines.
	replays bool
}

// ops are all that a workflow may consist of.
var ops = []op[func(*world)]{
	{"turn", 22, turn, false},
	{"turn with commit", 5, turnWithCommit, true},
	{"turns at once", 4, turnsAtOnce, false},
	{"turn, and the human commits", 3, turnBesideCommit, false},
	{"turn interrupted", 3, turnInterrupted, false},
	{"human edits", 14, humanEdits, false},
	{"human moves lines", 2, func(w *world) { moveLines(w, nil) }, false},
	{"rename", 4, renames, false},
	{"delete", 2, deletes, false},
	{"commit all", 12, commitAll, false},
	{"commit -a", 4, commitTracked, false},
	{"commit some files", 6, commitSome, false},
	{"commit a part", 6, commitPart, false},
	{"commit -- file", 3, commitPath, false},
	{"commit without hooks", 4, commitWithoutHooks, false},
	{"commit-tree", 2, commitTree, false},
	{"amend the message", 2, amendMessage, true},
	{"amend with more", 4, amendMore, true},
	{"amend with less", 2, amendLess, true},
	{"reset, and commit again", 5, resetAndCommit, false},
	{"reset, and undo that", 1, resetAndUndo, false},
	{"reset --hard", 1, resetHard, false},
	{"split", 3, split, false},
	{"rebase -i", 7, rebaseInteractive, true},
	{"rebase", 3, rebaseOnto, true},
	{"side branch", 5, sideBranch, false},
	{"switch with work", 2, switchWithWork, false},
	{"cherry-pick", 3, cherryPick, true},
	{"merge", 3, merge, false},
	{"merge --squash", 3, mergeSquash, true},
	{"revert", 2, revert, false},
	{"stash", 4, stash, false},
	{"stash pop", 5, stashPop, false},
	{"dismiss", 3, dismiss, false},
	{"rewind", 4, rewind, false},
	{"another worktree", 3, otherWorktree, false},
	{"session ends", 2, sessionEnds, false},
}

// need ends an operation where something that it needs isn't so.
func (w *world) need(so bool) {
	if !so {
		panic(impossible{})
	}
}

type impossible struct{}

// try plays an operation, and reports whether it could be played.
func (w *world) try(do func(*world)) (done bool) {
	defer func() {
		if fault := recover(); fault != nil && fault != any(impossible{}) {
			panic(fault)
		}
	}()
	do(w)
	return true
}

// A plan says which workflow to play, and how.
type plan struct {
	seed, number uint64
	dir, program string
	steps        int
	skip         map[int]bool // steps that are left out
	keep         bool
	further      bool // play further, too, and check by the laws alone
	decisions    bool // play in memory, with the decisions alone
	trace        io.Writer
}

// A course is what a workflow has, whichever way it is played.
type course struct {
	r        *rand.Rand
	step     int
	op       string
	lines    int // how many lines were written
	clock    time.Time
	sessions []*session
	ledger   ledger
	tally    *tally
}

func newCourse() *course {
	return &course{clock: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), ledger: newLedger(), tally: newTally()}
}

// chance is true once in n times.
func (c *course) chance(n int) bool { return c.r.IntN(n) == 0 }

// line makes a new line of somebody's for a file.
func (c *course) line(s *session, file string) string {
	c.lines++
	return styleOf(file).line(max(0, byName(s.name())), c.step, c.lines, c.r)
}

// play plays the beginning and the steps.
func (c *course) play(p plan, begin, step func()) {
	c.r = newRand(p.seed, p.number<<16)
	begin()
	for c.step = 1; c.step <= p.steps; c.step++ {
		c.r = newRand(p.seed, p.number<<16+uint64(c.step)) // the same whatever is omitted
		if !p.skip[c.step] {
			step()
		}
	}
}

// play plays one workflow, and returns what the checks found, and the workflow as a scenario.
func play(p plan) (t *tally, scenario string) {
	c := newCourse()
	t = c.tally
	t.Workflows = 1
	defer func() {
		if fault := recover(); fault != nil {
			t.Errors = append(t.Errors, fmt.Sprintf("workflow %d, step %d (%s): %v\n%s", p.number, c.step, c.op, fault, debug.Stack()))
		}
		for i := range t.Failures {
			t.Failures[i].Workflow = p.number
		}
	}()
	if p.decisions {
		m := newModel(c, p.trace)
		c.play(p, m.begin, m.playStep)
		return t, ""
	}
	w := newWorld(c, p)
	defer func() { scenario = w.close(p.keep) }()
	c.play(p, w.begin, w.playStep)
	w.op = "end"
	w.checkEnd()
	return t, ""
}

// playStep plays an operation that can be played now.
func (w *world) playStep() {
	for range 8 {
		o := choose(w.r, w.ops)
		w.op, w.reverts, w.replays = o.name, false, o.replays
		w.replaces = o.replays || strings.HasPrefix(o.name, "reset") || o.name == "split"
		w.script.say("\n# Step %d: %s.", w.step, o.name)
		if w.try(o.do) {
			w.tally.Ops[o.name]++
			w.tally.Steps++
			w.check()
			w.committed()
			return
		}
	}
}

func newRand(seed, number uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, number)) }

func choose[F any](r *rand.Rand, from []op[F]) op[F] {
	sum := 0
	for _, o := range from {
		sum += o.weight
	}
	n := r.IntN(sum)
	for _, o := range from {
		if n -= o.weight; n < 0 {
			return o
		}
	}
	panic("no operation was chosen")
}

// begin makes the repository, with a few files of the human's, in which the program is enabled. In
// some the first commit is still to come.
func (w *world) begin() {
	w.op = "begin"
	init := []string{"init", "-q"}
	if w.chance(12) {
		init = append(init, "--object-format=sha256")
	}
	if !w.git(init...) {
		panic("git init failed")
	}
	root := w.chance(8)
	if !root {
		for i := range 2 + w.r.IntN(3) {
			name := fmt.Sprintf("f%d.%s", i, pick(w.r, styles).ext)
			w.write(name, join(freshLines(3+w.r.IntN(6), func() string { return w.line(nil, name) })))
		}
		w.git("add", "-A")
		w.git("commit", "-q", "-m", "first")
	}
	w.enable()
	if root { // the settings are in no commit, and no stash takes them away
		must(os.WriteFile(filepath.Join(w.at.gitDir, "info", "exclude"), []byte(".claude\n.entire\n"), 0o644))
		w.script.say("exec sh -c 'printf \".claude\\n.entire\\n\" >.git/info/exclude'")
	} else {
		w.git("add", "-A")
		w.git("commit", "-q", "-m", "enabled")
		w.ask("tag", "root")
		w.script.say("git tag root")
	}
	w.objects = openObjects(w.at.dir, w.environment())
	for _, id := range w.list("rev-list", "--all") {
		w.seen[id] = true
	}
}

func (w *world) enable() {
	args := []string{"enable", "--agent", "claude-code,generic"}
	if res := w.run(append([]string{"entire-plumb"}, args...)...); res.failed {
		panic("enable failed: " + res.errs)
	}
	w.script.say("plumb %s", quoted(args))
}
