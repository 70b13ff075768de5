package main

import (
	"cmp"
	"maps"
	"slices"
)

// tally counts one rule's results in all workflows.
type tally struct {
	Rule       string
	Decisions  int
	Commits    int
	WrongSame  int
	WrongNew   int
	Ghosts     int
	Corrupt    int // files that a checkpoint holds otherwise than the worktree
	Lost       int
	LinkWrong  int // a session condensed none of whose work is in the commit
	LinkMissed int
	Kinds      map[string]int
	Failures   []failure
}

// failure is one wrong result.
type failure struct {
	What, Kind string
	Run        uint64
	Turn       int
}

func (t *tally) fail(count *int, what, kind string, w *world) {
	*count++
	if t.Kinds == nil {
		t.Kinds = map[string]int{}
	}
	t.Kinds[what+": "+kind]++
	t.Failures = append(t.Failures, failure{what, kind, w.run, w.turns})
	w.script.comment(t.Rule + " fails here. " + what + ": " + kind)
}

// add sums up.
func (t *tally) add(o *tally) {
	t.Decisions += o.Decisions
	t.Commits += o.Commits
	t.WrongSame += o.WrongSame
	t.WrongNew += o.WrongNew
	t.Ghosts += o.Ghosts
	t.Corrupt += o.Corrupt
	t.Lost += o.Lost
	t.LinkWrong += o.LinkWrong
	t.LinkMissed += o.LinkMissed
	t.Failures = append(t.Failures, o.Failures...)
	if t.Kinds == nil {
		t.Kinds = map[string]int{}
	}
	for kind, n := range o.Kinds {
		t.Kinds[kind] += n
	}
}

// kinds lists the kinds of failures, the most frequent first.
func (t *tally) kinds() []string {
	return slices.SortedFunc(maps.Keys(t.Kinds), func(a, b string) int {
		return cmp.Or(cmp.Compare(t.Kinds[b], t.Kinds[a]), cmp.Compare(a, b))
	})
}
