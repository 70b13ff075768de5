// Command simulate measures the decisions about streams and links: it plays random workflows of a
// human and a few sessions in memory, with the program's own decision functions, and compares their
// decisions with the truth.
package main

import (
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"text/tabwriter"
)

func main() {
	n := flag.Int("n", 10000, "how many workflows")
	first := flag.Uint64("first", 0, "the number of the first one")
	seed := flag.Uint64("seed", 1, "what they are made from")
	text := flag.String("text", "", "numbers, rows, words or chinese: lines of this kind in place of a program's")
	rule := flag.String("rule", "", "ledger or seed: this rule alone")
	dir := flag.String("o", "", "write workflows that fail, as scenarios for entire-plumb replay, into this directory, up to ten of a kind")
	page := flag.String("docs", "", "write the tables into this `file`, between its marks; not with other options")
	flag.Parse()
	if *page != "" && flag.NFlag() > 1 {
		fmt.Fprintln(os.Stderr, "simulate: -docs takes no other option: the page says what was played")
		os.Exit(2)
	}
	rules := []string{"ledger", "seed"}
	if *rule != "" {
		if !slices.Contains(rules, *rule) {
			fmt.Fprintln(os.Stderr, "simulate: -rule is ledger or seed")
			os.Exit(2)
		}
		rules = []string{*rule}
	}
	kind := kinds[*text]
	if *text != "" && kind == nil {
		fmt.Fprintln(os.Stderr, "simulate: -text is numbers, rows, words or chinese")
		os.Exit(2)
	}
	tallies := simulate(*seed, *first, *n, rules, kind)
	report(os.Stdout, tallies, *seed, *n)
	if *page != "" {
		if err := writeDocs(*page, tallies); err != nil {
			fmt.Fprintln(os.Stderr, "simulate:", err)
			os.Exit(1)
		}
	}
	broken := brokenPromises(tallies)
	if *dir != "" {
		broken = tallies
	}
	if err := writeFailures(*dir, *seed, kind, broken); err != nil {
		fmt.Fprintln(os.Stderr, "simulate:", err)
		os.Exit(1)
	}
	if len(brokenPromises(tallies)) > 0 {
		os.Exit(1)
	}
}

// brokenPromises selects failures that the program's own rules must never have: ghosts, and corrupt
// or lost content.
func brokenPromises(tallies []*tally) []*tally {
	var broken []*tally
	for _, t := range tallies {
		bad := slices.DeleteFunc(slices.Clone(t.Failures), func(f failure) bool {
			return f.What != "ghost" && f.What != "corrupt" &&
				f.What != "lost"
		})
		if t.Rule != "seed" && len(bad) > 0 {
			broken = append(broken, &tally{Rule: t.Rule, Failures: bad})
		}
	}
	return broken
}

// newPrograms makes a program for each rule.
func newPrograms(rules []string) ([]program, []*tally) {
	var programs []program
	var tallies []*tally
	for _, rule := range rules {
		if rule == "seed" {
			p := newLiteral()
			programs, tallies = append(programs, p), append(tallies, &p.tally)
			continue
		}
		p := newPlumb(rule)
		programs, tallies = append(programs, p), append(tallies, &p.tally)
	}
	return programs, tallies
}

// simulate plays n workflows, each observed by all rules, and sums up the results of each rule.
func simulate(seed, first uint64, n int, rules []string, kind func(*rand.Rand) string) []*tally {
	totals := make([]*tally, len(rules))
	for i, rule := range rules {
		totals[i] = &tally{Rule: rule}
	}
	var lock sync.Mutex
	var all sync.WaitGroup
	numbers := make(chan uint64)
	for range runtime.GOMAXPROCS(0) {
		all.Go(func() {
			for number := range numbers {
				programs, tallies := newPrograms(rules)
				run(seed, number, kind, programs...)
				lock.Lock()
				for i, t := range tallies {
					totals[i].add(t)
				}
				lock.Unlock()
			}
		})
	}
	for i := range n {
		numbers <- first + uint64(i)
	}
	close(numbers)
	all.Wait()
	for _, t := range totals {
		slices.SortStableFunc(t.Failures, func(a, b failure) int { return int(a.Run) - int(b.Run) })
	}
	return totals
}

// report prints the table, and the kinds of failures.
func report(out io.Writer, tallies []*tally, seed uint64, n int) {
	fmt.Fprintf(out, "%d workflows, seed %d\n\n", n, seed)
	tab := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tab, "rule\tdecisions\twrong same\twrong new\tghosts\tcorrupt\tlost\tcommits\twrong links\tmissed links")
	for _, t := range tallies {
		fmt.Fprintf(tab, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\n", t.Rule, t.Decisions, t.WrongSame, t.WrongNew, t.Ghosts, t.Corrupt,
			t.Lost, t.Commits, t.LinkWrong, t.LinkMissed)
	}
	tab.Flush()
	for _, t := range tallies {
		fmt.Fprintf(out, "\n%s\n", t.Rule)
		for _, kind := range t.kinds() {
			at := slices.IndexFunc(t.Failures, func(f failure) bool { return f.What+": "+f.Kind == kind })
			fmt.Fprintf(out, "%7d  %s (first in %d)\n", t.Kinds[kind], kind, t.Failures[at].Run)
		}
	}
}

// writeFailures writes failing workflows down, up to ten of a kind; the empty directory stands for
// a new one.
func writeFailures(dir string, seed uint64, kind func(*rand.Rand) string, tallies []*tally) (err error) {
	if len(tallies) == 0 {
		return nil
	}
	if dir == "" {
		dir, err = os.MkdirTemp("", "simulate-")
	} else {
		err = os.MkdirAll(dir, 0o755)
	}
	if err != nil {
		return err
	}
	fmt.Fprintln(os.Stderr, "simulate: failing workflows are written to", dir)
	for _, t := range tallies {
		written := map[string]int{}
		for _, f := range t.Failures {
			sort := f.What + f.Kind
			if written[sort]++; written[sort] > 10 {
				continue
			}
			programs, _ := newPrograms([]string{t.Rule})
			w := run(seed, f.Run, kind, programs...)
			name := filepath.Join(dir, fmt.Sprintf("simulate_%s_%d_%d.txtar", t.Rule, seed, f.Run))
			if err := os.WriteFile(name, []byte(w.script.String()), 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}
