package turns

import (
	"slices"
	"testing"

	"entire-plumb/gitexec"
	"entire-plumb/internal/agent"
	"entire-plumb/internal/ancestry"
	"entire-plumb/internal/session"
	"entire-plumb/internal/settings"
	"entire-plumb/internal/workspace"
	"entire-plumb/shadow"
)

func TestUncommittedBeside(t *testing.T) {
	state := func(id, base string, checkpoints int) *session.State {
		s := &session.State{SessionID: id, FirstPrompt: "Do " + id}
		s.BaseCommit, s.CheckpointCount = "base", checkpoints
		if base != "" {
			s.BaseCommit = "another"
		}
		return s
	}
	states := []*session.State{state("this", "", 1), state("work", "", 2), state("nothing", "", 0), state("elsewhere", "x", 1)}
	if got := uncommittedBeside(states, states[0]); !slices.Equal(got, []string{`work ("Do work")`}) {
		t.Errorf("%q", got)
	}
}

func TestStartsAt(t *testing.T) {
	snap := shadow.Snapshot{Tree: "tree", Index: "index", Staged: []gitexec.Path{"a"}}
	for strategy, want := range map[string][]gitexec.Path{settings.AutoCommit: {"a"}, settings.ManualCommit: nil} {
		s := &session.State{}
		s.TurnStartStaged = []gitexec.Path{"old"}
		startsAt(s, snap, gitexec.Head{ID: "head"}, strategy)
		if s.TurnStartTree != "tree" || s.TurnStartCommit != "head" || s.TurnStartIndex != "index" || !slices.Equal(s.TurnStartStaged, want) {
			t.Errorf("%s: %+v", strategy, s.Place)
		}
	}
}

func TestSameProcess(t *testing.T) {
	one := ancestry.Process{ID: 1, Started: "1"}
	again, later := one, ancestry.Process{ID: 1, Started: "2"}
	for _, test := range []struct {
		a, b *ancestry.Process
		want bool
	}{{&one, &again, true}, {&one, &later, false}, {nil, &one, false}, {&one, nil, false}, {nil, nil, false}} {
		if got := sameProcess(test.a, test.b); got != test.want {
			t.Errorf("%v, %v: %v", test.a, test.b, got)
		}
	}
}

// A notification of a task has what follows be its turn's.
func TestContinueTask(t *testing.T) {
	for _, goesOn := range []bool{false, true} {
		s := &session.State{TurnID: "2", LastPrompt: "Second", Background: session.BackgroundTasks{{ID: "t", TurnID: "1", Prompt: "First"}}}
		s.Phase, s.TurnStartTree = session.Idle, "start"
		if goesOn {
			s.Phase = session.Active
		}
		run := &workspace.Run{Head: gitexec.Head{ID: "head"}}
		err := continueTask(t.Context(), run, s, shadow.Snapshot{Tree: "now"}, "<task-notification><task-id>t</task-id></task-notification>", now)
		if err != nil || !s.Background[0].Ended {
			t.Errorf("it goes on %v: the task ended %v, %v", goesOn, s.Background[0].Ended, err)
		}
		if s.Phase != session.Active || s.TurnID != "1" || s.LastPrompt != "First" || (s.TurnStartTree == "start") != goesOn {
			t.Errorf("it goes on %v: %s, %s, %q, from %s", goesOn, s.Phase, s.TurnID, s.LastPrompt, s.TurnStartTree)
		}
	}
}

func TestSubagentsWorktree(t *testing.T) {
	state := func(change func(s *session.State)) *session.State {
		s := &session.State{TurnStartWorktrees: []string{"", "old"}}
		s.Place = session.Place{Phase: session.Active}
		change(s)
		return s
	}
	in := func(phase session.Phase, agentID string) func(s *session.State) {
		return func(s *session.State) {
			s.Others = []session.Place{{WorktreeID: "new", Phase: phase, AgentID: agentID}}
		}
	}
	for _, test := range []struct {
		fact    string
		state   *session.State
		agentID string
		may, is bool
	}{
		{"made in the turn, and no turn is there", state(func(*session.State) {}), "s", true, false},
		{"the event is the agent's", state(func(*session.State) {}), "", false, false},
		{"made in the turn, and a commit has told", state(in(session.Active, "")), "s", true, false},
		{"made in the turn, and it is its own", state(in(session.Active, "s")), "s", false, true},
		{"made in the turn, and it is another's", state(in(session.Active, "other")), "s", false, false},
		{"there before the turn", state(func(s *session.State) { s.TurnStartWorktrees = append(s.TurnStartWorktrees, "new") }), "s", false, false},
	} {
		if got := mayBeSubagents(test.state, "new", test.agentID); got != test.may {
			t.Errorf("%s: it may be the subagent's: %v", test.fact, got)
		}
		if got := isSubagents(test.state, "new", test.agentID); got != test.is {
			t.Errorf("%s: it is the subagent's: %v", test.fact, got)
		}
	}
}

func TestSubagentTranscript(t *testing.T) {
	for _, test := range []struct {
		event     Event
		ofSession string
		want      string
	}{
		{Event{AgentID: "s", AgentTranscript: "/x.jsonl"}, "/s/one.jsonl", "/x.jsonl"},
		{Event{AgentID: "s"}, "", ""},
	} {
		if got := subagentTranscript(test.event, test.ofSession); got != test.want {
			t.Errorf("%+v: %q", test.event, got)
		}
	}
	if got := subagentTranscript(Event{AgentID: "s"}, "/s/one.jsonl"); got == "" || got == "/s/one.jsonl" {
		t.Errorf("beside the session's: %q", got)
	}
}

// A boundary ends a turn, or doesn't; other events are none.
func TestBoundaries(t *testing.T) {
	for verb, want := range map[string][2]bool{agent.Stop: {true, true}, agent.SessionEnd: {true, true}, agent.Prompt: {false, true},
		agent.SessionStart: {false, true}, agent.TaskEnd: {false, false}, agent.WorktreeChange: {false, false}} {
		if ends, boundary := boundaries[verb]; ends != want[0] || boundary != want[1] {
			t.Errorf("%s ends a turn: %v, a boundary: %v", verb, ends, boundary)
		}
	}
}
