package turns

import (
	"slices"
	"testing"

	"entire-plumb/internal/ancestry"
	"entire-plumb/internal/commits"
	"entire-plumb/internal/session"
	"entire-plumb/internal/testdir"
)

// A prompt that comes while a turn is in progress starts one that includes it, where nothing tells
// what of it was the agent's.
func TestAPromptInATurn(t *testing.T) {
	w := newWorld(t)
	if got := w.start("one"); got != "turn started" {
		t.Errorf("%q", got)
	}
	w.Write("a.txt", "1\n")
	begun := w.state("one").TurnStartTree
	if got := w.start("one"); got != "turn started; it includes the interrupted one before it" {
		t.Errorf("%q", got)
	}
	if s := w.state("one"); s.TurnStartTree != begun || s.Phase != session.Active {
		t.Errorf("it is %s, and begins at %s, not %s", s.Phase, s.TurnStartTree, begun)
	}
}

// At a session's end its turn ends, whatever is known of it; at another event it stays in progress.
func TestEndWithoutStop(t *testing.T) {
	for event, want := range map[session.Event]session.Phase{session.TurnEnd: session.Active, session.SessionStop: session.Ended} {
		w := newWorld(t)
		w.start("one")
		w.Write("a.txt", "1\n")
		run := w.run()
		snap, err := run.Snapshot(t.Context())
		testdir.Must(t, err)
		testdir.Must(t, run.Locked(t.Context(), func() error { return EndWithoutStop(t.Context(), run, w.state("one"), snap, event) }))
		if s := w.state("one"); s.Phase != want {
			t.Errorf("%s: %s, want %s", event, s.Phase, want)
		}
	}
}

func TestSessionEndEndsTheTurn(t *testing.T) {
	w := newWorld(t)
	for id, want := range map[string]string{"one": "turn ended, nothing changed", "unknown": "session not known"} {
		if id == "one" {
			w.start(id)
		}
		if got, err := SessionEnd(t.Context(), w.run(), Event{SessionID: id}); err != nil || got != want {
			t.Errorf("%s: %q, %v", id, got, err)
		}
	}
	if s := w.state("one"); s.Phase != session.Ended {
		t.Errorf("%s", s.Phase)
	}
	if got, err := SessionEnd(t.Context(), w.run(), Event{SessionID: "one"}); err != nil || got != "session ended" {
		t.Errorf("again: %q, %v", got, err)
	}
}

// A task's end writes a checkpoint of what changed until then; the turn's stop has the rest.
func TestTaskInATurn(t *testing.T) {
	w := newWorld(t)
	w.start("one")
	e := Event{SessionID: "one", ToolUseID: "t1", AgentType: "helper", Description: "Do a part"}
	var outcomes []string
	for _, event := range []func(){
		func() { outcomes = append(outcomes, outcomeOf(t, TaskStart, w, e)) },
		func() { outcomes = append(outcomes, outcomeOf(t, TaskStep, w, e)) },
		func() {
			w.Write("a.txt", "the subagent's line\n")
			outcomes = append(outcomes, outcomeOf(t, TaskEnd, w, e))
		},
		func() { outcomes = append(outcomes, outcomeOf(t, TaskEnd, w, e)) },
	} {
		event()
	}
	want := []string{"task started", "task noted, no file changed", "checkpoint of a task on entire/" + w.Git("rev-parse", "--short=7", "HEAD") + "-1: no existing suffix",
		"task noted, no file changed"}
	if !slices.Equal(outcomes, want) {
		t.Errorf("%q, want %q", outcomes, want)
	}
	if got := outcomeOf(t, TaskStep, w, Event{SessionID: "one", ToolUseID: "t2"}); got != "no subagent is at work" {
		t.Errorf("after its end: %q", got)
	}
	if s := w.state("one"); s.CheckpointCount != 1 || s.CheckpointTask != "t1" {
		t.Errorf("%d checkpoints, the last of task %q", s.CheckpointCount, s.CheckpointTask)
	}
}

// TestAgentProcess: a process that has ended before the first turn, or in one that went on, only
// called a hook; one that ended in a turn that did not go on was the agent.
func TestAgentProcess(t *testing.T) {
	w := newWorld(t)
	run := w.run()
	run.Getenv = func(name string) string { return map[string]string{"CLAUDE_CODE_SESSION_ID": "s"}[name] }
	above := commits.AgentProcess(run)
	if above == nil {
		t.Skip("no process can be seen")
	}
	dead := &ancestry.Process{ID: above.ID, Started: "before"}
	for name, c := range map[string]struct {
		process  *ancestry.Process
		by       session.Caller
		next     session.Caller // of the next turn
		outlived bool
	}{
		"no event yet":                {nil, session.CallerUnknown, session.CallerUnknown, false},
		"session-start by the agent":  {above, session.CallerOfStart, session.CallerAgent, false},
		"session-start by a script":   {dead, session.CallerOfStart, session.CallerScript, true},
		"the agent in its turn":       {above, session.CallerUnknown, session.CallerAgent, false},
		"killed, or a script so far":  {dead, session.CallerUnknown, session.CallerUnknown, true},
		"the agent, killed":           {dead, session.CallerAgent, session.CallerUnknown, true},
		"a script, as was found here": {nil, session.CallerScript, session.CallerScript, false},
	} {
		s := &session.State{SessionID: "s", TurnID: "t", AgentProcess: c.process, Caller: c.by, Place: session.Place{Phase: session.Active}}
		if got, by := agentProcess(run, s); (got != nil) != (by != session.CallerScript) || by != c.next {
			t.Errorf("%s: %+v, %s", name, got, by)
		}
		for event, happens := range map[string]func() error{
			"an event":                 func() error { return goOn(t.Context(), run, "s") },
			"a commit that is marked":  func() error { goOnByMark(t.Context(), run); return nil },
			"an event of none, before": func() error { return goOn(t.Context(), run, "none") },
		} {
			testdir.Must(t, run.Store.Save(s))
			testdir.Must(t, happens())
			outlived := c.outlived && (event == "an event" || event == "a commit that is marked" && c.by != session.CallerAgent)
			if after := w.state("s"); (after.Caller == session.CallerScript) != (outlived || c.by == session.CallerScript) ||
				outlived && after.AgentProcess != nil {
				t.Errorf("%s, and then %s: %+v, %s", name, event, after.AgentProcess, after.Caller)
			}
		}
	}
}
