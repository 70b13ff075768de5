package turns

import (
	"testing"

	"entire-plumb/internal/session"
)

// TestStashesOfATurn: each entry that a turn left is a checkpoint of it, ahead of its end; those that
// were there before, and what HEAD has in another version, are none.
func TestStashesOfATurn(t *testing.T) {
	for fact, test := range map[string]struct {
		before, in  func(w *world)
		checkpoints int
	}{
		"none":                    {func(*world) {}, func(w *world) { w.Write("a", "1\n") }, 1},
		"one, and no more":        {func(*world) {}, func(w *world) { w.Write("a", "1\n"); w.Git("stash", "-u") }, 2},
		"two":                     {func(*world) {}, func(w *world) { w.Write("a", "1\n"); w.Git("stash", "-u"); w.Write("b", "2\n"); w.Git("stash", "-u") }, 3},
		"popped":                  {func(*world) {}, func(w *world) { w.Write("a", "1\n"); w.Git("stash", "-u"); w.Git("stash", "pop") }, 1},
		"the human's, before":     {func(w *world) { w.Write("a", "1\n"); w.Git("stash", "-u") }, func(*world) {}, 0},
		"the human's, of before":  {func(w *world) { w.Write("a", "1\n") }, func(w *world) { w.Git("stash", "-u") }, 1},
		"on another HEAD":         {func(*world) {}, func(w *world) { w.Write("a", "1\n"); w.Git("stash", "-u"); w.Commit("Second") }, 2},
		"another version in HEAD": {func(*world) {}, func(w *world) { w.Write("a", "1\n"); w.Git("stash", "-u"); w.Commit("Second", "a", "2\n") }, 0},
	} {
		w := newWorld(t)
		test.before(w)
		w.start("one")
		test.in(w)
		w.stop(Event{SessionID: "one"})
		if s := w.state("one"); s.CheckpointCount != test.checkpoints || s.Phase != session.Idle {
			t.Errorf("%s: %d checkpoints, want %d; the session is %s", fact, s.CheckpointCount, test.checkpoints, s.Phase)
		}
	}
}
