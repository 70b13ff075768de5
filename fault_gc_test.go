package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// gcVariable asks the program, as the tests run it, for a git gc --prune=now on the way, which ends
// before one of its git processes starts: "HOOK NUMBER COUNT", the last a file that has a line for
// each of them afterwards.
const gcVariable = "ENTIRE_TEST_GC"

// prunes puts a git before the real one that does so.
func prunes(number, count string) {
	git, err := exec.LookPath("git")
	if err != nil {
		panic(err)
	}
	dir, err := os.MkdirTemp(filepath.Dir(count), "git")
	if err != nil {
		panic(err)
	}
	script := fmt.Sprintf(`#!/bin/sh
echo >>%[2]s
if test $(wc -l <%[2]s) -eq %[1]s
then
	(unset GIT_INDEX_FILE; exec %[3]s gc -q --prune=now) </dev/null >/dev/null 2>>%[2]s.gc
fi
exec %[3]s "$@"
`, number, count, git)
	if err := os.WriteFile(filepath.Join(dir, "git"), []byte(script), 0o755); err != nil {
		panic(err)
	}
	os.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	os.Unsetenv(gcVariable)
}

// prune is the environment in which a hook meets a gc before one of its git processes.
func (w where) prune(hook string, number int) []string {
	return []string{fmt.Sprintf("%s=%s %d %s", gcVariable, hook, number, filepath.Join(w.home, "count"))}
}

// processes is how many git processes that hook started.
func (w where) processes() int {
	data, _ := os.ReadFile(filepath.Join(w.home, "count"))
	os.Remove(filepath.Join(w.home, "count"))
	return strings.Count(string(data), "\n")
}

// TestGCBeforeAnyProcess has git gc --prune=now run to its end before each of a hook's git processes
// in turn: nothing is lost, and no ref of ours names an object that is gone.
func TestGCBeforeAnyProcess(t *testing.T) {
	t.Parallel()
	hooks, step := []string{"user-prompt-submit", "stop", "stop again", "post-commit", "rewind"}, 1
	if !all() {
		hooks, step = []string{"stop"}, 4
	}
	for _, hook := range hooks {
		t.Run(hook, func(t *testing.T) {
			t.Parallel()
			for number, last := step, step; number <= last; number += step {
				if last = newWorld(t).meets(hook, number); last == 0 {
					t.Fatalf("%s started no git process that is counted", hook)
				}
			}
		})
	}
}

// meets plays two turns and a commit, and has one hook meet the gc.
func (w where) meets(hook string, number int) (processes int) {
	w.t.Helper()
	event, again := strings.CutSuffix(hook, " again")
	env := func(of string, turn int) []string {
		if of == event && (turn == 2) == again {
			return w.prune(event, number)
		}
		return nil
	}
	fail := func(what string, err error) {
		if err != nil {
			w.t.Fatalf("gc before process %d of %s: %s: %v", number, hook, what, err)
		}
	}
	acked := acknowledged{}
	for turn := 1; turn <= 2; turn++ {
		w.write("mine.txt", "what I wrote", strconv.Itoa(turn))
		fail("prompt", w.agent(env("user-prompt-submit", turn), "user-prompt-submit", "s1", "Write"))
		w.write("one.txt", "what the agent wrote to one", strconv.Itoa(turn))
		w.write("two.txt", "what the agent wrote to two", strconv.Itoa(turn))
		w.use("s1", "one.txt", "two.txt")
		fail("stop", w.agent(env("stop", turn), "stop", "s1", "Done."))
		acked.stopped(w, "one.txt", "two.txt")
		fail("after the stop", errors.Join(w.promises(), acked.lost(w)))
	}
	if event == "rewind" {
		w.write("one.txt", "worse")
		if _, err := w.run(env("rewind", 1), nil, "entire-plumb", "rewind", "--last"); err != nil {
			w.must("entire-plumb", "rewind", "--last") // a command says that it failed
		}
		_, err := w.run(nil, nil, "entire-plumb", "rewind", "--undo")
		fail("rewind --undo", err)
		if is, _ := os.ReadFile(filepath.Join(w.dir, "one.txt")); string(is) != "worse\n" {
			err = fmt.Errorf("one.txt is %q", is)
		}
		fail("after the rewind", errors.Join(err, w.promises()))
		delete(acked, "one.txt") // it is mine now
	} else {
		w.git("add", "one.txt")
		_, err := w.run(env("post-commit", 1), nil, "git", "commit", "-qm", "One")
		fail("commit", err)
		fail("after the commit", errors.Join(w.promises(), acked.committed(w, "HEAD")))
	}
	processes = w.processes()
	w.git("gc", "-q", "--prune=now")
	fail("after a further gc", w.promises())
	w.git("add", "-A")
	w.git("commit", "-qm", "Two")
	fail("after the second commit", errors.Join(w.promises(), acked.committed(w, "HEAD")))
	if id := w.git("log", "-1", "--format=%(trailers:key=Entire-Checkpoint,valueonly,separator=)"); id == "" {
		fail("second commit", errors.New("it has no link"))
	} else if data := w.git("show", "entire/checkpoints/v1:"+id[:2]+"/"+id[2:]+"/metadata.json"); strings.Contains(data, "mine.txt") {
		fail("second commit", errors.New("what I wrote is the agent's"))
	}
	return processes
}
