package main

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"entire-plumb/gitexec"
	"entire-plumb/internal/message"
	"entire-plumb/shadow"
)

// What log is measured in, unless flags say otherwise.
const (
	loggedCheckpoints = 10_000
	loggedStreams     = 2 // not committed yet
)

// reference is the git log that log needs: what it says of commits, and the messages that hold the
// links.
const reference = "--format=%H%x00%P%x00%cI%x00%an <%ae>%x00%B%x00"

// logs measures `log -n 20` beside the git log that it needs, in a history of which the last
// commits link a checkpoint each. A run of the one is followed by one of the other, and the ratio
// is taken within each pair.
func logs(w *world, program, where string, o options, stdout, progress io.Writer) error {
	checkpoints := o.checkpoints
	if checkpoints == 0 {
		checkpoints = min(loggedCheckpoints, o.commits)
	}
	r, err := openLogged(w, program, where, o.commits, checkpoints, progress)
	if err != nil {
		return err
	}
	if _, _, err := w.run(process{dir: r.dir, args: []string{program, "enable", "--agent", "claude-code"}}); err != nil {
		return err
	}
	ours, err := measureLog(w, r, min(20, checkpoints), o.runs*10)
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "\n%s commits, %s checkpoints, %d streams; medians of %d\n\n", grouped(o.commits), grouped(checkpoints),
		loggedStreams, len(ours.ours))
	fmt.Fprintf(stdout, "git log -n 20           %s ms\n", milliseconds(median(ours.gits)))
	fmt.Fprintf(stdout, "entire-plumb log -n 20  %s\n", ours)
	return nil
}

// besideGit is what runs of log took, and runs of git's between them.
type besideGit struct {
	ours, gits, ratios []float64
	processes          int // of git's, in the last run
}

func (b besideGit) String() string {
	return fmt.Sprintf("%s ms  %.2f × that, %d git processes", milliseconds(median(b.ours)), median(b.ratios), b.processes)
}

// measureLog runs both so many times, and once more to count processes; so many commits have a
// checkpoint.
func measureLog(w *world, r *repository, linked, runs int) (b besideGit, err error) {
	for n := range runs + 1 {
		_, git, err := w.run(process{dir: r.dir, args: []string{"git", "log", "-n", "20", reference}})
		if err != nil {
			return b, err
		}
		// Without the trace, which is a file to write: that is measured at the end.
		out, our, err := w.run(process{dir: r.dir, args: []string{r.program, "log", "-n", "20"}, env: []string{"ENTIRE_PLUMB_TRACE="}})
		if err != nil {
			return b, err
		}
		if n := strings.Count(out, " 50 %"); n != linked {
			return b, fmt.Errorf("what was measured is not what should be: %d commits with a checkpoint are in\n%s", n, out)
		}
		if n > 0 {
			b.ours, b.gits, b.ratios = append(b.ours, float64(our)), append(b.gits, float64(git)), append(b.ratios,
				float64(our)/float64(git))
		}
	}
	w.traced()
	_, _, err = w.run(process{dir: r.dir, args: []string{r.program, "log", "-n", "20"}})
	b.processes = w.traced()
	return b, err
}

// openLogged makes a history on main, whose last commits link a checkpoint each, and streams on top
// of it, or finds it made.
func openLogged(w *world, program, where string, commits, checkpoints int, progress io.Writer) (*repository, error) {
	r := &repository{world: w, dir: filepath.Join(where, fmt.Sprintf("repository-log-%d-%d", commits, checkpoints)), program: program}
	if r.ready() {
		return r, nil
	}
	fmt.Fprintf(progress, "bench: making a repository of %s commits and %s checkpoints\n", grouped(commits), grouped(checkpoints))
	return r, r.makeLogged(commits, checkpoints)
}

func (r *repository) makeLogged(commits, checkpoints int) error {
	if err := r.init(); err != nil {
		return err
	}
	if err := r.importAll(func(out io.Writer) {
		writeCheckpoints(out, checkpoints, commits-checkpoints)
		writeHistory(out, commits, checkpoints)
	}); err != nil {
		return err
	}
	// A fast-import's pack has the last trees at the ends of the longest chains; one that was
	// collected or cloned has them at the beginning.
	if _, err := r.git("repack", "-adfq"); err != nil {
		return err
	}
	if err := r.updateRefs("create refs/heads/main " + refBase + "\ncreate " + shadow.Checkpoints + " " + refCheckpoints +
		"\n"); err != nil {
		return err
	}
	if _, err := r.git("reset", "-q", "--hard"); err != nil {
		return err
	}
	base, err := r.git("rev-parse", "HEAD")
	if err != nil {
		return err
	}
	if err := r.importAll(func(out io.Writer) {
		for i := range loggedStreams {
			writeStream(out, gitexec.OID(base), i+1)
		}
	}); err != nil {
		return err
	}
	return r.updateRefs("create " + refReady + " " + refBase + "\n")
}

// writeHistory writes commits a minute apart, each with a change.
func writeHistory(out io.Writer, commits, checkpoints int) {
	for i := range commits {
		text := fmt.Sprintf("Change %d\n\nWhat it is for takes a line or two to say, as in\nany history that people read.\n", i)
		if n := i - (commits - checkpoints); n >= 0 {
			text += "\n" + message.LinkKey + ": " + checkpointID(n) + "\n"
		}
		fmt.Fprintf(out, "commit %s\ncommitter Ada <ada@example.com> %d +0000\ndata %d\n%s\n", refBase, 1_700_000_000+60*i, len(text), text)
		path, text := changed(i)
		writeFile(out, path, text)
	}
}

// writeStream writes a stream of one checkpoint on the base.
func writeStream(out io.Writer, base gitexec.OID, suffix int) {
	text := fmt.Sprintf("Work\n\nEntire-Metadata: %s/bench\nEntire-Session: bench\nEntire-Strategy: %s\nEntire-Base: %s\nEntire-Part: agent\nEntire-Turn: 0123456789ab\n",
		shadow.MetadataDir, shadow.Strategy, base)
	fmt.Fprintf(out, "commit %s\ncommitter Ada <ada@example.com> 1800000000 +0000\ndata %d\n%s\nfrom %s\n",
		shadow.NewName(base, "", suffix).Ref(), len(text), text, base)
	writeFile(out, fmt.Sprintf("new%d.txt", suffix), "a line\n")
}
