package main

import (
	"fmt"
	"slices"
)

// A kind is what a check found wrong.
type kind string

const (
	wrongLine    kind = "wrong line"
	missedLink   kind = "missed link"
	wrongLink    kind = "wrong link"
	missedFile   kind = "file missing from files_touched"
	wrongFile    kind = "file wrongly in files_touched"
	wrongSum     kind = "wrong sum"
	views        kind = "views differ"
	bytesChanged kind = "bytes changed"
	rewound      kind = "rewind differs"
	unsound      kind = "broken promise"
	elsewhere    kind = "another answer in a clone, or after gc"
	complaints   kind = "complaint"
	panics       kind = "panic"
	// The following are of workflows in memory.
	wrongSame kind = "wrong stream"
	wrongNew  kind = "wrong new stream"
	lostWork  kind = "lost line"
)

var kinds = []kind{wrongLine, missedLink, wrongLink, missedFile, wrongFile, wrongSum, views, bytesChanged, rewound, unsound, elsewhere, complaints, panics}

// A failure is one mismatch.
type failure struct {
	Kind     kind   `json:"kind"`
	Workflow uint64 `json:"workflow"`
	Step     int    `json:"step"`
	Op       string `json:"op"`
	What     string `json:"what"`
}

// A tally counts what was checked, and what was wrong.
type tally struct {
	Workflows int `json:"workflows"`
	Steps     int `json:"steps"`
	Commits   int `json:"commits"`
	// Lines are those that commits add; Doubtful ones have more than one owner that is right.
	Lines    int `json:"lines"`
	Doubtful int `json:"doubtful_lines"`
	Nobodys  int `json:"lines_of_nobody"`
	Unknown  int `json:"unknown_lines"`
	// Links are those of a commit to a session that wrote in it; Skipped are links that may be
	// there or not.
	Links   int `json:"links"`
	Skipped int `json:"links_skipped"`
	Files   int `json:"files"`
	Views   int `json:"views"`
	Rewinds int `json:"rewinds"`
	// Elsewhere are lines whose owner was asked for again in a clone, and after gc.
	Elsewhere int            `json:"lines_elsewhere"`
	Decisions int            `json:"decisions"` // about streams, in memory
	Ops       map[string]int `json:"operations"`
	Wrong     map[kind]int   `json:"wrong"`
	Failures  []failure      `json:"failures"`
	Errors    []string       `json:"errors"` // workflows that the machine failed
}

func newTally() *tally { return &tally{Ops: map[string]int{}, Wrong: map[kind]int{}} }

func (t *tally) add(o *tally) {
	t.Workflows += o.Workflows
	t.Steps += o.Steps
	t.Commits += o.Commits
	t.Lines += o.Lines
	t.Doubtful += o.Doubtful
	t.Nobodys += o.Nobodys
	t.Unknown += o.Unknown
	t.Links += o.Links
	t.Skipped += o.Skipped
	t.Files += o.Files
	t.Views += o.Views
	t.Rewinds += o.Rewinds
	t.Elsewhere += o.Elsewhere
	t.Decisions += o.Decisions
	for op, n := range o.Ops {
		t.Ops[op] += n
	}
	for k, n := range o.Wrong {
		t.Wrong[k] += n
	}
	t.Failures = append(t.Failures, o.Failures...)
	t.Errors = append(t.Errors, o.Errors...)
	slices.SortStableFunc(t.Failures, func(a, b failure) int { return int(a.Workflow) - int(b.Workflow) })
}

// fail notes a mismatch, once.
func (w *world) fail(k kind, what string) {
	what = w.portable(what)
	if w.tally.fail(failure{Kind: k, Step: w.step, Op: w.op, What: what}) {
		w.script.say("# %s: %s", k, fmt.Sprintf("%q", what))
	}
}

// failed reports whether something is wrong that must not be. Decisions by the evidence of lines
// are wrong now and then; what was recorded is never lost.
func (t *tally) failed(decisions bool) bool {
	if decisions {
		return t.Wrong[lostWork]+len(t.Errors) > 0
	}
	return len(t.Failures)+len(t.Errors) > 0
}

// fail notes a mismatch, and reports whether it is a new one.
func (t *tally) fail(f failure) bool {
	if slices.ContainsFunc(t.Failures, func(o failure) bool { return o.Kind == f.Kind && o.What == f.What }) {
		return false
	}
	t.Wrong[f.Kind]++
	t.Failures = append(t.Failures, f)
	return true
}
