package main

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"entire-plumb/shadow"
)

// added is how many checkpoints come to those that readers know already.
const added = 50

// reading are the commands that are measured; SESSION is one in the middle of the history.
var reading = [][]string{
	{"log", "-n", "20"}, {"checkpoints", "-n", "20"}, {"checkpoints", "-n", "20", "--file", "area00"},
	{"checkpoints", "-n", "20", "--text", "77"}, {"checkpoints", "--session", "SESSION"}, {"sessions"}, {"sessions", "show", "SESSION"},
	{"show", "SESSION"}, {"show", "HEAD"}, {"why", "HEAD"}, {"streams"}, {"status"},
}

// reads measures the commands that read in a history of commits that link a checkpoint each: the
// first one, which makes the index, each of them after it, and the one after others have come.
func reads(w *world, program, where string, o options, stdout, progress io.Writer) error {
	r := &repository{world: w, dir: filepath.Join(where, fmt.Sprintf("repository-log-%d-%d", o.read, o.read)), program: program}
	if !r.ready() {
		fmt.Fprintf(progress, "bench: making a repository of %s commits and checkpoints\n", grouped(o.read))
		if err := r.makeLogged(o.read, o.read); err != nil {
			return err
		}
	}
	if _, _, err := w.run(process{dir: r.dir, args: []string{program, "enable", "--agent", "claude-code"}}); err != nil {
		return err
	}
	m := measured{repository: r, shown: func(out string) string { return bytesShown(len(out)) }, table: [][]string{{"command", "ms", "printed"}}}
	if _, _, err := w.run(process{dir: r.dir, args: []string{"rm", "-rf", ".git/entire-plumb/index"}}); err != nil {
		return err
	}
	last := []string{"checkpoints", "-n", "20"}
	if err := m.row("the first one: "+strings.Join(last, " "), 1, last...); err != nil {
		return err
	}
	session := fmt.Sprintf("earlier-%d", o.read/10) // five checkpoints each
	for _, args := range reading {
		line := strings.ReplaceAll(strings.Join(args, " "), "SESSION", session)
		if err := m.row(line, o.runs, strings.Fields(line)...); err != nil {
			return err
		}
	}
	back, err := r.addCheckpoints(func(out io.Writer) {
		for i := o.read; i < o.read+added; i++ {
			writeCheckpoint(out, refCheckpoints, checkpointID(i), i)
		}
	})
	if err != nil {
		return err
	}
	if err := m.row(fmt.Sprintf("after %d new ones: %s", added, strings.Join(last, " ")), 1, last...); err != nil {
		return err
	}
	fmt.Fprintf(stdout, "\n%s commits, %s checkpoints; medians of %d\n\n", grouped(o.read), grouped(o.read), o.runs)
	o.print(stdout, m.table)
	return r.updateRefs(back)
}

// measured are the times of commands of the program, in a table.
type measured struct {
	*repository
	shown func(out string) string // what the table says of a command's output
	table [][]string
}

// row adds the median of some runs of a command.
func (m *measured) row(name string, runs int, args ...string) error {
	var took []float64
	var out string
	for range runs {
		printed, ms, err := m.world.run(process{dir: m.dir, args: append([]string{m.program}, args...), chatty: true})
		if err != nil {
			return err
		}
		out, took = printed, append(took, float64(ms))
	}
	m.table = append(m.table, []string{name, milliseconds(median(took)), m.shown(out)})
	return nil
}

// addCheckpoints adds those that a function writes to the branch, and returns the update that takes
// them away again.
func (r *repository) addCheckpoints(write func(out io.Writer)) (back string, err error) {
	before, err := r.git("rev-parse", shadow.Checkpoints)
	if err != nil {
		return "", err
	}
	err = r.importAll(func(out io.Writer) {
		fmt.Fprintf(out, "reset %s\nfrom %s\n\n", refCheckpoints, before)
		write(out)
	})
	if err == nil {
		err = r.updateRefs("update " + shadow.Checkpoints + " " + refCheckpoints + "\n")
	}
	return "update " + shadow.Checkpoints + " " + before + "\nupdate " + refCheckpoints + " " + before + "\n", err
}
