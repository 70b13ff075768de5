package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"entire-plumb/internal/journal"
)

// mergedCommits is how many linked commits a merged branch has.
const mergedCommits = 4

// merged measures what a human's commit costs where branches of linked commits were squashed on a
// server, pulled, and deleted: a curve over their number, beside the same commit without hooks,
// with what prepare-commit-msg asked of git's objects.
func merged(w *world, program, scratch string, o options, stdout, progress io.Writer) error {
	m := &mergedBranches{repository: &repository{world: w, dir: filepath.Join(scratch, "merged"), program: program}}
	if err := m.make(); err != nil {
		return err
	}
	fmt.Fprintf(stdout, "\na human's commit after branches of %d linked commits were squashed, pulled and deleted; medians of %d\n\n",
		mergedCommits, o.runs)
	fmt.Fprintln(stdout, "branches  with hooks  without  ratio  objects asked for by prepare-commit-msg")
	for _, part := range []int{0, 1, 2, 4} {
		if err := m.grow(o.merged*part/4, progress); err != nil {
			return err
		}
		hooked, plain, asked, err := m.measure(o.runs)
		if err != nil {
			return err
		}
		fmt.Fprintf(stdout, "%8d  %7s ms  %4s ms  %5.2f  %d\n", m.done, milliseconds(hooked), milliseconds(plain), hooked/plain, asked)
	}
	return nil
}

// mergedBranches is a clone, and the bare repository that stands for the server.
type mergedBranches struct {
	*repository
	done int // branches so far
}

func (m *mergedBranches) server() string { return m.dir + ".git" }

func (m *mergedBranches) make() error {
	if err := os.MkdirAll(m.dir, 0o755); err != nil {
		return err
	}
	for _, args := range [][]string{
		{"git", "init", "-q", "-b", "main"}, {"git", "commit", "-q", "--allow-empty", "-m", "first"}, {m.program, "enable", "--agent", "claude-code"}, {"git", "add",
			"-A"},
		{"git", "-c", noHooks, "commit", "-qm", "enabled"}, {"git", "clone", "-q", "--bare", ".", m.server()}, {"git", "remote", "add",
			"origin", m.server()},
		{"git", "fetch", "-q"}, {"git", "branch", "-q", "-u", "origin/main"},
	} {
		if _, _, err := m.world.run(process{dir: m.dir, args: args}); err != nil {
			return err
		}
	}
	return nil
}

// grow brings the number of merged branches up.
func (m *mergedBranches) grow(branches int, progress io.Writer) error {
	if m.done < branches {
		fmt.Fprintf(progress, "bench: merging %d branches\n", branches-m.done)
	}
	for m.done < branches {
		m.done++
		if err := m.merge(fmt.Sprintf("feature-%d", m.done)); err != nil {
			return err
		}
	}
	return nil
}

// merge makes a branch of linked commits, which the server squashes, and which is then deleted
// here.
func (m *mergedBranches) merge(branch string) (err error) {
	do := func(in string, args ...string) (out string) {
		if err == nil {
			out, _, err = m.world.run(process{dir: m.dir, args: args, stdin: strings.NewReader(in), env: []string{"CLAUDECODE="}})
		}
		return out
	}
	do("", "git", "switch", "-qc", branch, "main")
	for n := range mergedCommits {
		event := fmt.Sprintf(`{"session_id":"s%d","prompt":"Write %s"}`, n%2, branch)
		do(event, m.program, "hooks", "claude-code", "user-prompt-submit")
		if err == nil {
			err = appendTo(filepath.Join(m.dir, fmt.Sprintf("%s-%d", branch, n)),
				fmt.Sprintf("import things\nfunction %d of %s\n", n, branch))
		}
		do(event, m.program, "hooks", "claude-code", "stop")
		do("", "git", "add", "-A")
		do("", "git", "commit", "-qm", "Work on "+branch)
		if message := do("", "git", "log", "-1", "--format=%B"); err == nil && !strings.Contains(message, "Entire-Checkpoint: ") {
			err = fmt.Errorf("what was measured is not what should be: a commit on %s has no link", branch)
		}
	}
	do("", "git", "push", "-q", "origin", branch)
	tree := do("", "git", "rev-parse", branch+"^{tree}")
	onto := do("", "git", "--git-dir", m.server(), "rev-parse", "main")
	squash := do("", "git", "--git-dir", m.server(), "commit-tree", "-p", onto, "-m", branch+" (#1)", tree)
	do("", "git", "--git-dir", m.server(), "update-ref", "refs/heads/main", squash)
	do("", "git", "switch", "-q", "main")
	do("", "git", "pull", "-q")
	do("", "git", "branch", "-qD", branch)
	return err
}

// measure makes commits of a human's, each the first one after a pull, and takes them off the
// server's branch again.
func (m *mergedBranches) measure(runs int) (hooked, plain float64, asked int, err error) {
	var with, without []float64
	do := func(args ...string) (took time.Duration) {
		if err == nil {
			_, took, err = m.world.run(process{dir: m.dir, args: args, env: []string{"CLAUDECODE="}})
		}
		return took
	}
	for n := range runs + 1 {
		for _, hooks := range []bool{false, true} {
			do("git", "switch", "-qC", fmt.Sprintf("human-%v", hooks), "main")
			if err == nil {
				err = appendTo(filepath.Join(m.dir, "human"), fmt.Sprintln("by the human", n))
			}
			do("git", "add", "-A")
			args := []string{"git", "commit", "-qm", "Human"}
			if !hooks {
				args = []string{"git", "-c", noHooks, "commit", "-qm", "Human"}
			}
			took := float64(do(args...))
			if n > 0 && hooks {
				with = append(with, took)
			} else if n > 0 {
				without = append(without, took)
			}
		}
	}
	do("git", "switch", "-q", "main")
	if err == nil {
		asked, err = m.asked()
	}
	if err != nil {
		return 0, 0, 0, err
	}
	return median(with), median(without), asked, nil
}

// asked is how many objects the last prepare-commit-msg asked for, as the journal says.
func (m *mergedBranches) asked() (int, error) {
	entries, err := journal.Read(filepath.Join(m.dir, ".git", "entire-plumb"))
	for i := len(entries) - 1; i >= 0; i-- {
		if entries[i].Hook == "prepare-commit-msg" {
			return entries[i].Objects, err
		}
	}
	if err == nil {
		err = errors.New("the journal knows no prepare-commit-msg")
	}
	return 0, err
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
