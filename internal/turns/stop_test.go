package turns

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/commits"
	"entire-plumb/internal/session"
	"entire-plumb/internal/testdir"
)

func TestOutcomeOfAStop(t *testing.T) {
	for fact, test := range map[string]struct {
		do      func(w *world)
		event   Event
		want    string
		streams int
		phase   session.Phase
	}{
		"nothing changed": {func(*world) {}, Event{}, "turn ended, nothing changed", 0, session.Idle},
		"a file changed":  {func(w *world) { w.Write("a.txt", "1\n") }, Event{}, "checkpoint on entire/", 1, session.Idle},
		"a file changed, and tasks go on": {func(w *world) { w.Write("a.txt", "1\n") },
			Event{Background: true, Running: []session.BackgroundTask{{ID: "t"}}}, "checkpoint on entire/", 1, session.Active},
		"all is committed": {func(w *world) { w.Write("a.txt", "1\n"); w.Commit("Second") }, Event{}, "", 0, session.Idle},
	} {
		w := newWorld(t)
		w.start("one")
		test.do(w)
		test.event.SessionID = "one"
		if got := w.stop(test.event); !strings.HasPrefix(got, test.want) || len(w.streams()) != test.streams {
			t.Errorf("%s: %q, want %q; streams %q", fact, got, test.want, w.streams())
		}
		if s := w.state("one"); s.Phase != test.phase || s.TurnOpen != test.event.Background || len(s.Background) != len(test.event.Running) {
			t.Errorf("%s: the session is %s, with tasks %v", fact, s.Phase, s.Background)
		}
	}
}

func TestTurnsOfOneSessionShareAStream(t *testing.T) {
	w := newWorld(t)
	for _, file := range []string{"a.txt", "b.txt"} {
		w.start("one")
		w.Write(file, "the agent's line in "+file+"\n")
		w.stop(Event{SessionID: "one"})
	}
	s := w.state("one")
	if len(w.streams()) != 1 || s.CheckpointCount != 2 || !slices.Equal(s.FilesTouched, []gitexec.Path{"a.txt", "b.txt"}) {
		t.Errorf("streams %q, %d checkpoints, of %q", w.streams(), s.CheckpointCount, s.FilesTouched)
	}
}

// At the session's end the turn is over, whatever goes on in the background.
func TestSessionEndsWithTasksInTheBackground(t *testing.T) {
	for event, open := range map[session.Event]bool{session.TurnEnd: true, session.SessionStop: false} {
		w := newWorld(t)
		w.start("one")
		if _, err := Stop(t.Context(), w.run(), Event{SessionID: "one", Background: true}, event); err != nil {
			t.Fatal(err)
		}
		if s := w.state("one"); s.TurnOpen != open || (s.Phase == session.Active) != open {
			t.Errorf("%s: %s, open %v", event, s.Phase, s.TurnOpen)
		}
	}
}

// The commits of a turn get its whole transcript at its stop, also where nothing else changed.
func TestStopFinalisesCommits(t *testing.T) {
	w := newWorld(t)
	w.start("one")
	s := w.state("one")
	s.TurnCheckpointIDs = []string{"0123456789ab"}
	testdir.Must(t, w.run().Store.Save(s))
	if got := w.stop(Event{SessionID: "one"}); got != "turn ended; commits of the turn finalised" {
		t.Errorf("%q", got)
	}
}

// A commit that is in progress at a turn's end keeps its link, also where another one was made since
// the hook began.
func TestStopBesideACommit(t *testing.T) {
	w := newWorld(t)
	w.start("one")
	run := w.run()
	head := w.Commit("Second")
	dir := run.Repo.PrivateDir()
	testdir.Must(t, os.WriteFile(filepath.Join(dir, "pending.json"), fmt.Appendf(nil, `[{"id":"0123456789ab","head":"%s"}]`, head), 0o600))
	if _, err := Stop(t.Context(), run, Event{SessionID: "one"}, session.TurnEnd); err != nil || len(commits.ReadPending(dir)) != 1 {
		t.Errorf("%v, %v", commits.ReadPending(dir), err)
	}
}

// Without a start, and without a transcript, nothing is known to be the agent's.
func TestStopWithoutAStart(t *testing.T) {
	w := newWorld(t)
	w.Write("human.txt", "1\n")
	if got := w.stop(Event{SessionID: "one"}); got != "turn ended, nothing changed" || len(w.streams()) > 0 {
		t.Errorf("%q, streams %q", got, w.streams())
	}
}

func TestWithWritten(t *testing.T) {
	known := []session.Ignored{{Path: "a", Turn: "1"}, {Path: "b", Turn: "1"}}
	s := &session.State{TurnID: "2", LastPrompt: "Do it", LastInteractionTime: ago(time.Minute)}
	got := withWritten(known, []gitexec.Path{"a", "c"}, s, now)
	want := []session.Ignored{{Path: "b", Turn: "1"}, {Path: "a", Turn: "2", Prompt: "Do it", Began: *ago(time.Minute)},
		{Path: "c", Turn: "2", Prompt: "Do it", Began: *ago(time.Minute)}}
	if !slices.Equal(got, want) || known[0].Turn != "1" {
		t.Errorf("%+v, from %+v", got, known)
	}
	if s.LastInteractionTime = nil; withWritten(nil, []gitexec.Path{"a"}, s, now)[0].Began != now {
		t.Error("a turn without an event began at another time than now")
	}
}
