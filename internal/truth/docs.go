package main

import (
	"bytes"
	"fmt"
	"os"
	"slices"
)

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
