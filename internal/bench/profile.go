package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"entire-plumb/internal/safefile"
)

// profiledRows are the hooks of -profile.
var profiledRows = []string{rowPrompt, rowStop, rowPrepare, rowPostCommit}

// profiledRuns is how often the program with a profile runs for each run of a hook: a profile has a
// sample each 10 ms.
const profiledRuns = 15

// recorder stands for git on PATH. It keeps what each process is given, when it begins and when it
// ends.
const recorder = `#!/bin/sh
d=$ENTIRE_BENCH_RECORD/$$
mkdir "$d" && pwd >"$d/dir" && env -0 >"$d/env" && printf '%%s\0' "$@" >"$d/args" && date +%%s%%N >"$d/begun"
test ! -f "$GIT_INDEX_FILE" || cp "$GIT_INDEX_FILE" "$d/index"
tee "$d/in" | %s "$@"
code=$?
date +%%s%%N >"$d/ended"
echo $code >"$d/code"
exit $code
`

// profile says where the time of hooks goes. A hook runs as users have it, once with a recorder for
// git, and with a program that profiles itself; then git's processes alone. Before each of them the
// git directory is as it was before the hook.
type profile struct {
	dir     string // of the recorder, and of what is recorded
	program string // that profiles itself
	git     string
	hooks   map[string]*hookTimes
}

// hookTimes are those of a hook, of each run one.
type hookTimes struct {
	status, whole, start, floor []float64
	calls                       []string             // of git, as they begin
	inHook, alone               map[string][]float64 // by call
	profiles                    []string             // files
}

// call is a process of git's that was recorded.
type call struct {
	dir          string
	env, args    []string
	in           []byte
	index        []byte // what was in GIT_INDEX_FILE
	begun, ended int64  // nanoseconds
	code         int
}

func newProfile(scratch string) (*profile, error) {
	git, err := exec.LookPath("git")
	if err != nil {
		return nil, err
	}
	p := &profile{dir: filepath.Join(scratch, "profile"), git: git, hooks: map[string]*hookTimes{}}
	p.program = filepath.Join(p.dir, "profiled")
	for _, row := range profiledRows {
		p.hooks[row] = &hookTimes{inHook: map[string][]float64{}, alone: map[string][]float64{}}
	}
	if err := os.MkdirAll(filepath.Join(p.dir, "bin"), 0o700); err != nil {
		return nil, err
	}
	if out, err := exec.Command("go", "build", "-o", p.program, path.Join("entire-plumb", "internal/bench/profiled")).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("go build: %w\n%s", err, out)
	}
	return p, os.WriteFile(filepath.Join(p.dir, "bin", "git"), fmt.Appendf(nil, recorder, git), 0o755)
}

// profiles plays the runs with a profile, and prints it.
func profiles(w *world, program, scratch string, o options, stdout, progress io.Writer) error {
	r, err := openRepository(w, program, scratch, slices.Min(o.files), o, progress)
	if err != nil {
		return err
	}
	p, err := newProfile(scratch)
	if err != nil {
		return err
	}
	if _, err := playAll(r, o, progress, p); err != nil {
		return err
	}
	var b bytes.Buffer
	if err := p.print(&b, o); err != nil {
		return err
	}
	stdout.Write(b.Bytes())
	if o.docs == "" {
		return nil
	}
	return writeInto(o.docs, "-profile", b.String())
}

// take measures a hook. The last to run is the one as users have it, on which the cycle goes on.
func (p *profile) take(c *cycle, row string, hook func() (time.Duration, error)) error {
	t, saved := p.hooks[row], c.dir+".saved"
	git := filepath.Join(c.dir, ".git")
	if _, _, err := c.run(process{args: []string{"cp", "-a", git, saved}}); err != nil {
		return err
	}
	defer os.RemoveAll(saved)
	again := func() error {
		_, _, err := c.run(process{args: []string{"sh", "-c", `rm -rf "$1" && cp -a "$2" "$1"`, "sh", git, saved}})
		return err
	}
	calls, err := p.record(c, hook)
	if err = cmp.Or(err, again()); err != nil {
		return err
	}
	floor, err := p.replay(c, calls, t)
	if err = cmp.Or(err, again(), p.sample(c, t, hook, again)); err != nil {
		return err
	}
	status, err := c.status()
	if err != nil {
		return err
	}
	_, start, err := c.run(process{args: []string{"sh", "-c", `"$0" version`, c.program}})
	if err != nil {
		return err
	}
	c.traced()
	whole, err := hook()
	if err != nil || c.n == 0 {
		return err
	}
	t.status, t.whole = append(t.status, float64(status)), append(t.whole, float64(whole))
	t.start, t.floor = append(t.start, float64(start)), append(t.floor, float64(floor))
	return p.inHook(c.world, t)
}

// with runs a function with more in the environment of processes.
func with(w *world, run func() error, env ...string) error {
	before := w.env
	w.env = append(slices.Clip(before), env...)
	defer func() { w.env = before }()
	return run()
}

// record runs the hook, and returns the processes of git that it started, as they began.
func (p *profile) record(c *cycle, hook func() (time.Duration, error)) ([]call, error) {
	dir := filepath.Join(p.dir, "calls")
	if err := errors.Join(os.RemoveAll(dir), os.Mkdir(dir, 0o700)); err != nil {
		return nil, err
	}
	path := "PATH=" + filepath.Join(p.dir, "bin") + string(filepath.ListSeparator) + os.Getenv("PATH")
	if err := with(c.world, func() error { _, err := hook(); return err }, path, "ENTIRE_BENCH_RECORD="+dir); err != nil {
		return nil, err
	}
	var calls []call
	var err error
	for _, at := range safefile.Glob(dir, "*") {
		read := func(name string) string {
			data, err2 := os.ReadFile(filepath.Join(at, name))
			err = cmp.Or(err, err2)
			return strings.TrimSuffix(string(data), "\n")
		}
		number := func(name string) int64 {
			n, err2 := strconv.ParseInt(read(name), 10, 64)
			err = cmp.Or(err, err2)
			return n
		}
		list := func(name string) []string { return strings.Split(strings.TrimSuffix(read(name), "\x00"), "\x00") }
		in, err2 := os.ReadFile(filepath.Join(at, "in"))
		err = cmp.Or(err, err2)
		index, _ := os.ReadFile(filepath.Join(at, "index")) // git's own, mostly: none is named
		calls = append(calls, call{dir: read("dir"), index: index, env: list("env"), args: list("args"), in: in, begun: number("begun"),
			ended: number("ended"), code: int(number("code"))})
	}
	slices.SortFunc(calls, func(a, b call) int { return cmp.Compare(a.begun, b.begun) })
	return calls, err
}

// replay runs the processes with nothing between them: each as soon as those have ended that had
// ended when it began in the hook.
func (p *profile) replay(c *cycle, calls []call, t *hookTimes) (time.Duration, error) {
	if err := temporary(calls); err != nil {
		return 0, err
	}
	var running sync.WaitGroup
	errs, took := make([]error, len(calls)), make([]time.Duration, len(calls))
	ends := make([]chan struct{}, len(calls))
	for i := range ends {
		ends[i] = make(chan struct{})
	}
	wait := func(until int64) {
		for k, other := range calls {
			if other.ended <= until {
				<-ends[k]
			}
		}
	}
	begun := time.Now()
	for i, one := range calls {
		wait(one.begun)
		running.Go(func() {
			defer close(ends[i])
			in := &delayed{Reader: bytes.NewReader(one.in)}
			if slices.Contains(one.args, "update-ref") { // it is there early, and gets its commands last
				in.until = func() { wait(one.ended - 1) }
			}
			from := time.Now()
			errs[i] = p.alone(c, one, in)
			took[i] = time.Since(from) - in.waited
		})
	}
	running.Wait()
	floor := time.Since(begun)
	if c.n > 0 {
		names := names{}
		t.calls = t.calls[:0]
		for i, one := range calls {
			name := names.next(one.args)
			t.calls = append(t.calls, name)
			t.alone[name] = append(t.alone[name], float64(took[i]))
		}
	}
	return floor, errors.Join(errs...)
}

// delayed is an input that waits before it gives anything.
type delayed struct {
	io.Reader
	until  func()
	waited time.Duration
}

func (d *delayed) Read(b []byte) (int, error) {
	if d.until != nil {
		from := time.Now()
		d.until()
		d.until, d.waited = nil, time.Since(from)
	}
	return d.Reader.Read(b)
}

// alone runs a process of git's that was recorded, which must end as it did in the hook.
func (p *profile) alone(c *cycle, one call, in io.Reader) error {
	null, err := os.Open(os.DevNull)
	if err != nil {
		return err
	}
	defer null.Close()
	cmd := exec.CommandContext(c.ctx, p.git, one.args...)
	cmd.Dir, cmd.Env, cmd.Stdin = one.dir, append(one.env, "PATH="+os.Getenv("PATH")), in
	cmd.ExtraFiles = []*os.File{null} // where discovery has its trace
	var said bytes.Buffer
	cmd.Stderr = &said
	err = cmd.Run()
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != one.code {
		return fmt.Errorf("what was measured is not what should be: git %q alone: %w\n%s", one.args, err, said.Bytes())
	}
	return nil
}

// temporary writes the indexes of the program's own, which are gone when the hook ends.
func temporary(calls []call) error {
	for _, one := range slices.Backward(calls) { // what the first one of an index finds comes last
		for _, variable := range one.env {
			path, ok := strings.CutPrefix(variable, "GIT_INDEX_FILE=")
			if !ok || one.index == nil || !filepath.IsAbs(path) {
				continue
			}
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, one.index, 0o600)); err != nil {
				return err
			}
		}
	}
	return nil
}

// names tell processes of the same command apart.
type names map[string]int

// next is the command and its first option, with a number unless it is the first of this name.
func (n names) next(args []string) string {
	for len(args) > 2 && args[0] == "-c" {
		args = args[2:]
	}
	name := "git " + args[0]
	if len(args) > 1 && strings.HasPrefix(strings.Trim(args[1], "'"), "-") {
		option, _, _ := strings.Cut(strings.Trim(args[1], "'"), "=")
		name += " " + option
	}
	n[name]++
	if n[name] > 1 {
		name += fmt.Sprintf(", %d", n[name])
	}
	return name
}

// inHook adds the times that the program's trace has.
func (p *profile) inHook(w *world, t *hookTimes) error {
	data, err := os.ReadFile(w.trace())
	names := names{}
	for _, found := range regexp.MustCompile(`(?m) git ((?:\S+ )+)# ([0-9.]+) ms$`).FindAllSubmatch(data, -1) {
		ms, err2 := strconv.ParseFloat(string(found[2]), 64)
		err = cmp.Or(err, err2)
		name := names.next(strings.Fields(string(found[1])))
		t.inHook[name] = append(t.inHook[name], ms*float64(time.Millisecond))
	}
	return err
}

// sample runs the hook with the program that profiles itself.
func (p *profile) sample(c *cycle, t *hookTimes, hook func() (time.Duration, error), again func() error) error {
	if c.n == 0 {
		return nil
	}
	dir, err := os.MkdirTemp(p.dir, "samples-*")
	plain := c.program + ".plain"
	if err = cmp.Or(err, os.Rename(c.program, plain), os.Link(p.program, c.program)); err != nil {
		return err
	}
	for range profiledRuns {
		err = cmp.Or(err, with(c.world, func() error { _, err := hook(); return err }, "ENTIRE_BENCH_PROFILES="+dir), again())
	}
	t.profiles = append(t.profiles, safefile.Glob(dir, "*")...)
	return cmp.Or(err, os.Rename(plain, c.program))
}

// kinds are what our processor time goes to, by a function on the stack: the first that fits.
var kinds = []struct {
	name  string
	stack *regexp.Regexp
}{
	{"redaction", regexp.MustCompile(`entire-plumb/internal/redact\.`)},
	{"compression", regexp.MustCompile(`compress/`)},
	{"the lock", regexp.MustCompile(`entire-plumb/internal/lock\.`)},
	{"starting processes", regexp.MustCompile(`os/exec\.\(\*Cmd\)\.Start|os\.StartProcess`)},
	{"hashes", regexp.MustCompile(`crypto/`)},
	{"JSON", regexp.MustCompile(`encoding/json`)},
	{"memory", regexp.MustCompile(`runtime\.(gcBgMarkWorker|bgsweep|bgscavenge|gcStart)`)},
	{"the rest of our code", regexp.MustCompile(`entire-plumb/`)},
	{"the rest of Go's runtime", regexp.MustCompile(``)},
}

// processor is our processor time in a run of the hook, by kind, in milliseconds.
func (p *profile) processor(t *hookTimes) (map[string]float64, error) {
	out, err := exec.Command("go", append([]string{"tool", "pprof", "-traces", p.program}, t.profiles...)...).Output()
	if err != nil {
		return nil, fmt.Errorf("go tool pprof: %w", err)
	}
	sums := map[string]float64{}
	blocks := regexp.MustCompile(`(?m)^-+\+-+\n`).Split(string(out), -1)
	for _, block := range blocks[1:] {
		value, _, _ := strings.Cut(strings.TrimSpace(block), " ")
		took, err := time.ParseDuration(value)
		if err != nil {
			continue // the last one is empty
		}
		for _, kind := range kinds {
			if kind.stack.MatchString(block) {
				sums[kind.name] += float64(took) / float64(len(t.profiles))
				break
			}
		}
	}
	return sums, nil
}

// print prints a table for each hook, in markdown; all figures are beside git status.
func (p *profile) print(out io.Writer, o options) error {
	fmt.Fprintf(out, "Times × `git status --porcelain` just before the hook; medians of %d. The repository has %s files; %d changed in a turn.\n",
		o.runs, grouped(o.files[0]), o.changed)
	for _, row := range profiledRows {
		t := p.hooks[row]
		shown := func(values []float64) string {
			if len(values) != len(t.status) {
				return "" // not in each run
			}
			ratios := slices.Clone(values)
			for i := range ratios {
				ratios[i] /= t.status[i]
			}
			return fmt.Sprintf("%.2f", median(ratios))
		}
		floor := slices.Clone(t.floor)
		for i := range floor {
			floor[i] += t.start[i]
		}
		table := [][]string{{"**" + row + "**", "in the hook", "alone"}, {"the whole hook", shown(t.whole), ""},
			{"the floor: the next two", "", shown(floor)}, {"– a shell and a program that does nothing", "", shown(t.start)},
			{"– git's processes, nothing between them", "", shown(t.floor)}}
		for _, name := range t.calls {
			table = append(table, []string{"– – `" + name + "`", shown(t.inHook[name]), shown(t.alone[name])})
		}
		processor, err := p.processor(t)
		if err != nil {
			return err
		}
		sum, at := 0.0, len(table)
		for _, kind := range kinds {
			if took := processor[kind.name] / median(slices.Clone(t.status)); took >= 0.005 {
				sum += took
				table = append(table, []string{"– " + kind.name, fmt.Sprintf("%.2f", took), ""})
			}
		}
		table = slices.Insert(table, at, []string{"our processor time after the start", fmt.Sprintf("%.2f", sum), ""})
		fmt.Fprintln(out)
		printMarkdown(out, table)
	}
	return nil
}
