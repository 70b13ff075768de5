package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	_ "entire-plumb/internal/cli" // the program that is played: with another one the tests' results are others
	"entire-plumb/internal/replay"
)

var (
	workflows = flag.Uint64("workflows", 4, "how many workflows TestAgainstTheProgram plays")
	from      = flag.Uint64("seed", 1, "what they are made from")
)

// TestPromises plays workflows in memory: no ghost, nothing lost, and far fewer wrong decisions
// than by the document's rule.
func TestPromises(t *testing.T) {
	const n = 300
	tallies := simulate(*from, 0, n, []string{"exact", "fuzzy", "seed"}, nil)
	if broken := brokenPromises(tallies); len(broken) > 0 {
		var said strings.Builder
		report(&said, broken, *from, n)
		t.Error(said.String(), writeFailures("", *from, nil, broken))
	}
	literal := tallies[2]
	for _, own := range tallies[:2] {
		if own.Decisions < 5*n || 8*(own.WrongSame+own.WrongNew) > literal.WrongSame+literal.WrongNew {
			t.Errorf("%s: %d and %d wrong of %d; by the document's rule %d and %d", own.Rule, own.WrongSame, own.WrongNew, own.Decisions,
				literal.WrongSame, literal.WrongNew)
		}
	}
	if literal.Ghosts == 0 || literal.Lost == 0 {
		t.Error("the document's rule made no ghosts, or lost nothing: the oracle is blind")
	}
}

// TestAgainstTheProgram plays random workflows with the real program and git: the streams there are
// after each turn and commit, each commit's link, and the sessions that its checkpoint holds must
// be those of the run in memory.
func TestAgainstTheProgram(t *testing.T) {
	if testing.Short() {
		t.Skip("plays workflows with real git")
	}
	dir := t.TempDir()
	var files []string
	for number := range *workflows {
		p := newPlumb("ledger")
		p.replay = true
		w := run(*from, number, nil, p)
		file := filepath.Join(dir, fmt.Sprintf("workflow_%d_%d.txtar", *from, number))
		if err := os.WriteFile(file, []byte(w.script.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	playAll(t, dir, files)
}

// playAll plays scripts with the program, which is built into a directory.
func playAll(t *testing.T, dir string, files []string) {
	t.Helper()
	exe := filepath.Join(dir, "entire-plumb")
	if out, err := exec.Command("go", "build", "-o", exe, "entire-plumb").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	err := replay.Run(exe, files, func(r replay.Result) {
		if r.Failed {
			t.Errorf("%s goes otherwise (a workflow of the simulation: go run ./internal/simulate -first NUMBER -n 1 -seed SEED -o DIR)\n%s", r.Name, tail(r.Log, 40))
		}
	})
	if err != nil {
		t.Fatal(err)
	}
}

func tail(log string, n int) string {
	lines := strings.Split(strings.TrimSpace(log), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}

// TestKeepsStashed plays workflows in which a stash entry, or the worktree, holds what a commit does
// not: a version that a later turn deleted or replaced, or lines that a human changed.
func TestKeepsStashed(t *testing.T) {
	for _, number := range []uint64{717, 2905, 3814, 4252, 6448, 7543, 8704} {
		for _, f := range simulate(1, number, 1, []string{"exact", "fuzzy"}, nil) {
			if f.Lost > 0 {
				t.Errorf("workflow %d loses %d pieces of work with %s matching", number, f.Lost, f.Rule)
			}
		}
	}
}
