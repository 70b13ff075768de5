// Command bench measures what entire-plumb's hooks cost, as a user feels it: whole processes,
// started from outside, in repositories of several sizes, each beside `git status --porcelain` and
// a `git commit` without hooks.
package main

// It is a tool for developers and no part of the product. Package gitexec is the only one there
// that starts processes; this one starts them itself, with os/exec, because what it measures is
// processes. It uses the product's packages only for the names and the layout of what it prepares.

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// Exit codes, as the product's.
const (
	exitOK          = 0
	exitFailed      = 1
	exitUsage       = 2
	exitInterrupted = 130
)

// options are what the flags say.
type options struct {
	files       []int
	branches    int
	checkpoints int
	changed     int
	runs        int
	transcript  int // bytes
	growth      int // bytes per turn
	cache       string
	program     string
	markdown    bool
	log         bool
	read        int // checkpoints
	search      int // megabytes of conversations
	share       int // checkpoints
	entire      string
	commits     int // for log
	relink      string
	matrix      bool
	gits        []string // for matrix; none: that on PATH
	scripts     string   // for matrix
	profile     bool
	docs        string // a page
	scale       string // a dimension
	most        int    // of its sizes; 0: all

	cold   bool                    // there is no run ahead that isn't counted
	before func(*repository) error // prepares what the second turn of a run meets
}

const usage = `usage: go run ./internal/bench [flags]

Makes repositories, plays turns of an agent and commits in them, and prints for every hook how many git processes it
starts, its milliseconds, and its ratio to 'git status --porcelain' just before it and to a 'git commit' without hooks
in the same run. Milliseconds and ratios are medians over the runs; one run goes ahead uncounted. On a busy machine
trust the ratios.

Quick:  go run ./internal/bench -files 20 -runs 3
Log:    go run ./internal/bench -log
Read:   go run ./internal/bench -read 100000
Search: go run ./internal/bench -search 1024
Share:  go run ./internal/bench -share 20000
Relink: go run ./internal/bench -relink REPO -markdown
Profile: go run ./internal/bench -profile -files 20 -docs docs/speed.md
Scale:  go run ./internal/bench -scale branches -docs docs/scale.md
Matrix: go run ./internal/bench -matrix -git /opt/git-2.38/bin,/opt/git-2.50/bin
Whole:  go run ./internal/bench -cache ~/.cache/entire-plumb-bench -checkpoints 10000 -branches 5000 -markdown

`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	o, err := parse(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return exitOK
	}
	if err != nil {
		return exitUsage
	}
	err = bench(ctx, o, stdout, stderr)
	switch {
	case ctx.Err() != nil:
		fmt.Fprintln(stderr, "bench: interrupted")
		return exitInterrupted
	case err != nil:
		fmt.Fprintln(stderr, "bench:", err)
		return exitFailed
	}
	return exitOK
}

// bench builds the program and measures it in one repository after the other.
func bench(ctx context.Context, o options, stdout, stderr io.Writer) error {
	if o.matrix {
		return matrix(ctx, o.gits, o.scripts, stdout, stderr)
	}
	scratch, err := os.MkdirTemp("", "entire-plumb-bench-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	w, err := newWorld(ctx, scratch)
	if err != nil {
		return err
	}
	if o.relink != "" {
		return relink(w, o.relink, o.markdown, stdout, stderr)
	}
	program, err := o.provide(ctx, scratch)
	if err != nil {
		return err
	}
	where := cmp.Or(o.cache, scratch)
	fmt.Fprintln(stdout, machine(w))
	switch {
	case o.read > 0:
		return reads(w, program, where, o, stdout, stderr)
	case o.search > 0:
		return searches(w, program, where, o, stdout, stderr)
	case o.share > 0:
		return shares(w, program, where, o, stdout, stderr)
	case o.log:
		return logs(w, program, where, o, stdout, stderr)
	case o.profile:
		return profiles(w, program, scratch, o, stdout, stderr)
	case o.scale != "":
		return scale(w, program, scratch, o, stdout, stderr)
	}
	for _, n := range o.files {
		repo, err := openRepository(w, program, where, n, o, stderr)
		if err != nil {
			return err
		}
		runs, err := playAll(repo, o, stderr, nil)
		if err != nil {
			return err
		}
		report(stdout, n, o, runs)
		if o.cache == "" {
			os.RemoveAll(repo.dir) // before the next one: a large repository is half a gigabyte
		}
	}
	return nil
}

func parse(args []string, stderr io.Writer) (options, error) {
	o := options{files: []int{20, 20_000, 100_000}, transcript: 5 << 20, growth: 64 << 10}
	f := flag.NewFlagSet("bench", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.Usage = func() { fmt.Fprint(stderr, usage); f.PrintDefaults() }
	f.Func("files", "sizes of the repositories, in `files`, separated by commas (default 20,20000,100000)", func(s string) (err error) {
		o.files, err = counts(s)
		return err
	})
	f.IntVar(&o.branches, "branches", 0, "other branches that are there, as loose refs")
	f.IntVar(&o.checkpoints, "checkpoints", 0, "committed checkpoints that are there; post-commit is measured with and without them")
	f.IntVar(&o.changed, "changed", 10, "files that are changed in a turn")
	f.IntVar(&o.runs, "runs", 9, "runs that are counted")
	f.Func("transcript", "`size` of the transcript when a session's first turn ends (default 5MB)", sized(&o.transcript))
	f.Func("growth", "`size` of what each later turn adds to it (default 64KB)", sized(&o.growth))
	f.StringVar(&o.cache, "cache", "", "`directory` in which the repositories stay for the next time")
	f.StringVar(&o.program, "program", "", "measure the program at this `path` instead of building it")
	f.BoolVar(&o.log, "log", false,
		"measure instead log -n 20 beside git's, in a history of -commits that ends with -checkpoints (10,000 unless given)")
	f.IntVar(&o.read, "read", 0, "measure instead the commands that read, in a history of so many `checkpoints`")
	f.IntVar(&o.search, "search", 0, "measure instead search, in so many `megabytes` of conversations")
	f.IntVar(&o.share, "share", 0, "measure instead git push, in a history of so many `checkpoints`, beside one without hooks")
	f.StringVar(&o.entire, "entire", "", "the entire CLI at this `path`, to be measured by -share as well")
	f.IntVar(&o.commits, "commits", 100_000, "commits that are there for -log")
	f.StringVar(&o.relink, "relink", "",
		"measure instead how well squashes of the merges in a `repository` are matched with the merged commits, by content alone")
	f.BoolVar(&o.matrix, "matrix", false,
		"play instead the scripts with each -git, in SHA-1 and SHA-256 repositories and, from git 2.45 on, with reftables")
	o.gits = []string{""}
	f.Func("git", "`directories` of the gits for -matrix, separated by commas (default: that on PATH)", func(s string) error {
		o.gits = strings.Split(s, ",")
		return nil
	})
	f.StringVar(&o.scripts, "scripts", "", "regular `expression` for the names of the scripts for -matrix (default: all)")
	f.BoolVar(&o.profile, "profile", false,
		"say instead where the time of hooks goes, in the smallest repository of -files, beside git's processes alone")
	f.StringVar(&o.scale, "scale", "", "measure instead how hooks and commands grow with `what`: "+strings.Join(dimensionNames(), ", ")+", all")
	f.IntVar(&o.most, "most", 0, "leave out sizes of -scale above this `number`")
	f.StringVar(&o.docs, "docs", "", "write what -profile and -scale print into this `page`, too, between its marks")
	f.BoolVar(&o.markdown, "markdown", false, "print the tables as markdown")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	var err error
	switch {
	case f.NArg() > 0:
		err = fmt.Errorf("unexpected argument %q", f.Arg(0))
	case o.commits < o.checkpoints || o.commits < 1:
		err = errors.New("-commits is at least 1, and at least -checkpoints")
	case o.runs < 1 || o.changed < 1 || o.branches < 0 || o.checkpoints < 0:
		err = errors.New("-runs and -changed are at least 1, -branches and -checkpoints at least 0")
	case o.scale != "" && o.scale != "all" && !slices.Contains(dimensionNames(), o.scale):
		err = fmt.Errorf("-scale knows no %q", o.scale)
	case o.docs != "" && !o.profile && o.scale == "":
		err = errors.New("-docs goes with -profile or -scale")
	case o.changed > slices.Min(o.files):
		err = fmt.Errorf("-changed %d is more than the smallest repository holds", o.changed)
	}
	for _, path := range []*string{&o.cache, &o.program, &o.relink, &o.entire, &o.docs} { // processes run elsewhere
		if *path != "" && err == nil {
			*path, err = filepath.Abs(*path)
		}
	}
	if err != nil {
		fmt.Fprintf(stderr, "bench: %s\nhint: -h explains the flags\n", err)
	}
	return o, err
}

func counts(list string) ([]int, error) {
	var all []int
	for word := range strings.SplitSeq(list, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(word))
		if err != nil || n < 1 {
			return nil, fmt.Errorf("%q is no number of files", word)
		}
		all = append(all, n)
	}
	return all, nil
}

// sized reads sizes such as 5MB, 64KB or 1000, in bytes.
func sized(into *int) func(string) error {
	return func(s string) error {
		number, unit := strings.TrimSuffix(strings.ToUpper(s), "B"), 1
		if n, ok := strings.CutSuffix(number, "M"); ok {
			number, unit = n, 1<<20
		} else if n, ok := strings.CutSuffix(number, "K"); ok {
			number, unit = n, 1<<10
		}
		n, err := strconv.Atoi(number)
		if err != nil || n < 0 || n > 1<<20 && unit > 1 {
			return errors.New("a size is like 5MB or 64KB")
		}
		*into = n * unit
		return nil
	}
}
