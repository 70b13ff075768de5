package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/message"
	"entire-plumb/internal/testserver"
	"entire-plumb/shadow"
)

// mostPushes is after how many pushes all checkpoints must have arrived.
const mostPushes = 100

// side is one way to push the same commits: git alone, or with the hooks of a program.
type side struct {
	*world
	name   string
	server *testserver.Server
	at     string   // the directory of all that it has
	enable []string // what installs the hooks; nil: there are none
	env    []string

	pushes map[string][]pushed // by row
	first  []pushed            // until all checkpoints were there
	facts  map[string]float64  // milliseconds and kilobytes, by row
}

// pushed is what a push took.
type pushed struct {
	took, cpu           time.Duration // cpu: of git, the hooks, and what they started; not of the server
	requests, processes int           // git processes of our hooks
}

// shares measures git push in a repository of n commits that link a checkpoint each, to a server
// over http on this machine: without hooks, with ours, and with those of the entire CLI.
func shares(w *world, program, where string, o options, stdout, progress io.Writer) error {
	n := o.share
	seed, err := openLogged(w, program, where, n, n, progress)
	if err != nil {
		return err
	}
	top, err := os.MkdirTemp(where, "share-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(top)
	server, err := testserver.Start(top)
	if err != nil {
		return err
	}
	defer server.Close()
	sides := sidesOf(w, program, o.entire, top, server)
	for _, s := range sides {
		fmt.Fprintf(progress, "bench: the first push, %s\n", s.name)
		if err := s.begin(seed.dir, n); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	for run := range o.runs + 1 {
		for _, s := range sides {
			if err := s.play(n, run); err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
		}
	}
	for _, s := range sides {
		if err := s.collect(); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	reportShares(stdout, sides, o)
	return nil
}

func sidesOf(w *world, program, entire, top string, server *testserver.Server) []*side {
	sides := []*side{{name: rowGit}, {name: "entire-plumb", enable: []string{program, "enable", "--agent", "claude-code"}}}
	if entire != "" {
		sides = append(sides, &side{name: "entire", enable: []string{entire, "enable", "--agent", "claude-code"},
			env: []string{"PATH=" + filepath.Dir(entire) + string(filepath.ListSeparator) + os.Getenv("PATH"), "ENTIRE_TELEMETRY_OPTOUT=1"}})
	}
	for _, s := range sides {
		s.world, s.server, s.at = w, server, filepath.Join(top, s.name)
		s.pushes, s.facts = map[string][]pushed{}, map[string]float64{}
	}
	return sides
}

// The rows.
const (
	rowGit      = "git"
	rowFirst    = "the first push"
	rowOneNew   = "one new checkpoint"
	rowNothing  = "a commit without one"
	rowUpToDate = "nothing to push"
	rowBehind   = "one new, after another clone's push"

	rowClone  = "clone, ms"
	rowSize   = "size at the server, MB"
	rowGC     = "git gc at the server, ms"
	rowGCSize = "size after it, MB"
)

func (s *side) mine() string   { return filepath.Join(s.at, "mine") }
func (s *side) others() string { return filepath.Join(s.at, "others") }
func (s *side) bare() string   { return filepath.Join(s.at, "server.git") }

func (s *side) do(dir string, args ...string) (string, error) {
	out, _, err := s.run(process{dir: dir, args: args, env: s.env, chatty: true})
	return out, err
}

// all runs commands, one after the other.
func (s *side) all(dir string, commands ...[]string) error {
	for _, c := range commands {
		if _, err := s.do(dir, c...); err != nil {
			return err
		}
	}
	return nil
}

// begin pushes a copy of the seed until all n checkpoints are at the server, and clones that.
func (s *side) begin(seed string, n int) error {
	address := s.server.URL + "/" + s.name + "/server.git"
	if err := os.MkdirAll(s.at, 0o700); err != nil {
		return err
	}
	if err := s.all(s.at, []string{"git", "init", "-q", "--bare", s.bare()}, []string{"cp", "-R", seed, s.mine()}); err != nil {
		return err
	}
	if err := s.all(s.mine(), []string{"git", "remote", "add", "origin", address}, []string{"rm", "-rf", ".git/hooks", ".git/entire-plumb"}); err != nil {
		return err
	}
	if err := s.install(s.mine()); err != nil {
		return err
	}
	for {
		p, err := s.push(s.mine(), "main")
		if err != nil {
			return err
		}
		s.first = append(s.first, p)
		there, err := s.arrived()
		switch {
		case err != nil:
			return err
		case s.enable == nil || there == n:
			s.pushes[rowFirst] = s.first[:1]
			return s.clone(address)
		case len(s.first) == mostPushes:
			return fmt.Errorf("%d of %d checkpoints are there after %d pushes", there, n, mostPushes)
		}
		if err := s.work(s.mine(), "main", ""); err != nil {
			return err
		}
	}
}

func (s *side) install(dir string) error {
	if s.enable == nil {
		return nil
	}
	return s.all(dir, s.enable)
}

// arrived is how many checkpoints the server has.
func (s *side) arrived() (int, error) {
	refs, err := s.do(s.bare(), "git", "for-each-ref", shadow.Checkpoints)
	if err != nil || refs == "" {
		return 0, err
	}
	names, err := s.do(s.bare(), "git", "ls-tree", "-r", "--name-only", shadow.Checkpoints)
	return strings.Count(names, "/0/metadata.json"), err
}

// clone makes the clone of somebody else.
func (s *side) clone(address string) error {
	_, took, err := s.run(process{dir: s.at, args: []string{"git", "clone", "-q", address, s.others()}, env: s.env})
	if err != nil {
		return err
	}
	s.facts[rowClone] = float64(took) / float64(time.Millisecond)
	if s.enable != nil {
		if err := s.all(s.others(), []string{"git", "update-ref", shadow.Checkpoints, "refs/remotes/origin/entire/checkpoints/v1"}); err != nil {
			return err
		}
	}
	if err := s.install(s.others()); err != nil {
		return err
	}
	// From here on each push brings all, however slow the machine is.
	patient := []string{"git", "config", gitexec.Section + ".pushTimeoutSeconds", "120"}
	if err := s.all(s.mine(), patient); err != nil {
		return err
	}
	return s.all(s.others(), patient, []string{"git", "branch", "-q", "theirs"})
}

// work commits in a clone; with a checkpoint of an ID, unless that is empty.
func (s *side) work(dir, branch, id string) error {
	r := &repository{world: s.world, dir: dir}
	text := "Work\n"
	if id != "" {
		text += "\n" + message.LinkKey + ": " + id + "\n"
	}
	return r.importWith(func(out io.Writer) {
		if id != "" && s.enable != nil {
			fmt.Fprintf(out, "reset %s\nfrom %s^0\n\n", shadow.Checkpoints, shadow.Checkpoints)
			writeCheckpoint(out, shadow.Checkpoints, id, 7)
		}
		ref := "refs/heads/" + branch
		fmt.Fprintf(out, "reset %s\nfrom %s^0\n\n", ref, ref)
		writeCommit(out, ref, text)
		writeFile(out, "work.txt", branch+id+"\n")
	})
}

// push pushes a branch, and measures that.
func (s *side) push(dir, branch string) (p pushed, err error) {
	s.server.Wait()
	s.server.Counts()
	s.traced()
	_, p.took, err = s.run(process{dir: dir, args: []string{"git", "push", "-q", "origin", branch}, env: s.env})
	p.cpu = s.cpu
	s.server.Wait()
	requests, _ := s.server.Counts()
	p.requests, p.processes = int(requests), s.traced()
	return p, err
}

// play plays a run; the one before the first doesn't count.
func (s *side) play(n, run int) error {
	row := func(name string) error {
		p, err := s.push(s.mine(), "main")
		if run > 0 {
			s.pushes[name] = append(s.pushes[name], p)
		}
		return err
	}
	id := func(k int) string { return checkpointID(n + 3*run + k) }
	for _, step := range []func() error{
		func() error { return s.work(s.mine(), "main", id(0)) }, func() error { return row(rowOneNew) },
		func() error { return s.work(s.mine(), "main", "") }, func() error { return row(rowNothing) },
		func() error { return row(rowUpToDate) },
		func() error { return s.work(s.others(), "theirs", id(1)) },
		func() error { _, err := s.push(s.others(), "theirs"); return err },
		func() error { return s.work(s.mine(), "main", id(2)) }, func() error { return row(rowBehind) },
	} {
		if err := step(); err != nil {
			return err
		}
	}
	there, err := s.arrived()
	if want := n + 3*(run+1); err == nil && s.enable != nil && there != want {
		err = fmt.Errorf("what was measured is not what should be: the server has %d of %d checkpoints", there, want)
	}
	return err
}

// collect measures the server's repository, and its gc.
func (s *side) collect() error {
	size := func(row string) (err error) {
		s.facts[row], err = megabytes(s.world, filepath.Join(s.bare(), "objects"))
		return err
	}
	if err := size(rowSize); err != nil {
		return err
	}
	_, took, err := s.run(process{dir: s.bare(), args: []string{"git", "gc", "--quiet", "--prune=now"}})
	if err != nil {
		return err
	}
	s.facts[rowGC] = float64(took) / float64(time.Millisecond)
	return size(rowGCSize)
}

// reportShares prints what each side took beside git alone, which is the first.
func reportShares(out io.Writer, sides []*side, o options) {
	fmt.Fprintf(out, "\n%s commits with a checkpoint each, to a server over http on this machine; medians of %d, runs of all sides by turns; CPU: of git and hooks\n\n",
		grouped(o.share), o.runs)
	table := [][]string{{"git push", "git, ms"}}
	for _, s := range sides[1:] {
		table[0] = append(table[0], s.name+", ms", "more", "×", "more CPU", "requests, git's")
		if s.name != "entire" {
			table[0] = append(table[0], "git processes")
		}
	}
	for _, row := range []string{rowFirst, rowOneNew, rowNothing, rowUpToDate, rowBehind} {
		cells := []string{row, milliseconds(medianOf(sides[0].pushes[row], func(p pushed) float64 { return float64(p.took) }))}
		for _, s := range sides[1:] {
			cells = append(cells, cellsBeside(s, sides[0], row)...)
		}
		table = append(table, cells)
	}
	o.print(out, table)
	fmt.Fprintln(out)
	for _, s := range sides[1:] {
		fmt.Fprintf(out, "%s: all were there after push %d%s\n", s.name, len(s.first), further(s.first[1:]))
	}
	fmt.Fprintln(out)
	table = [][]string{{""}}
	for _, s := range sides {
		table[0] = append(table[0], s.name)
	}
	for _, row := range []string{rowClone, rowSize, rowGC, rowGCSize} {
		cells := []string{row}
		for _, s := range sides {
			cells = append(cells, fmt.Sprintf("%.1f", s.facts[row]))
		}
		table = append(table, cells)
	}
	o.print(out, table)
}

// further lists what the pushes took after the first one.
func further(pushes []pushed) string {
	var took []string
	for _, p := range pushes {
		took = append(took, milliseconds(float64(p.took)))
	}
	if took == nil {
		return ""
	}
	return "; those after the first took " + strings.Join(took, ", ") + " ms"
}

// cellsBeside are the cells of a side in a row; differences and ratios are taken within each run.
func cellsBeside(s, git *side, row string) (cells []string) {
	var took, more, ratio, cpu []float64
	var last, plain pushed
	for i, p := range s.pushes[row] {
		last, plain = p, git.pushes[row][i]
		took, more = append(took, float64(p.took)), append(more, float64(p.took-plain.took))
		ratio, cpu = append(ratio, float64(p.took)/float64(plain.took)), append(cpu, float64(p.cpu-plain.cpu))
	}
	cells = []string{milliseconds(median(took)), milliseconds(median(more)), fmt.Sprintf("%.2f", median(ratio)), milliseconds(median(cpu)),
		fmt.Sprintf("%d, %d", last.requests, plain.requests)}
	if s.name != "entire" {
		cells = append(cells, fmt.Sprint(last.processes))
	}
	return cells
}

func medianOf(all []pushed, of func(pushed) float64) float64 {
	var values []float64
	for _, p := range all {
		values = append(values, of(p))
	}
	return median(values)
}
