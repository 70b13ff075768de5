package main

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/dustin/go-humanize"
)

const (
	rowStatus = "git status --porcelain"
	rowPlain  = "git commit without hooks"
)

// report prints the table of one repository.
func report(out io.Writer, files int, o options, runs []results) {
	fmt.Fprintf(out, "\n%s files, %s branches and %s checkpoints there; %d files changed in a turn; "+
		"transcript of %s, %s more in each later turn; medians of %d\n\n",
		grouped(files), grouped(o.branches), grouped(o.checkpoints), o.changed, bytesShown(o.transcript), bytesShown(o.growth), len(runs))
	table := [][]string{{"", "git processes", "ms", "× git status", "× git commit without hooks"}}
	for _, row := range rows {
		if cells := cellsOf(row, runs); cells != nil {
			table = append(table, cells)
		}
	}
	status, plain := references(runs)
	table = append(table, []string{rowStatus, "", milliseconds(status), "", ""}, []string{rowPlain, "", milliseconds(plain), "", ""})
	o.print(out, table)
	if ratio, ok := paired(runs, rowPostCommit, rowPostCommitBefore); ok {
		fmt.Fprintf(out, "\npost-commit with %s checkpoints there, against the branch with none: %.2f\n", grouped(o.checkpoints), ratio)
	}
}

// cellsOf returns a row's cells: medians over the runs, of ratios as well, each of which was taken
// within one run.
func cellsOf(row string, runs []results) []string {
	var took, toStatus, toCommit []float64
	processes := 0
	for _, r := range runs {
		s, ok := r.samples[row]
		if !ok {
			return nil
		}
		took = append(took, float64(s.took))
		toStatus = append(toStatus, float64(s.took)/float64(s.status))
		toCommit = append(toCommit, float64(s.took)/r.plain())
		processes = max(processes, s.processes)
	}
	return []string{row, strconv.Itoa(processes), milliseconds(median(took)),
		fmt.Sprintf("%.2f", median(toStatus)), fmt.Sprintf("%.2f", median(toCommit))}
}

// plain is how long a commit without hooks took in this run.
func (r results) plain() float64 {
	var all []float64
	for _, c := range r.commits {
		all = append(all, float64(c))
	}
	return median(all)
}

// references returns the medians of what the hooks are held against.
func references(runs []results) (status, plain float64) {
	var statuses, plains []float64
	for _, r := range runs {
		for _, s := range r.samples {
			statuses = append(statuses, float64(s.status))
		}
		plains = append(plains, r.plain())
	}
	return median(statuses), median(plains)
}

// paired is the median of the ratios of two rows within each run.
func paired(runs []results, row, against string) (float64, bool) {
	var ratios []float64
	for _, r := range runs {
		a, b := r.samples[row], r.samples[against]
		if b.took == 0 {
			return 0, false
		}
		ratios = append(ratios, float64(a.took)/float64(b.took))
	}
	return median(ratios), true
}

func median(all []float64) float64 {
	slices.Sort(all)
	n := len(all)
	return (all[(n-1)/2] + all[n/2]) / 2
}

// print prints a table as the user wants it.
func (o options) print(out io.Writer, table [][]string) {
	if o.markdown {
		printMarkdown(out, table)
	} else {
		printTable(out, table)
	}
}

func printTable(out io.Writer, table [][]string) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, cells := range table {
		fmt.Fprintln(w, strings.Join(cells, "\t"))
	}
	w.Flush()
}

func printMarkdown(out io.Writer, table [][]string) {
	for i, cells := range table {
		fmt.Fprintf(out, "| %s |\n", strings.Join(cells, " | "))
		if i == 0 {
			fmt.Fprintln(out, "|---"+strings.Repeat("|---:", len(cells)-1)+"|")
		}
	}
}

func milliseconds(ns float64) string { return fmt.Sprintf("%.1f", ns/float64(time.Millisecond)) }

// grouped writes a number with commas between its thousands.
func grouped(n int) string { return humanize.Comma(int64(n)) }

func bytesShown(n int) string {
	if n >= 1<<20 {
		return fmt.Sprintf("%.4g MB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%.4g KB", float64(n)/(1<<10))
}
