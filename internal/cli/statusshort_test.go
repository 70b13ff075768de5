package cli

import (
	"fmt"
	"testing"

	"entire-plumb/gitexec"
	"entire-plumb/internal/session"
)

func TestShortStatus(t *testing.T) {
	state := func(agent string, phase session.Phase, files ...gitexec.Path) *session.State {
		return &session.State{AgentType: agent, Place: session.Place{Phase: phase, FilesTouched: files}}
	}
	for name, c := range map[string]struct {
		states []*session.State
		want   string
	}{
		"none":                {nil, ""},
		"all is committed":    {[]*session.State{state("Codex", session.Idle)}, ""},
		"a turn":              {[]*session.State{state("Claude Code", session.Active)}, "● claude-code"},
		"a turn, with work":   {[]*session.State{state("Claude Code", session.Active, "a", "b")}, "● claude-code 2 uncommitted"},
		"uncommitted":         {[]*session.State{state("Codex", session.Idle, "a")}, "○ codex 1 uncommitted"},
		"ended":               {[]*session.State{state("Codex", session.Ended, "a")}, "○ codex 1 uncommitted"},
		"two, a file of both": {[]*session.State{state("Codex", session.Idle, "a"), state("Gemini CLI", session.Active, "a", "b"), state("Codex", session.Idle, "c")}, "● codex+gemini 3 uncommitted"},
		"another agent":       {[]*session.State{state("My\x1bAgent", session.Active)}, "● My" + printable("\x1b") + "Agent"},
	} {
		touched := map[string][]gitexec.Path{}
		for i, s := range c.states {
			s.SessionID = fmt.Sprint(i)
			touched[s.SessionID] = s.FilesTouched
		}
		if got := shortStatus(c.states, touched).line(); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestStatusNext(t *testing.T) {
	session := func(phase session.Phase, files ...gitexec.Path) statusSession {
		return statusSession{Phase: phase, Files: files}
	}
	for want, r := range map[string]*statusReport{
		"": {Enabled: false, Why: "w"},
		"start an agent here: what it does is recorded, and your commits of it are linked":                            {Enabled: true},
		"when its turn ends, git add and git commit what you want to keep":                                            {Enabled: true, Sessions: []statusSession{session("active", "a")}},
		"git add and git commit what you want to keep: the commit is linked":                                          {Enabled: true, unborn: true, Sessions: []statusSession{session("idle", "a")}},
		"git add and git commit what you want to keep: the commit is linked; entire-plumb rewind takes the rest back": {Enabled: true, Sessions: []statusSession{session("idle", "a")}},
		"entire-plumb log lists what the agents' commits hold, and entire-plumb show HEAD the conversation":           {Enabled: true, Checkpointed: true, Sessions: []statusSession{session("idle")}},
	} {
		if got := r.next(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
