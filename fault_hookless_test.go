package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"entire-plumb/internal/testdir"
)

// besideHead are the checkpoints that HEAD has beside it.
func (w where) besideHead() []string {
	id := w.git("rev-parse", "HEAD")
	data, err := w.run(nil, nil, "git", "cat-file", "blob", "entire/checkpoints/v1:links/"+id[:2]+"/"+id[2:]+".json")
	var link struct{ Checkpoints []string }
	if err != nil || json.Unmarshal([]byte(data), &link) != nil {
		return nil
	}
	return link.Checkpoints
}

// checkpointsNamed counts the checkpoints that list a file.
func (w where) checkpointsNamed(file string) int {
	count := 0
	for _, name := range strings.Fields(w.git("ls-tree", "-r", "--name-only", "entire/checkpoints/v1")) {
		if strings.HasSuffix(name, "/0/metadata.json") &&
			strings.Contains(w.git("cat-file", "blob", "entire/checkpoints/v1:"+name), fmt.Sprintf("%q", file)) {
			count++
		}
	}
	return count
}

// TestKilledHookless kills what links a commit that ran no hook: the next prompt, stop, commit or
// command. The link and its checkpoint are there together in the end, once.
func TestKilledHookless(t *testing.T) {
	t.Parallel()
	budget := 3 * time.Second
	if *killTime > 0 {
		budget = *killTime
	}
	seed := *killSeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	k := &killing{where: newWorld(t), scope: "group", rand: rand.New(rand.NewPCG(seed, 1)), span: map[string]float64{}, runs: map[string]int{}}
	testdir.Must(t, k.turn())
	for end := time.Now().Add(budget); time.Now().Before(end); {
		k.round++
		fail := func(why any) {
			t.Fatalf("-kill.seed=%d, round %d (%v): %v\n%s", seed, k.round, k.runs, why, k.journal())
		}
		if err := k.agent(nil, "user-prompt-submit", "s", fmt.Sprintf("Prompt %d", k.round)); err != nil {
			fail(err)
		}
		one, rest := fmt.Sprintf("one%d.txt", k.round), fmt.Sprintf("rest%d.txt", k.round)
		k.write(one, fmt.Sprintf("line %d of the agent's", k.round), "and another")
		k.write(rest, fmt.Sprintf("line %d of the rest", k.round))
		k.use("s", one, rest)
		if err := k.agent(nil, "stop", "s", "Stopped."); err != nil {
			fail(err)
		}
		k.git("add", one)
		k.git("-c", "core.hooksPath=/dev/null", "commit", "-qm", "Without hooks")
		for range 1 + k.rand.IntN(3) {
			switch k.rand.IntN(3) {
			case 0:
				k.agent(k.fate("user-prompt-submit"), "user-prompt-submit", "s", "Go on")
			case 1:
				k.agent(k.fate("stop"), "stop", "s", "Gone on.")
			case 2:
				k.run(k.fate("why"), nil, "entire-plumb", "why")
			}
		}
		if err := k.finished(); err != nil {
			fail(err)
		}
		if links := k.besideHead(); len(links) != 1 || k.checkpointsNamed(one) != 1 {
			fail(fmt.Sprintf("%s: links %q, in %d checkpoints", one, links, k.checkpointsNamed(one)))
		}
		k.git("add", "-A")
		k.git("commit", "-qm", "The rest")
		if !strings.Contains(k.git("log", "-1", "--format=%B"), "Entire-Checkpoint") {
			fail(rest + " lost its link")
		}
	}
	t.Logf("%d rounds, %v", k.round, k.runs)
}

// TestHooklessAtOnce: of several that find the same commit at once, one links it.
func TestHooklessAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for round := range 3 {
		testdir.Must(t, w.agent(nil, "user-prompt-submit", "s", "Work"))
		file := fmt.Sprintf("f%d.txt", round)
		w.write(file, fmt.Sprintf("line %d of the agent's", round))
		testdir.Must(t, w.agent(nil, "stop", "s", "Done."))
		w.git("add", "-A")
		w.git("-c", "core.hooksPath=/dev/null", "commit", "-qm", "Without hooks")
		var all sync.WaitGroup
		for range 6 {
			all.Add(1)
			go func() {
				defer all.Done()
				if _, err := w.run(nil, nil, "entire-plumb", "why"); err != nil {
					t.Error(err)
				}
			}()
		}
		all.Wait()
		if links := w.besideHead(); len(links) != 1 || w.checkpointsNamed(file) != 1 {
			t.Errorf("%s: links %q, in %d checkpoints", file, links, w.checkpointsNamed(file))
		}
		if err := w.promises(); err != nil {
			t.Error(err)
		}
	}
}
