package upkeep

import (
	"testing"

	"entire-plumb/gitexec"
	"entire-plumb/internal/testdir"
)

// Where nothing is unfinished, a command records nothing and starts no process.
func TestCatchUpOnNothing(t *testing.T) {
	w := newWorld(t)
	w.turn("one", "a.txt", "the agent's line\n", true)
	repo, err := gitexec.Discover(t.Context(), w.Dir, nil)
	testdir.Must(t, err)
	before := repo.Processes()
	if CatchUp(t.Context(), w.env(), repo) || repo.Processes() != before || w.said.Len() > 0 {
		t.Errorf("it records, with %d processes, and says %q", repo.Processes()-before, w.said.String())
	}
}
