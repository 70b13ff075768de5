package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// attribution measures what it costs to find out whose the lines of a large commit are: a turn that
// writes 1,000 files of 50 lines, the human's 50 more in each, a second turn that changes them, and
// a file of 50,000 lines that are all alike. It is the time that post-commit's one diff takes, its
// replay beside it, held against git's own numstat over the same steps.
func attribution(w *world, program, scratch string, runs int, stdout io.Writer) error {
	var diffs, stats, hooks []time.Duration
	for n := range runs + 1 {
		dir := filepath.Join(scratch, fmt.Sprintf("attribution-%d", n))
		diff, stat, hook, err := attributed(w, program, dir)
		if err != nil {
			return err
		}
		if n > 0 { // the first one warms up
			diffs, stats, hooks = append(diffs, diff), append(stats, stat), append(hooks, hook)
		}
		os.RemoveAll(dir)
	}
	middle := func(all []time.Duration) time.Duration { slices.Sort(all); return all[len(all)/2] }
	diff, stat := middle(diffs), middle(stats)
	fmt.Fprintf(stdout, "\n1,001 files, 151,000 lines in the commit; medians of %d\n\n", runs)
	fmt.Fprintf(stdout, "git log --numstat over the chain  %4d ms\n", stat.Milliseconds())
	fmt.Fprintf(stdout, "attribution                       %4d ms  %.2f × that\n", diff.Milliseconds(), float64(diff)/float64(stat))
	fmt.Fprintf(stdout, "git commit with hooks             %4d ms\n", middle(hooks).Milliseconds())
	return nil
}

// attributed plays the turns once, in a new repository.
func attributed(w *world, program, dir string) (diff, stat, hook time.Duration, err error) {
	do := func(in string, args ...string) (out string) {
		if err == nil {
			out, hook, err = w.run(process{dir: dir, args: args, stdin: strings.NewReader(in), env: []string{"CLAUDECODE="}})
		}
		return out
	}
	if err = os.MkdirAll(dir, 0o755); err != nil {
		return
	}
	do("", "git", "init", "-q")
	do("", program, "enable")
	do("", "git", "add", "-A")
	do("", "git", "-c", noHooks, "commit", "-qm", "enabled")
	event := `{"session_id":"bench","prompt":"Write it"}`
	add := func(who string, lines int) {
		for i := range 1000 {
			file := filepath.Join(dir, fmt.Sprintf("d%d", i%30), fmt.Sprintf("f%d", i))
			var text strings.Builder
			for line := range lines {
				fmt.Fprintf(&text, "%s %d of %d\n", who, line, i)
			}
			if err == nil {
				err = appendTo(file, text.String())
			}
		}
	}
	do(event, program, "hooks", "claude-code", "user-prompt-submit")
	add("agent", 50)
	do(event, program, "hooks", "claude-code", "stop")
	add("human", 50)
	if err == nil {
		err = appendTo(filepath.Join(dir, "alike"), strings.Repeat("}\n", 50_000))
	}
	do(event, program, "hooks", "claude-code", "user-prompt-submit")
	add("agent, later", 1)
	do(event, program, "hooks", "claude-code", "stop")
	tip := do("", "git", "for-each-ref", "--format=%(refname)", "refs/heads/entire/")
	do("", "git", "add", "-A")
	do("", "git", "-c", noHooks, "commit", "-qm", "before") // what the hook will see, without its link
	do("", "git", "log", "--numstat", "--format=", "HEAD~1.."+tip)
	stat = hook
	do("", "git", "diff", "--numstat", tip, "HEAD")
	stat += hook
	do("", "git", "diff", "--numstat", "HEAD~1", "HEAD")
	stat += hook
	do("", "git", "reset", "-q", "--soft", "HEAD~1")
	os.Remove(w.trace())
	do("", "git", "commit", "-qm", "Work")
	if err != nil {
		return
	}
	data, err := os.ReadFile(w.trace())
	for line := range strings.Lines(string(data)) {
		if strings.Contains(line, " diff-tree --stdin ") {
			fields := strings.Fields(line) // … # 12.3 ms
			ms, _ := strconv.ParseFloat(fields[len(fields)-2], 64)
			diff = time.Duration(ms * float64(time.Millisecond))
		}
	}
	if err == nil && diff == 0 {
		err = fmt.Errorf("what was measured is not what should be: the commit's lines were not attributed")
	}
	return
}

func appendTo(file, text string) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	if _, err = f.WriteString(text); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
