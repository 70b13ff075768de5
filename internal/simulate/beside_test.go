package main

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var besides = flag.Int("besides", 4, "workflows that TestTurnsBesideEachOther plays")

// TestTurnsBesideEachOther plays turns of several agents that go on at once in one worktree, each
// of which writes files of its own by tools that say so: whoever's turn ends first, and whatever is
// committed when, each line is its own agent's.
func TestTurnsBesideEachOther(t *testing.T) {
	if testing.Short() {
		t.Skip("plays workflows with real git")
	}
	dir := t.TempDir()
	var files []string
	for number := range *besides {
		file := filepath.Join(dir, fmt.Sprintf("beside_%d_%d.txtar", *from, number))
		if err := os.WriteFile(file, []byte(besideScript(*from, number)), 0o644); err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	playAll(t, dir, files)
}

// besideScript writes one such workflow.
func besideScript(seed uint64, number int) string {
	random := rand.New(rand.NewPCG(seed, uint64(number)))
	w := &besideWriter{random: random, lines: map[string][]string{}, owner: map[string]string{}}
	w.say("repo")
	agents := []string{"a1", "a2", "a3"}[:2+random.IntN(2)]
	going := map[string]bool{}
	for step := range 14 + random.IntN(26) {
		w.tick()
		agent := agents[random.IntN(len(agents))]
		switch what := random.IntN(20); {
		case !going[agent]:
			w.say(fmt.Sprintf("prompt %s 'Turn %d of %s'", agent, step, agent))
			going[agent] = true
		case what < 12:
			w.write(agent)
		case what < 17:
			w.say("answer " + agent)
			delete(going, agent)
		case len(going) == 0 && len(w.dirty) > 0:
			w.commit(1 + random.IntN(len(w.dirty)))
		}
	}
	for _, agent := range slices.Sorted(maps.Keys(going)) {
		w.tick()
		w.say("answer " + agent)
	}
	w.commit(len(w.dirty))
	for _, file := range slices.Sorted(maps.Keys(w.lines)) {
		w.say("plumb blame "+file, fmt.Sprintf("stdout -count=%d 'Claude Code %s '", len(w.lines[file]), w.owner[file]))
	}
	w.say("promises")
	return w.script.String()
}

type besideWriter struct {
	script strings.Builder
	random *rand.Rand
	lines  map[string][]string
	owner  map[string]string
	dirty  []string
	second int
	wrote  int
}

func (w *besideWriter) say(lines ...string) {
	for _, line := range lines {
		fmt.Fprintln(&w.script, line)
	}
}

func (w *besideWriter) tick() {
	w.second += 7
	w.say(fmt.Sprintf("at 2026-01-02T03:%02d:%02dZ", w.second/60, w.second%60))
}

// write has an agent write a new file, or a line into one of its own, at its end or in between.
func (w *besideWriter) write(agent string) {
	var own []string
	for _, file := range slices.Sorted(maps.Keys(w.owner)) {
		if w.owner[file] == agent {
			own = append(own, file)
		}
	}
	w.wrote++
	file := fmt.Sprintf("f%d.txt", w.wrote)
	if len(own) > 0 && w.random.IntN(5) < 2 {
		file = own[w.random.IntN(len(own))]
		w.lines[file] = slices.Insert(w.lines[file], w.random.IntN(len(w.lines[file])+1), fmt.Sprintf("%s adds %d", agent, w.wrote))
	} else {
		w.owner[file] = agent
		for k := range 1 + w.random.IntN(4) {
			w.lines[file] = append(w.lines[file], fmt.Sprintf("%s writes %d %d", agent, w.wrote, k))
		}
	}
	w.say(fmt.Sprintf("write %s '%s'", file, strings.Join(w.lines[file], "' '")), fmt.Sprintf("use %s %s", agent, file))
	if !slices.Contains(w.dirty, file) {
		w.dirty = append(w.dirty, file)
	}
}

// commit commits so many of the files that are not committed.
func (w *besideWriter) commit(n int) {
	if n == 0 {
		return
	}
	w.random.Shuffle(len(w.dirty), func(i, j int) { w.dirty[i], w.dirty[j] = w.dirty[j], w.dirty[i] })
	w.say("git add "+strings.Join(w.dirty[:n], " "), fmt.Sprintf("git commit -qm 'commit %d'", w.second))
	w.dirty = w.dirty[n:]
}
