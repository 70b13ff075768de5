package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"entire-plumb/internal/testdir"
)

// TestGrowth holds that no command or hook does work that grows with the square of the files that a
// turn changed: with four times as many it allocates four times as much, and not sixteen times.
// What is allocated is the same on any machine, as busy as it may be.
func TestGrowth(t *testing.T) {
	if _, err := os.Stat("/proc/self/status"); err != nil {
		t.Skip("the system does not tell how much memory a process had")
	}
	t.Parallel()
	whole(t)
	const files, times = 300, 4
	few, many := changing(t, files), changing(t, times*files)
	if len(few) != len(many) {
		t.Fatalf("%d runs with %d files, %d with %d", len(few), files, len(many), times*files)
	}
	for i, n := range many {
		before := few[i]
		if n.what != before.what {
			t.Fatalf("run %d is %q with %d files, %q with %d", i, before.what, files, n.what, times*files)
		}
		if n.allocated > times*before.allocated*3/2 {
			t.Errorf("%s allocates %d KiB where a turn changed %d files, %d KiB for %d", n.what, before.allocated>>10, files,
				n.allocated>>10, times*files)
		}
	}
}

// changing plays a turn that changes so many files, and their commit in two parts, and gives what
// each run of the program needed.
func changing(t *testing.T, files int) []needed {
	w := newWorld(t)
	name := func(i int) string { return fmt.Sprintf("d%02d/f%05d.txt", i%50, i) }
	for i := range 50 {
		testdir.Must(t, os.MkdirAll(filepath.Join(w.dir, fmt.Sprintf("d%02d", i)), 0o777))
	}
	for i := range files {
		w.write(name(i), fmt.Sprint("a line ", i))
	}
	w.git("add", "-A")
	w.git("commit", "-qm", "All of them")
	log := filepath.Join(w.home, "memory")
	w.env = append(w.env, memoryVariable+"="+log)
	testdir.Must(t, w.agent(nil, "user-prompt-submit", "s1", "Change all"))
	for i := range files {
		w.write(name(i), fmt.Sprint("a line ", i), "one by the agent")
	}
	testdir.Must(t, w.agent(nil, "stop", "s1", "Changed"))
	read := func(commands ...string) {
		for _, c := range commands {
			w.must("entire-plumb", strings.Fields(c)...)
		}
	}
	read("log", "status", "streams", "sessions", "decide-suffix")
	w.git("add", "d0*", "d1*")
	w.git("commit", "-qm", "The first part")
	read("log", "status", "streams")
	w.git("add", "-A")
	w.git("commit", "-qm", "The rest")
	w.git("commit", "-q", "--amend", "-m", "The rest, in other words")
	read("log", "show HEAD", "why", "attribution", "checkpoints", "sessions")
	return memory(t, log)
}
