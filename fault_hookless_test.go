package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

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

// TestHooklessAtOnce: of several that find the same commit at once, one links it.
func TestHooklessAtOnce(t *testing.T) {
	t.Parallel()
	testdir.InTime(t)
	w := newWorld(t)
	for round := range testdir.Times(3, 1) {
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
