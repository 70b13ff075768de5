package session

import (
	"cmp"
	"slices"
	"time"
)

// Task is a subagent's task in progress.
type Task struct {
	ToolUseID   string    `json:"tool_use_id"`
	AgentType   string    `json:"subagent_type,omitempty"`
	Description string    `json:"description,omitempty"` // one line
	Started     time.Time `json:"started_at"`
	Steps       int       `json:"steps,omitempty"`       // incremental checkpoints so far
	AgentID     string    `json:"agent_id,omitempty"`    // the subagent's, once known
	Before      int       `json:"checkpoints,omitempty"` // the session's checkpoints when it began
}

// By is the subagent that an event comes from; all fields may be empty.
type By struct {
	AgentID, AgentType string
	ToolUseID          string // the tool use that started the subagent
}

// Working returns the task that an event comes from; nil if there is none in progress. Of several
// it is that of the tool use or the agent that the event names. A new agent gets the first task
// that no other agent has, of its type if possible. Without any such sign it is the task that began
// last: the others may be waiting for it.
func (s *State) Working(by By) *Task {
	at := func(is func(Task) bool) *Task {
		if i := slices.IndexFunc(s.Tasks, is); i >= 0 {
			return &s.Tasks[i]
		}
		return nil
	}
	last := func(is func(Task) bool) (found *Task) {
		for i := range s.Tasks {
			if is(s.Tasks[i]) {
				found = &s.Tasks[i]
			}
		}
		return found
	}
	ofType := func(t Task) bool { return by.AgentType != "" && t.AgentType == by.AgentType }
	free := func(t Task) bool { return t.AgentID == "" }
	if t := at(func(t Task) bool { return t.ToolUseID == by.ToolUseID }); t != nil {
		return t
	}
	if by.AgentID == "" {
		return cmp.Or(last(ofType), last(func(Task) bool { return true }))
	}
	if t := at(func(t Task) bool { return t.AgentID == by.AgentID }); t != nil {
		return t
	}
	t := cmp.Or(at(func(t Task) bool { return free(t) && ofType(t) }), at(free))
	if t == nil {
		return last(func(Task) bool { return true })
	}
	t.AgentID = by.AgentID
	return t
}

// Begin records a task, in the place of one with the same tool use.
func (s *State) Begin(t Task) {
	s.End(t.ToolUseID)
	s.Tasks = append(s.Tasks, t)
}

// End removes a task and returns it.
func (s *State) End(toolUseID string) (Task, bool) {
	i := slices.IndexFunc(s.Tasks, func(t Task) bool { return t.ToolUseID == toolUseID })
	if i < 0 {
		return Task{ToolUseID: toolUseID}, false
	}
	ended := s.Tasks[i]
	s.Tasks = slices.Delete(slices.Clone(s.Tasks), i, i+1)
	return ended, true
}
