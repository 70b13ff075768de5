// Command truth measures links, streams and the owners of lines: it plays random workflows in which
// each line names its author, with the real program and real git, or with the decisions alone.
package main

// See docs/truth.md.

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"text/tabwriter"
)

func main() { os.Exit(command()) }

// command plays what the arguments say, and returns the exit code.
func command() int {
	var p plan
	n := flag.Int("n", 20, "how many workflows")
	flag.Uint64Var(&p.number, "first", 0, "the number of the first one")
	flag.Uint64Var(&p.seed, "seed", 1, "what they are made from")
	flag.IntVar(&p.steps, "steps", 20, "how many steps each has")
	workers := flag.Int("workers", runtime.GOMAXPROCS(0), "how many are played at once")
	only := flag.Int64("only", -1, "play this workflow alone")
	verbose := flag.Bool("v", false, "print what happens, as a scenario; with -only")
	flag.BoolVar(&p.keep, "keep", false, "keep the repositories")
	reduce := flag.Bool("reduce", false, "find out which steps of a workflow that fails are needed; with -only")
	out := flag.String("o", "", "write workflows that fail, as scenarios for entire-plumb replay, into this directory")
	flag.StringVar(&p.dir, "dir", os.TempDir(), "where the repositories are")
	flag.StringVar(&p.program, "program", "", "test this program, instead of one that is built from here")
	flag.BoolVar(&p.further, "further", false, "play further workflows, and check by the laws alone: see docs/truth.md")
	flag.BoolVar(&p.decisions, "decisions", false, "play in memory, with the program's decisions alone")
	page := flag.String("docs", "", "play 10,000 workflows in memory, and write the counts into this `file`, between its marks")
	asJSON := flag.Bool("json", false, "print JSON")
	flag.Parse()
	if *page != "" {
		p.decisions, p.seed, p.number, *n, *only = true, 1, 0, 10_000, -1
	}
	if p.decisions && p.further {
		fmt.Fprintln(os.Stderr, "truth: -further needs the program, and -decisions plays without")
		return 2
	}
	if *n < 1 || *workers < 1 || p.steps < 1 || flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "truth: -n, -steps and -workers are positive, and there are no other arguments")
		return 2
	}
	bin, err := p.provide(*out)
	if err != nil {
		fmt.Fprintln(os.Stderr, "truth:", err)
		return 1
	}
	if bin != "" {
		defer os.RemoveAll(bin)
	}
	if *only >= 0 {
		p.number, *n = uint64(*only), 1
		if *verbose {
			p.trace = os.Stderr
		}
		if *reduce {
			p.skip = reduced(p)
		}
	}
	total := playAll(p, *n, *workers, *out)
	if *asJSON {
		e := json.NewEncoder(os.Stdout)
		e.SetIndent("", "  ")
		e.Encode(total)
	} else {
		report(os.Stdout, total, p.seed)
	}
	if *page != "" {
		if err := writeDocs(*page, total); err != nil {
			fmt.Fprintln(os.Stderr, "truth:", err)
			return 1
		}
	}
	if total.failed(p.decisions) {
		return 1
	}
	return 0
}

// provide makes the directories, and builds the program to be tested, if it is needed and none is
// named, into one that it returns.
func (p *plan) provide(out string) (bin string, err error) {
	for _, dir := range []string{p.dir, out} {
		if dir != "" {
			err = cmp.Or(err, os.MkdirAll(dir, 0o755))
		}
	}
	if err != nil || p.decisions {
		return "", err
	}
	if p.dir, err = filepath.Abs(p.dir); err != nil {
		return "", err
	}
	if p.program != "" {
		p.program, err = filepath.Abs(p.program)
		return "", err
	}
	if bin, err = os.MkdirTemp(p.dir, "truth-bin-"); err != nil {
		return "", err
	}
	p.program = filepath.Join(bin, "entire-plumb")
	if out, err := exec.Command("go", "build", "-o", p.program, "entire-plumb").CombinedOutput(); err != nil {
		os.RemoveAll(bin)
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return bin, nil
}

// playAll plays n workflows from the plan's on, and sums up what the checks found.
func playAll(p plan, n, workers int, out string) *tally {
	total := newTally()
	var lock sync.Mutex
	var all sync.WaitGroup
	numbers := make(chan uint64)
	for range workers {
		all.Go(func() {
			for number := range numbers {
				one := p
				one.number = number
				t, scenario := play(one)
				lock.Lock()
				total.add(t)
				if out != "" && scenario != "" && len(t.Failures) > 0 {
					name := filepath.Join(out, fmt.Sprintf("truth_%d_%d.txtar", p.seed, number))
					if err := os.WriteFile(name, []byte(scenario), 0o644); err != nil {
						total.Errors = append(total.Errors, err.Error())
					}
				}
				lock.Unlock()
			}
		})
	}
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt)
	defer signal.Stop(interrupted)
	for i := 0; i < n; i++ {
		select {
		case numbers <- p.number + uint64(i):
		case <-interrupted:
			i = n // what was played counts
		}
	}
	close(numbers)
	all.Wait()
	return total
}

// report prints the counts, and what was wrong.
func report(to io.Writer, t *tally, seed uint64) {
	fmt.Fprintf(to, "%d workflows, seed %d\n\n", t.Workflows, seed)
	tab := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	row := func(what string, n int) { fmt.Fprintf(tab, "%s\t%d\n", what, n) }
	row("steps", t.Steps)
	row("commits", t.Commits)
	row("lines of commits", t.Lines)
	row("  of more than one right owner", t.Doubtful)
	row("  whose owner is unknown", t.Unknown)
	row("links to be there", t.Links)
	row("  that may be there or not", t.Skipped)
	row("files to be touched", t.Files)
	row("views compared", t.Views)
	row("rewinds", t.Rewinds)
	row("lines in a clone, and after gc", t.Elsewhere)
	row("decisions about streams", t.Decisions)
	for _, k := range kinds {
		row(string(k), t.Wrong[k])
	}
	tab.Flush()
	type group struct {
		number uint64
		kind   kind
	}
	more := map[group]int{}
	for _, f := range t.Failures {
		more[group{f.Workflow, f.Kind}]++
	}
	for _, f := range t.Failures { // the first of its kind, which the others may follow from
		g := group{f.Workflow, f.Kind}
		if more[g] > 0 {
			fmt.Fprintf(to, "\nworkflow %d, step %d (%s): %s (%d)\n  %s\n", f.Workflow, f.Step, f.Op, f.Kind, more[g], f.What)
			delete(more, g)
		}
	}
	slices.Sort(t.Errors)
	for _, e := range t.Errors {
		fmt.Fprintln(to, "\nerror:", e)
	}
}

// reduced finds steps that can be left out of a workflow which still fails alike.
func reduced(p plan) map[int]bool {
	p.keep, p.trace = false, nil
	t, _ := play(p)
	if len(t.Failures) == 0 {
		return nil
	}
	wanted := t.Failures[0].Kind
	skip := map[int]bool{}
	for step := t.Failures[0].Step + 1; step <= p.steps && t.Failures[0].Op != "end"; step++ {
		skip[step] = true
	}
	for again := true; again; {
		again = false
		for step := p.steps; step >= 1; step-- {
			if skip[step] {
				continue
			}
			skip[step] = true
			p.skip = skip
			if t, _ := play(p); t.Wrong[wanted] > 0 {
				again = true
				continue
			}
			delete(skip, step)
		}
	}
	return skip
}
