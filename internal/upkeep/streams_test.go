package upkeep

import (
	"slices"
	"testing"

	"entire-plumb/shadow"
)

func TestWhereTheWorkIs(t *testing.T) {
	for fact, test := range map[string]struct {
		then func(w *world)
		want Whereabouts
	}{
		"as the agent has left it":      {func(*world) {}, InWorktree},
		"with the human's lines":        {func(w *world) { w.Write("a.txt", "the agent's first line\nthe human's line\n") }, InWorktree},
		"stashed":                       {func(w *world) { w.Git("stash", "-u", "-q") }, InStash},
		"stashed, and another file now": {func(w *world) { w.Git("stash", "-u", "-q"); w.Write("b.txt", "other\n") }, InStash},
		"committed without our hooks":   {func(w *world) { w.Git("add", "."); w.Git("commit", "-qm", "Second") }, Committed},
		"deleted":                       {func(w *world) { w.Git("clean", "-qf") }, Dismissed},
		"replaced by other lines":       {func(w *world) { w.Write("a.txt", "nothing that the agent wrote\n") }, Dismissed},
	} {
		w := newWorld(t)
		w.turn("one", "a.txt", "the agent's first line\nthe agent's second line\n", true)
		test.then(w)
		if got := w.where(false); !slices.Equal(got, []Whereabouts{test.want}) {
			t.Errorf("%s: %q, want %q", fact, got, test.want)
		}
	}
}

func TestStreamsOfABase(t *testing.T) {
	w := newWorld(t)
	w.turn("one", "a.txt", "the agent's line\n", true)
	w.Git("clean", "-qf")
	w.Git("commit", "-q", "--allow-empty", "-m", "Second")
	w.turn("two", "b.txt", "another agent's line\n", true)
	for base, want := range map[string]int{"": 2, "HEAD": 1, "HEAD^": 1} {
		infos, err := Streams(t.Context(), w.env(), base, false)
		if err != nil || len(infos) != want {
			t.Errorf("on %q: %d streams, %v", base, len(infos), err)
		}
	}
	if _, err := Streams(t.Context(), w.env(), "no-such-branch", false); err == nil {
		t.Error("a base that is no commit has streams")
	}
}

func TestStepsOfAStream(t *testing.T) {
	var info StreamInfo
	info.addSteps([]shadow.Checkpoint{
		{ID: "1", Session: "one", Part: shadow.Human},
		{ID: "2", Session: "one", Part: shadow.Agent},
		{ID: "3", Session: "two", Part: shadow.Agent},
		{ID: "4", Session: "one", Part: shadow.Agent},
	})
	if len(info.Steps) != 4 || info.Checkpoints != 3 || !slices.Equal(info.Sessions, []string{"one", "two"}) {
		t.Errorf("%d steps, %d checkpoints, of %q", len(info.Steps), info.Checkpoints, info.Sessions)
	}
}
