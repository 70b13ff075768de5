package session

import (
	"slices"
	"time"
)

// Task is a subagent's task that is going on.
type Task struct {
	ToolUseID   string    `json:"tool_use_id"`
	AgentType   string    `json:"subagent_type,omitempty"`
	Description string    `json:"description,omitempty"` // one line
	Started     time.Time `json:"started_at"`
	Steps       int       `json:"steps,omitempty"` // incremental checkpoints so far
}

// Begin notes a task; one that is noted already is begun anew.
func (s *State) Begin(t Task) {
	s.End(t.ToolUseID)
	s.Tasks = append(s.Tasks, t)
}

// End takes a task out, and gives what was noted of it.
func (s *State) End(toolUseID string) (Task, bool) {
	i := slices.IndexFunc(s.Tasks, func(t Task) bool { return t.ToolUseID == toolUseID })
	if i < 0 {
		return Task{ToolUseID: toolUseID}, false
	}
	ended := s.Tasks[i]
	s.Tasks = slices.Delete(slices.Clone(s.Tasks), i, i+1)
	return ended, true
}
