package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"
	"text/tabwriter"
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
	// Foreseen are lines whose owner was asked for before a commit of all, and after it.
	Foreseen int `json:"lines_foreseen"`
	// Elsewhere are lines whose owner was asked for again in a clone, and after gc.
	Elsewhere int            `json:"lines_elsewhere"`
	Decisions int            `json:"decisions"` // about streams, in memory
	Ops       map[string]int `json:"operations"`
	Wrong     map[kind]int   `json:"wrong"`
	Failures  []failure      `json:"failures"`
	Errors    []string       `json:"errors"` // workflows that the machine failed
}

func newTally() *tally {
	return &tally{Ops: map[string]int{}, Wrong: map[kind]int{}}
}

// numbers are those of a tally, and what a report calls them; empty: it doesn't have them.
var numbers = []struct {
	what string
	of   func(*tally) *int
}{
	{"", func(t *tally) *int { return &t.Workflows }},
	{"", func(t *tally) *int { return &t.Nobodys }},
	{"steps", func(t *tally) *int { return &t.Steps }},
	{"commits", func(t *tally) *int { return &t.Commits }},
	{"lines of commits", func(t *tally) *int { return &t.Lines }},
	{"  of more than one right owner", func(t *tally) *int { return &t.Doubtful }},
	{"  whose owner is unknown", func(t *tally) *int { return &t.Unknown }},
	{"links to be there", func(t *tally) *int { return &t.Links }},
	{"  that may be there or not", func(t *tally) *int { return &t.Skipped }},
	{"files to be touched", func(t *tally) *int { return &t.Files }},
	{"views compared", func(t *tally) *int { return &t.Views }},
	{"lines foreseen", func(t *tally) *int { return &t.Foreseen }},
	{"rewinds", func(t *tally) *int { return &t.Rewinds }},
	{"lines in a clone, and after gc", func(t *tally) *int { return &t.Elsewhere }},
	{"decisions about streams", func(t *tally) *int { return &t.Decisions }},
}

func (t *tally) add(o *tally) {
	for _, c := range numbers {
		*c.of(t) += *c.of(o)
	}
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
func (w *world) fail(k kind, format string, args ...any) {
	what := w.portable(fmt.Sprintf(format, args...))
	if w.tally.fail(failure{Kind: k, Step: w.step, Op: w.op, What: what}) {
		w.script.say("# %s: %q", k, what)
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

// report prints the counts, and what was wrong.
func report(to io.Writer, t *tally, seed uint64) {
	fmt.Fprintf(to, "%d workflows, seed %d\n\n", t.Workflows, seed)
	tab := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	row := func(what string, n int) { fmt.Fprintf(tab, "%s\t%d\n", what, n) }
	for _, c := range numbers {
		if c.what != "" {
			row(c.what, *c.of(t))
		}
	}
	for _, k := range kinds {
		row(string(k), t.Wrong[k])
	}
	tab.Flush()
	type group struct {
		number uint64
		kind   kind
	}
	times := map[group]int{}
	for _, f := range t.Failures {
		times[group{f.Workflow, f.Kind}]++
	}
	for _, f := range t.Failures { // the first of its kind, which the others may follow from
		g := group{f.Workflow, f.Kind}
		if times[g] > 0 {
			fmt.Fprintf(to, "\nworkflow %d, step %d (%s): %s (%d)\n  %s\n", f.Workflow, f.Step, f.Op, f.Kind, times[g], f.What)
			delete(times, g)
		}
	}
	slices.Sort(t.Errors)
	for _, e := range t.Errors {
		fmt.Fprintln(to, "\nerror:", e)
	}
}

// The marks around the counts in a page.
const (
	docsBegin = "<!-- written by: go run ./internal/truth -docs docs/streams.md -->\n"
	docsEnd   = "<!-- end of what is written -->\n"
)

// writeDocs replaces what is between the marks in a page by the counts of workflows in memory.
func writeDocs(file string, t *tally) error {
	page, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	before, rest, begins := bytes.Cut(page, []byte(docsBegin))
	_, after, ends := bytes.Cut(rest, []byte(docsEnd))
	if !begins || !ends {
		return fmt.Errorf("%s has no place for the counts: a line %q, and a line %q", file, docsBegin, docsEnd)
	}
	table := fmt.Sprintf("\n| of %d workflows | | wrong |\n|---|---:|---:|\n", t.Workflows)
	for _, row := range []struct {
		what     string
		n, wrong int
	}{
		{"turns that go on with a stream, or have a new one: wrong streams", t.Decisions, t.Wrong[wrongSame]},
		{"the same: wrong new streams", t.Decisions, t.Wrong[wrongNew]},
		{"links that must be there: missed", t.Links, t.Wrong[missedLink]},
		{"commits: wrong links", t.Commits, t.Wrong[wrongLink]},
		{"links that may be there or not", t.Skipped, 0},
		{"steps after which something was lost", t.Steps, t.Wrong[lostWork]},
	} {
		table += fmt.Sprintf("| %s | %d | %d |\n", row.what, row.n, row.wrong)
	}
	return os.WriteFile(file, slices.Concat(before, []byte(docsBegin), []byte(table), []byte("\n"+docsEnd), after), 0o644)
}
