package main

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"entire-plumb/internal/testdir"
)

// TestKilledRewriting kills retain and purge at instants spread over their time. The branch of the
// checkpoints is then as it was, or without all that was to go; the same command again finishes.
func TestKilledRewriting(t *testing.T) {
	t.Parallel()
	whole(t)
	const secret = "marmalade-4711"
	for name, args := range map[string][]string{
		"retain": {"retain", "--transcripts", "1KB", "--yes"},
		"purge":  {"purge", secret},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			for n := range 4 {
				testdir.Must(t, errors.Join(w.agent(nil, "user-prompt-submit", "s", fmt.Sprint(n, strings.Repeat(" Say "+secret, 60))), w.turnOf(n)))
			}
			before := strings.TrimSpace(w.git("rev-parse", "entire/checkpoints/v1"))
			holds := func() bool {
				switch name {
				case "retain":
					return strings.Contains(w.git("log", "--name-only", "--format=", "entire/checkpoints/v1"), "/full.jsonl")
				}
				return strings.Contains(w.git("log", "-p", "--format=%B", "--branches=entire/*"), secret)
			}
			begun := time.Now()
			w.must("entire-plumb", append(args, "-n")...)
			span, killed := 3*time.Since(begun), 0
			const rounds = 20
			for round := range rounds {
				_, err := w.run(w.kill(name, "group", span*time.Duration(round*round)/(rounds*rounds)), nil, "entire-plumb", args...)
				if err != nil {
					killed++
				}
				tip := strings.TrimSpace(w.git("rev-parse", "entire/checkpoints/v1"))
				if tip == before && !holds() || tip != before && name == "retain" && w.partly() {
					t.Fatalf("round %d, %v: the branch is neither as it was nor finished", round, err)
				}
				if err := w.rewritten(); err != nil {
					t.Fatalf("round %d: %v", round, err)
				}
				if tip != before {
					break // all is done; it was killed before in each way
				}
			}
			if killed == 0 {
				t.Error("no run was killed")
			}
			if out, err := w.run(nil, nil, "entire-plumb", args...); err != nil && !strings.Contains(fmt.Sprint(out, err), "nothing") {
				t.Fatal(out, err)
			}
			if err := w.rewritten(); err != nil || holds() {
				t.Errorf("%v; it holds it still: %v", err, holds())
			}
			t.Logf("%d killed, within %s", killed, span)
		})
	}
}

// turnOf ends a turn, and commits its file.
func (w where) turnOf(n int) error {
	w.write(fmt.Sprintf("f%d.txt", n), fmt.Sprintf("line %d of the agent's", n))
	err := w.agent(nil, "stop", "s", "Stopped.")
	w.git("add", "-A")
	w.git("commit", "-qm", "Commit")
	return err
}

// partly reports whether the branch's tip has the transcripts of any checkpoint.
func (w where) partly() bool {
	return strings.Contains(w.git("ls-tree", "-r", "--name-only", "entire/checkpoints/v1"), "/full.jsonl")
}

// rewritten checks what must hold whatever was killed, once a command has finished it.
func (w where) rewritten() error {
	if _, err := w.run(nil, nil, "entire-plumb", "sessions"); err != nil {
		return err
	}
	if out, err := w.run(nil, nil, "git", "fsck", "--strict", "--no-dangling"); err != nil || out != "" {
		return fmt.Errorf("git fsck: %s %w", out, err)
	}
	return errors.Join(w.nothingLeft(), w.statesParse())
}
