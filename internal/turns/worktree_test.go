package turns

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"entire-plumb/internal/agent"
	"entire-plumb/internal/session"
	"entire-plumb/internal/testdir"
	"entire-plumb/internal/testrepo"
)

func TestPlacesToLeave(t *testing.T) {
	active := func(id, agentID string) session.Place {
		return session.Place{WorktreeID: id, Phase: session.Active, AgentID: agentID}
	}
	places := []session.Place{active("here", ""), active("agent", ""), active("subagent", "s"), {WorktreeID: "idle", Phase: session.Idle}}
	for _, test := range []struct {
		fact  string
		ended bool
		want  []string
	}{
		{"the agent goes on, and so may its subagents", false, []string{"agent"}},
		{"the agent has ended, and its subagents with it", true, []string{"agent", "subagent"}},
	} {
		var got []string
		for _, place := range placesToLeave(places, "here", test.ended) {
			got = append(got, place.WorktreeID)
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", test.fact, got, test.want)
		}
	}
	if len(places) != 4 || places[1].WorktreeID != "agent" {
		t.Errorf("the session's places are changed: %+v", places)
	}
}

// An agent that goes to another worktree has its work in each recorded there.
func TestATurnMovesToAnotherWorktree(t *testing.T) {
	w := newWorld(t)
	other := filepath.Join(t.TempDir(), "other")
	w.Git("worktree", "add", "-q", "-b", "other", other)
	elsewhere := &world{Repository: &testrepo.Repository{T: t, Dir: other}, time: now}
	testdir.Must(t, os.CopyFS(filepath.Join(other, ".entire"), os.DirFS(filepath.Join(w.Dir, ".entire")))) // settings are each worktree's own
	w.start("one")
	w.Write("a.txt", "the agent's line\n")
	run := elsewhere.run()
	e := Event{SessionID: "one"}
	outcome, err := InWorktree(t.Context(), run, agent.WorktreeChange, e, func() (string, error) { return "handled", nil })
	if err != nil || outcome != "the turn moved to this worktree" {
		t.Fatalf("%q, %v", outcome, err)
	}
	if len(w.streams()) != 1 {
		t.Errorf("the part that was done before is on the streams %q", w.streams())
	}
	elsewhere.Write("b.txt", "the agent's other line\n")
	elsewhere.stop(e)
	if len(w.streams()) != 2 {
		t.Errorf("both parts are on the streams %q", w.streams())
	}
	for _, place := range w.state("one").Places() {
		if place.Phase == session.Active || place.CheckpointCount != 1 {
			t.Errorf("in %s: %s, %d checkpoints", place.WorktreePath, place.Phase, place.CheckpointCount)
		}
	}
	// A second departure finds nothing in progress.
	if outcome, err := endPart(t.Context(), w.run(), e, continues); err != nil || outcome != "no turn is in progress here" {
		t.Errorf("%q, %v", outcome, err)
	}
}

// A subagent's event doesn't move the agent.
func TestASubagentsEventLeavesNoWorktree(t *testing.T) {
	w := newWorld(t)
	outcome, err := InWorktree(t.Context(), w.run(), agent.WorktreeChange, Event{SessionID: "one", By: session.By{AgentID: "s"}},
		func() (string, error) { return "handled", nil })
	if err != nil || outcome != "handled" {
		t.Errorf("%q, %v", outcome, err)
	}
}

func TestAsTask(t *testing.T) {
	s := &session.State{Tasks: []session.Task{{ToolUseID: "t1", AgentType: "helper", Description: "Do it", AgentID: "s"}}}
	s.AgentID = "s"
	if got := asTask(s, turn{}); got.task != "t1" || got.subject == "" {
		t.Errorf("%q, of %q", got.subject, got.task)
	}
	s.Tasks[0].AgentID = "another"
	if got := asTask(s, turn{}); got.task != "" || got.subject != "" {
		t.Errorf("of another subagent: %q, of %q", got.subject, got.task)
	}
}
