package session

import (
	"fmt"
	"strings"
)

// Phase is where a session stands.
type Phase string

// The phases, as they stand in state files. None is a session that doesn't exist yet.
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

// The events, in the words of the scenarios document.
const (
	SessionStart Event = "SessionStart"
	TurnStart    Event = "TurnStart"
	TurnEnd      Event = "TurnEnd"
	GitCommit    Event = "GitCommit"
	SessionStop  Event = "SessionStop"
)

// Events lists all events.
var Events = []Event{SessionStart, TurnStart, TurnEnd, GitCommit, SessionStop}

// Action is what a commit asks of a session.
type Action string

// The actions. Nothing: the event changes the phase only.
const (
	Nothing                Action = ""
	Condense               Action = "Condense"
	CondenseIfFilesTouched Action = "CondenseIfFilesTouched"
)

// Step is one arrow of the phase machine.
type Step struct {
	From   Phase
	On     Event
	To     Phase
	Action Action
	note   string // what the diagram says beside the event
}

// Table is the phase machine: the arrows of seed 002, State Machine, in its order. What has no
// arrow changes nothing, so that an event that comes twice, late, or never leaves a session where
// it is.
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

// Next gives the phase that an event leads to, and what is to be done. A session that is first
// heard of in the middle, since its start was missed, begins as if it had been started.
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
