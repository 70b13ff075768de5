package session

import "testing"

func TestWorking(t *testing.T) {
	tasks := []Task{{ToolUseID: "A", AgentType: "dev"}, {ToolUseID: "B", AgentType: "dev"}, {ToolUseID: "R", AgentType: "reader"}}
	for _, c := range []struct {
		name string
		by   []By // one after the other; the last one's task is asked for
		want string
	}{
		{"no sign", []By{{}}, "R"},
		{"a type", []By{{AgentType: "dev"}}, "B"},
		{"a type that none is of", []By{{AgentType: "other"}}, "R"},
		{"the use of a tool", []By{{AgentID: "x", ToolUseID: "A"}}, "A"},
		{"the use of a tool that is none of them", []By{{ToolUseID: "T"}}, "R"},
		{"the first agent of a type", []By{{AgentID: "x", AgentType: "dev"}}, "A"},
		{"the second agent of a type", []By{{AgentID: "x", AgentType: "dev"}, {AgentID: "y", AgentType: "dev"}}, "B"},
		{"the first agent again", []By{{AgentID: "x", AgentType: "dev"}, {AgentID: "y", AgentType: "dev"}, {AgentID: "x"}}, "A"},
		{"one agent more than tasks of its type", []By{{AgentID: "x", AgentType: "dev"}, {AgentID: "y", AgentType: "dev"}, {AgentID: "z", AgentType: "dev"}}, "R"},
		{"one agent more than tasks", []By{{AgentID: "x"}, {AgentID: "y"}, {AgentID: "z"}, {AgentID: "more"}}, "R"},
	} {
		s := State{Tasks: append([]Task{}, tasks...)}
		var got *Task
		for _, by := range c.by {
			got = s.Working(by)
		}
		if got == nil || got.ToolUseID != c.want {
			t.Errorf("%s: %+v, want %s", c.name, got, c.want)
		}
	}
	if got := (&State{}).Working(By{AgentID: "x"}); got != nil {
		t.Errorf("without a task: %+v", got)
	}
}
