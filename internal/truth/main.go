// Command truth measures links, streams and the owners of lines: it plays random workflows in which
// each line names its author, with the real program and real git, or with the decisions alone.
package main

// See docs/truth.md.

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"sync"

	"entire-plumb/internal/cli"
)

func main() {
	if filepath.Base(os.Args[0]) == "entire-plumb" { // the program that is tested
		os.Exit(cli.Main(os.Args))
	}
	os.Exit(command())
}

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
	flag.StringVar(&p.program, "program", "", "test this program, instead of the one that is built with the tester")
	flag.BoolVar(&p.further, "further", false, "play further workflows, and check by the laws alone: see docs/truth.md")
	flag.BoolVar(&p.decisions, "decisions", false, "play in memory, with the program's decisions alone")
	page := flag.String("docs", "", "play 5,000 workflows in memory, and write the counts into this `file`, between its marks")
	asJSON := flag.Bool("json", false, "print JSON")
	flag.Parse()
	if *page != "" {
		p.decisions, p.seed, p.number, *n, *only = true, 1, 0, 5_000, -1
	}
	if p.decisions && p.further {
		fmt.Fprintln(os.Stderr, "truth: -further needs the program, and -decisions plays without")
		return 2
	}
	if *n < 1 || *workers < 1 || p.steps < 1 || flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "truth: -n, -steps and -workers are positive, and there are no other arguments")
		return 2
	}
	if err := p.provide(*out); err != nil {
		fmt.Fprintln(os.Stderr, "truth:", err)
		return 1
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

// provide makes the directories, and finds the program: this one, unless another is named.
func (p *plan) provide(out string) (err error) {
	if p.program == "" {
		p.program, err = os.Executable()
	}
	for _, name := range []*string{&p.dir, &p.program} {
		if err == nil {
			*name, err = filepath.Abs(*name)
		}
	}
	for _, dir := range []string{p.dir, out} {
		if err == nil && dir != "" {
			err = os.MkdirAll(dir, 0o755)
		}
	}
	return err
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

// reduced finds steps that can be left out of a workflow which still fails alike.
func reduced(p plan) map[int]bool {
	p.keep, p.trace, p.skip = false, nil, map[int]bool{}
	t, _ := play(p)
	for found := len(t.Failures) > 0; found; {
		found = false
		for step := p.steps; step >= 1; step-- {
			if p.skip[step] {
				continue
			}
			p.skip[step] = true
			if less, _ := play(p); less.Wrong[t.Failures[0].Kind] > 0 {
				found = true
			} else {
				delete(p.skip, step)
			}
		}
	}
	return p.skip
}
