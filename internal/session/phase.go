package session

import (
	"fmt"
	"strings"
)

// Phase is where a session stands.
type Phase string

// The phases, as in state files. None is a session that does not exist yet.
const (
	None   Phase = ""
	Idle   Phase = "idle"
	Active Phase = "active"
	Ended  Phase = "ended"
)

// Phases lists all phases but None.
var Phases = []Phase{Idle, Active, Ended}

// Event is something that happens to a session.
type Event string

// The events, as named in the scenarios document.
const (
	SessionStart Event = "SessionStart"
	TurnStart    Event = "TurnStart"
	TurnEnd      Event = "TurnEnd"
	GitCommit    Event = "GitCommit"
	SessionStop  Event = "SessionStop"
)

// Action is what a commit requires for a session.
type Action string

// The actions. Nothing: the event only changes the phase.
const (
	Nothing                Action = ""
	Condense               Action = "Condense"
	CondenseIfFilesTouched Action = "CondenseIfFilesTouched"
)

// Step is one transition of the phase machine.
type Step struct {
	From   Phase
	On     Event
	To     Phase
	Action Action
	note   string // added to the event in the diagram
}

// Table is the phase machine: the transitions of seed 002, State Machine, in its order. An event
// without a transition changes nothing, so that one that comes twice, late, or never leaves a
// session where it is.
var Table = []Step{
	{None, SessionStart, Idle, Nothing, ""},
	{Idle, TurnStart, Active, Nothing, " (UserPromptSubmit)"},
	{Active, TurnEnd, Idle, Nothing, " (Stop hook)"},
	{Active, GitCommit, Active, Condense, ""},
	{Idle, GitCommit, Idle, Condense, ""},
	{Idle, SessionStop, Ended, Nothing, ""},
	{Active, SessionStop, Ended, Nothing, ""},
	{Ended, TurnStart, Active, Nothing, " (session resume)"},
	{Ended, GitCommit, Ended, CondenseIfFilesTouched, ""},
}

// Next returns the phase that an event leads to, and the action. A session whose start event was
// missed begins as if it had been started.
func Next(from Phase, on Event) (Phase, Action) {
	if from == None && on != SessionStart {
		from, _ = Next(None, SessionStart)
	}
	for _, s := range Table {
		if s.From == from && s.On == on {
			return s.To, s.Action
		}
	}
	return from, Nothing
}

// Diagram draws the table in mermaid.
func Diagram() string {
	var b strings.Builder
	b.WriteString("stateDiagram-v2\n")
	name := func(p Phase) string {
		if p == None {
			return "[*]"
		}
		return strings.ToUpper(string(p))
	}
	for _, s := range Table {
		action := ""
		if s.Action != Nothing {
			action = " / " + string(s.Action)
		}
		fmt.Fprintf(&b, "    %s --> %s : %s%s%s\n", name(s.From), name(s.To), s.On, s.note, action)
	}
	return b.String()
}
