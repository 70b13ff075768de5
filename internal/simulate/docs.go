package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
)

// The marks around what docs writes, as the page has them.
const (
	docsBegin = "<!-- written by: go run ./internal/simulate -docs docs/streams.md -->\n"
	docsEnd   = "<!-- end of what is written -->\n"
)

// writeDocs replaces what is between the marks in a page.
func writeDocs(file string, tallies []*tally) error {
	page, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	before, rest, ok := bytes.Cut(page, []byte(docsBegin))
	_, after, ok2 := bytes.Cut(rest, []byte(docsEnd))
	if !ok || !ok2 {
		return fmt.Errorf("%s has no place for the tables: a line %q, and a line %q", file, docsBegin, docsEnd)
	}
	var text bytes.Buffer
	docs(&text, tallies)
	return os.WriteFile(file, slices.Concat(before, []byte(docsBegin), text.Bytes(), []byte(docsEnd), after), 0o644)
}

// docs prints the tables in Markdown: of all rules, and the kinds of failures of the first one.
func docs(out io.Writer, tallies []*tally) {
	fmt.Fprint(out, "\n| rule | decisions | wrong *same* | wrong *new* | ghosts | corrupt | lost | commits | wrong links | missed links |\n"+
		"|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n")
	for _, t := range tallies {
		name := t.Rule
		if name == "seed" {
			name = "literal"
		}
		fmt.Fprintf(out, "| %s |", name)
		for _, n := range []int{t.Decisions, t.WrongSame, t.WrongNew, t.Ghosts, t.Corrupt, t.Lost, t.Commits, t.LinkWrong, t.LinkMissed} {
			fmt.Fprintf(out, " %s |", thousands(n))
		}
		fmt.Fprintln(out)
	}
	fmt.Fprintf(out, "\nWhat is wrong by the %s rule:\n\n| kind | cases |\n|---|---:|\n", tallies[0].Rule)
	for _, kind := range tallies[0].kinds() {
		fmt.Fprintf(out, "| %s | %s |\n", kind, thousands(tallies[0].Kinds[kind]))
	}
	fmt.Fprintln(out)
}

// thousands writes a number with commas.
func thousands(n int) string {
	digits := strconv.Itoa(n)
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}
