package main

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
)

// An op is something that somebody does in a world. It reports whether it could be done.
type op[W any] struct {
	name   string
	weight int
	do     func(*W) bool
	// replays says that its commits replace others, whose links they keep whatever becomes of the
	// sessions' lines.
	replays bool
}

// ops are all that a workflow may consist of.
var ops = []op[world]{
	{"turn", 22, turn, false},
	{"turn with commit", 5, turnWithCommit, true},
	{"turns at once", 4, turnsAtOnce, false},
	{"turn, and the human commits", 3, turnBesideCommit, false},
	{"turn interrupted", 3, turnInterrupted, false},
	{"human edits", 14, humanEdits, false},
	{"human moves lines", 2, func(w *world) bool { return moveLines(w, nil) }, false},
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

// play plays one workflow, and returns what the checks found, and the workflow as a scenario.
func play(p plan) (t *tally, scenario string) {
	if p.decisions {
		return playModel(p), ""
	}
	t = newTally()
	t.Workflows = 1
	dir, err := os.MkdirTemp(p.dir, "truth-")
	if err != nil {
		t.Errors = append(t.Errors, err.Error())
		return t, ""
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		t.Errors = append(t.Errors, err.Error())
		return t, ""
	}
	if !p.keep {
		defer os.RemoveAll(dir)
	}
	var w *world
	defer func() {
		if w != nil {
			if w.objects != nil {
				w.objects.close()
			}
			scenario = w.script.String()
		}
		if fault := recover(); fault != nil {
			t.Errors = append(t.Errors, fmt.Sprintf("workflow %d, step %d (%s): %v\n%s", p.number, w.step, w.op, fault, debug.Stack()))
		}
		for i := range t.Failures {
			t.Failures[i].Workflow = p.number
		}
	}()
	w = newWorld(dir, p.program, newRand(p.seed, p.number<<16), t, p.trace)
	w.ops = ops
	if p.further {
		w.ops, w.ledger.strict = slices.Concat(ops, further), true
	}
	begin(w)
	for w.step = 1; w.step <= p.steps; w.step++ {
		w.r = newRand(p.seed, p.number<<16+uint64(w.step)) // the same whatever is left out
		if p.skip[w.step] {
			continue
		}
		w.playStep()
	}
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
		if o.do(w) {
			w.tally.Ops[o.name]++
			w.tally.Steps++
			w.check()
			w.committed()
			return
		}
	}
}

func newRand(seed, number uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, number)) }

func choose[W any](r *rand.Rand, from []op[W]) op[W] {
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
func begin(w *world) {
	w.op = "begin"
	format := []string{}
	if w.chance(12) {
		format = []string{"--object-format=sha256"}
	}
	if !w.git(append([]string{"init", "-q"}, format...)...) {
		panic("git init failed")
	}
	root := w.chance(8)
	if !root {
		for i := range 2 + w.r.IntN(3) {
			name := fmt.Sprintf("f%d.%s", i, pick(w.r, styles).ext)
			var lines []string
			for range 3 + w.r.IntN(6) {
				lines = append(lines, w.line(nil, name))
			}
			w.write(name, join(lines))
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
	if res := w.exec(call{args: append([]string{"entire-plumb"}, args...)}); res.failed {
		panic("enable failed: " + res.errs)
	}
	w.script.say("plumb %s", quoted(args))
}

// line makes a new line of somebody's for a file.
func (w *world) line(s *session, file string) string {
	w.lines++
	return newLine(w.r, s, file, w.step, w.lines)
}
