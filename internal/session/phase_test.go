package session

import (
	"strings"
	"testing"
	"time"
)

// diagram is the drawing of seed 002, State Machine, byte for byte but for the fence around it.
const diagram = `stateDiagram-v2
    [*] --> IDLE : SessionStart

    IDLE --> ACTIVE : TurnStart (UserPromptSubmit)
    ACTIVE --> IDLE : TurnEnd (Stop hook)
    ACTIVE --> ACTIVE : GitCommit / Condense
    IDLE --> IDLE : GitCommit / Condense

    IDLE --> ENDED : SessionStop
    ACTIVE --> ENDED : SessionStop
    ENDED --> ACTIVE : TurnStart (session resume)
    ENDED --> ENDED : GitCommit / CondenseIfFilesTouched
`

func TestDiagramIsTheDocuments(t *testing.T) {
	// Blank lines, which part the arrows for the eye, say nothing.
	if want := strings.ReplaceAll(diagram, "\n\n", "\n"); Diagram() != want {
		t.Errorf("Diagram() = %s\nwant %s", Diagram(), want)
	}
}

// TestNext goes through every pair of a phase and an event.
func TestNext(t *testing.T) {
	type answer struct {
		to     Phase
		action Action
	}
	want := map[Phase]map[Event]answer{
		None: {SessionStart: {Idle, Nothing}, TurnStart: {Active, Nothing}, TurnEnd: {Idle, Nothing},
			GitCommit: {Idle, Condense}, SessionStop: {Ended, Nothing}},
		Idle: {SessionStart: {Idle, Nothing}, TurnStart: {Active, Nothing}, TurnEnd: {Idle, Nothing},
			GitCommit: {Idle, Condense}, SessionStop: {Ended, Nothing}},
		Active: {SessionStart: {Active, Nothing}, TurnStart: {Active, Nothing}, TurnEnd: {Idle, Nothing},
			GitCommit: {Active, Condense}, SessionStop: {Ended, Nothing}},
		Ended: {SessionStart: {Ended, Nothing}, TurnStart: {Active, Nothing}, TurnEnd: {Ended, Nothing},
			GitCommit: {Ended, CondenseIfFilesTouched}, SessionStop: {Ended, Nothing}},
	}
	for _, from := range append([]Phase{None}, Phases...) {
		for _, on := range []Event{SessionStart, TurnStart, TurnEnd, GitCommit, SessionStop} {
			w, ok := want[from][on]
			if !ok {
				t.Fatalf("no answer is expected for (%q, %s)", from, on)
			}
			if to, action := Next(from, on); to != w.to || action != w.action {
				t.Errorf("Next(%q, %s) = %q, %q, want %q, %q", from, on, to, action, w.to, w.action)
			}
		}
	}
}

func TestApplyKeepsTime(t *testing.T) {
	begun := time.Date(2026, 1, 2, 3, 4, 5, 0, time.FixedZone("", 3600))
	s := &State{}
	s.Apply(TurnStart, begun)
	if s.Phase != Active || !s.LastInteractionTime.Equal(begun) || s.LastInteractionTime.Location() != time.UTC || s.EndedAt != nil {
		t.Errorf("after the turn's start: %+v", s)
	}
	for _, in := range []Event{GitCommit, SessionStart} { // such as one after a compaction
		if s.Apply(in, begun.Add(time.Minute)); !s.LastInteractionTime.Equal(begun) {
			t.Errorf("%s in a turn moved its start to %v", in, s.LastInteractionTime)
		}
	}
	over := begun.Add(time.Hour)
	s.Apply(SessionStop, over)
	if s.Phase != Ended || s.EndedAt == nil || !s.EndedAt.Equal(over) {
		t.Errorf("after the end: %+v", s)
	}
	s.Apply(GitCommit, over.Add(time.Hour)) // a commit doesn't end it again
	if !s.EndedAt.Equal(over) {
		t.Errorf("a commit after the end moved it to %v", s.EndedAt)
	}
	s.Apply(TurnStart, over.Add(2*time.Hour))
	if s.Phase != Active || s.EndedAt != nil {
		t.Errorf("after it was resumed: %+v", s)
	}
}
