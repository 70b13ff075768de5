package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/shadow"
)

// dimension is something that a repository may have much of.
type dimension struct {
	name  string
	sizes []int
	what  string // a size, as the page has it
	// prepare brings an enabled repository of 200 files to the size; nil: options alone do.
	prepare func(r *repository, n int) error
	options func(o *options, n int) // nil: as they are
	cone    string                  // the kind of index of a sparse checkout, as git's option; empty: all files are checked out

	git      []string   // the git command that lists the same; nil: none does
	rows     []string   // hooks
	memory   bool       // whether peak memory matters
	index    bool       // whether the first command has an index to make
	commands [][]string // of ours, in a repository that was worked in
}

var usualRows = []string{rowPrompt, rowStop, rowPrepare, rowPostCommit}

// dimensions are those of -scale. Each is measured to the size at which a machine with two cores
// takes minutes to prepare it.
var dimensions = []dimension{
	{name: "files", sizes: []int{10_000, 100_000, 1_000_000}, what: "files, of which 1,800 are checked out", cone: "--sparse-index",
		rows: usualRows, commands: [][]string{{"status"}}},
	{name: "full", sizes: []int{10_000, 100_000, 1_000_000}, what: "files in the index, of which 1,800 are checked out",
		cone: "--no-sparse-index", rows: usualRows},
	{name: "changed", sizes: []int{100, 1_000, 10_000}, what: "files changed in a turn", rows: usualRows,
		options: func(o *options, n int) { o.files, o.changed = []int{12_000}, n }, commands: [][]string{{"show", "HEAD"}, {"attribution", "HEAD"}}},
	{name: "transcript", sizes: []int{10, 100, 1_000}, what: "MB of transcript", memory: true,
		rows:    []string{rowStopFirst, rowPrompt, rowStop, rowPostCommit},
		options: func(o *options, n int) { o.transcript, o.runs, o.cold = n<<20, 1, true }},
	{name: "branches", sizes: []int{1_000, 10_000, 100_000}, what: "branches", prepare: packedBranches, git: []string{"for-each-ref"},
		rows: usualRows, commands: [][]string{{"status"}, {"streams"}, {"log", "-n", "20"}}},
	{name: "streams", sizes: []int{50, 500, 5_000}, what: "streams on other commits", git: []string{"for-each-ref"},
		prepare: func(r *repository, n int) error { return addStreams(r, "HEAD~1", n) },
		rows:    usualRows, commands: [][]string{{"status"}, {"streams"}, {"log", "-n", "20"}}},
	{name: "here", sizes: []int{50, 500, 5_000}, what: "streams on the commit of a turn", git: []string{"for-each-ref"},
		options: func(o *options, n int) { o.before = func(r *repository) error { return addStreams(r, "HEAD", n) } },
		rows:    usualRows},
	{name: "sessions", sizes: []int{100, 1_000, 10_000}, what: "sessions", prepare: addSessions, rows: usualRows,
		commands: [][]string{{"status"}, {"sessions"}, {"log", "-n", "20"}}},
	{name: "checkpoints", sizes: []int{10_000, 100_000, 1_000_000}, what: "checkpoints", prepare: addManyCheckpoints, index: true,
		rows: usualRows, commands: [][]string{{"checkpoints", "-n", "20"}, {"log", "-n", "20"}}},
}

func dimensionNames() (names []string) {
	for _, d := range dimensions {
		names = append(names, d.name)
	}
	return names
}

// scale measures a dimension, or all of them.
func scale(w *world, program, where string, o options, stdout, progress io.Writer) error {
	for _, d := range dimensions {
		if d.name != o.scale && o.scale != "all" {
			continue
		}
		table := [][]string{d.head()}
		for _, n := range d.sizes {
			if o.most > 0 && n > o.most {
				continue
			}
			cells, err := d.measure(w, program, where, n, o, progress)
			if err != nil {
				return fmt.Errorf("%s %s: %w", grouped(n), d.name, err)
			}
			table = append(table, cells)
			if o.docs == "" {
				continue
			}
			var b bytes.Buffer // after each size: what was measured stays if a larger one takes too long
			printMarkdown(&b, table)
			if err := writeInto(o.docs, "-scale "+d.name, b.String()); err != nil {
				return err
			}
		}
		fmt.Fprintln(stdout)
		printMarkdown(stdout, table)
	}
	return nil
}

func (d dimension) head() []string {
	head := []string{d.what, "git status, CPU ms", "git commit"}
	if d.git != nil {
		head = append(head, "git "+strings.Join(d.git, " "))
	}
	for _, row := range d.rows {
		head = append(head, row)
		if d.memory {
			head = append(head, "MB")
		}
	}
	for _, args := range d.commands {
		if d.index {
			head = append(head, "the first `"+strings.Join(args, " ")+"`")
		}
		head = append(head, "`"+strings.Join(args, " ")+"`")
	}
	if d.index {
		head = append(head, "index, MB", "objects, MB")
	}
	return head
}

// measure makes a repository of a size, and plays turns in it.
func (d dimension) measure(w *world, program, where string, n int, o options, progress io.Writer) ([]string, error) {
	o.files, o.transcript, o.checkpoints = []int{200}, 64<<10, 0
	if d.options != nil {
		d.options(&o, n)
	}
	begun := time.Now()
	r, err := d.openRepository(w, program, where, n, o, progress)
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(r.dir)
	defer os.RemoveAll(filepath.Join(w.home, "transcripts")) // the next size has sessions of the same names
	if d.prepare != nil {
		if err := d.prepare(r, n); err != nil {
			return nil, err
		}
	}
	fmt.Fprintf(progress, "bench: %s %s prepared in %.0f s\n", grouped(n), d.name, time.Since(begun).Seconds())
	runs, err := playAll(r, o, progress, nil)
	if err != nil {
		return nil, err
	}
	status, plain := median(each(runs, func(r results) []float64 { return processorOf(r, "", true) })), 0.0
	plain = median(each(runs, func(r results) (all []float64) {
		for _, took := range r.commitCPU {
			all = append(all, float64(took)/status)
		}
		return all
	}))
	cells := []string{grouped(n), milliseconds(status), fmt.Sprintf("%.2f", plain)}
	if d.git != nil {
		cells, err = beside(r, cells, o.runs, append([]string{"git"}, d.git...))
	}
	for _, row := range d.rows {
		ratios := each(runs, func(r results) []float64 { return processorOf(r, row, false) })
		if len(ratios) < len(runs) {
			return nil, fmt.Errorf("%s was not measured", row)
		}
		cells = append(cells, fmt.Sprintf("%.2f", median(ratios)))
		if d.memory {
			cells = append(cells, fmt.Sprint(runs[len(runs)-1].samples[row].peak>>20))
		}
	}
	for _, args := range d.commands {
		command := append([]string{program}, args...)
		if d.index && err == nil {
			cells, err = beside(r, cells, 1, command)
		}
		if err == nil {
			cells, err = beside(r, cells, o.runs, command)
		}
	}
	if d.index && err == nil {
		cells, err = sizes(r, cells, filepath.Join("entire-plumb", "index"), "objects")
	}
	return cells, err
}

func (d dimension) openRepository(w *world, program, where string, n int, o options, progress io.Writer) (*repository, error) {
	if d.cone != "" {
		return openCone(w, program, where, n, d.cone, progress)
	}
	return openRepository(w, program, where, o.files[0], o, progress)
}

// sizes adds the megabytes of directories of git's.
func sizes(r *repository, cells []string, dirs ...string) ([]string, error) {
	for _, dir := range dirs {
		mb, err := megabytes(r.world, filepath.Join(r.dir, ".git", filepath.FromSlash(dir)))
		if err != nil {
			return nil, err
		}
		cells = append(cells, fmt.Sprintf("%.1f", mb))
	}
	return cells, nil
}

// processorOf is the processor time of a hook × that of git status just before it, or all of git
// status.
func processorOf(r results, row string, status bool) (all []float64) {
	for name, s := range r.samples {
		if status {
			all = append(all, float64(s.statusCPU))
		} else if name == row {
			all = append(all, float64(s.cpu)/float64(s.statusCPU))
		}
	}
	return all
}

func each(runs []results, of func(results) []float64) (all []float64) {
	for _, r := range runs {
		all = append(all, of(r)...)
	}
	return all
}

// beside adds the processor time of a command, × that of git status just before it.
func beside(r *repository, cells []string, runs int, args []string) ([]string, error) {
	var ratios []float64
	for range runs {
		if _, err := r.status(); err != nil {
			return nil, err
		}
		status := r.cpu
		if _, _, err := r.run(process{dir: r.dir, args: args, chatty: true}); err != nil {
			return nil, err
		}
		ratios = append(ratios, float64(r.cpu)/float64(status))
	}
	return append(cells, fmt.Sprintf("%.2f", median(ratios))), nil
}

// openCone makes a repository of n files of which one directory is checked out, with an index of
// the kind that an option of git's names.
func openCone(w *world, program, where string, n int, index string, progress io.Writer) (*repository, error) {
	r := &repository{world: w, dir: filepath.Join(where, fmt.Sprintf("sparse-%d", n)), program: program, paths: layout(n)}
	r.hooks = filepath.Join(r.dir, ".git", "hooks")
	fmt.Fprintf(progress, "bench: making a repository of %s files\n", grouped(n))
	if err := r.init(); err != nil {
		return nil, err
	}
	if err := r.importAll(func(out io.Writer) { writeAlikeFiles(out, r.paths) }); err != nil {
		return nil, err
	}
	if err := r.updateRefs("create refs/heads/main " + refBase + "\n"); err != nil {
		return nil, err
	}
	cone := []string{"sparse-checkout", "set", "--cone", index, "area00", ".claude", ".entire"}
	for _, args := range [][]string{cone, {"reset", "-q", "--hard"}} {
		if _, _, err := r.run(process{dir: r.dir, args: append([]string{"git"}, args...), chatty: true}); err != nil {
			return nil, err
		}
	}
	r.paths = slices.DeleteFunc(r.paths, func(path string) bool { return !strings.HasPrefix(path, "area00/") })
	return r, r.enable()
}

// writeAlikeFiles writes the commit of files, of which many are alike.
func writeAlikeFiles(out io.Writer, paths []string) {
	const kinds = 50
	for i := range kinds {
		content := text(i, 1024+i*37)
		fmt.Fprintf(out, "blob\nmark :%d\ndata %d\n%s\n", i+1, len(content), content)
	}
	writeCommit(out, refBase, "All files\n")
	for i, path := range paths {
		fmt.Fprintf(out, "M 100644 :%d %s\n", i%kinds+1, path)
	}
}

// packedBranches adds branches to the file of packed refs, as a fetch and a gc leave them: git
// update-ref would write a file for each first.
func packedBranches(r *repository, n int) error {
	if _, err := r.git("pack-refs", "--all"); err != nil {
		return err
	}
	base, err := r.git("rev-parse", refBase)
	if err != nil {
		return err
	}
	file := filepath.Join(r.dir, ".git", "packed-refs")
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var refs []string
	for line := range strings.Lines(string(data)) {
		if !strings.HasPrefix(line, "#") {
			refs = append(refs, line)
		}
	}
	for i := range n {
		refs = append(refs, fmt.Sprintf("%s refs/heads/team%02d/topic-%d\n", base, i%40, i))
	}
	name := func(line string) string { return line[len(base)+1:] }
	slices.SortFunc(refs, func(a, b string) int { return strings.Compare(name(a), name(b)) })
	return os.WriteFile(file, []byte("# pack-refs with: peeled fully-peeled sorted \n"+strings.Join(refs, "")), 0o644)
}

// addStreams adds streams on a commit, in place of those that were there.
func addStreams(r *repository, on string, n int) error {
	base, err := r.git("rev-parse", on)
	if err != nil {
		return err
	}
	there, err := r.git("for-each-ref", "--format=delete %(refname)", "refs/heads/entire/*-*")
	if err != nil {
		return err
	}
	if err := r.updateRefs(there + "\n"); err != nil {
		return err
	}
	return r.importAll(func(out io.Writer) {
		for i := range n {
			writeStream(out, gitexec.OID(base), i+1)
		}
	})
}

// addSessions adds sessions whose work is committed: copies of one that was played.
func addSessions(r *repository, n int) error {
	c := &cycle{repository: r, o: options{changed: 5, transcript: 4 << 10, growth: 4 << 10}, results: results{samples: map[string]sample{}}}
	var err error
	if c.talk, err = newConversation(r, "bench-one"); err != nil {
		return err
	}
	if err := c.firstTurn(); err != nil {
		return err
	}
	dir := filepath.Join(r.dir, ".git", "entire-sessions")
	data, err := os.ReadFile(filepath.Join(dir, "bench-one.json"))
	if err != nil {
		return err
	}
	var state object
	if err := json.Unmarshal(data, &state); err != nil {
		return err
	}
	for i := range n {
		id := fmt.Sprintf("earlier-%d", i)
		state["session_id"] = id
		if err := os.WriteFile(filepath.Join(dir, id+".json"), []byte(indented(state)), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// addManyCheckpoints adds checkpoints to the branch, many in each commit: git would take hours to
// write a commit for each.
func addManyCheckpoints(r *repository, n int) error {
	if _, err := r.git("update-ref", refCheckpoints, shadow.Checkpoints); err != nil {
		if _, err := r.git("update-ref", "-d", refCheckpoints); err != nil {
			return err
		}
	}
	if err := r.importAll(func(out io.Writer) {
		for i := range n {
			if i%5_000 == 0 {
				writeCommit(out, refCheckpoints, "Checkpoints\n")
			}
			writeCheckpointFiles(out, checkpointID(i), i)
		}
	}); err != nil {
		return err
	}
	return r.updateRefs("update " + shadow.Checkpoints + " " + refCheckpoints + "\n")
}
