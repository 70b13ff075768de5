package shadow

import (
	"cmp"
	"encoding/json"
	"fmt"
)

// TaskSubject is the subject of the checkpoint at a subagent's end (seed 004,
// FormatSubagentEndMessage).
func TaskSubject(agentType, description, toolUseID string) string {
	switch {
	case agentType == "" && description == "":
		return "Task: " + toolUseID
	case description == "":
		return fmt.Sprintf("Completed '%s' agent (%s)", agentType, toolUseID)
	case agentType == "":
		return fmt.Sprintf("Completed agent: %s (%s)", description, toolUseID)
	}
	return fmt.Sprintf("Completed '%s' agent: %s (%s)", agentType, description, toolUseID)
}

// StepSubject is the subject of a checkpoint within a subagent's task; sequence counts from 1 (seed
// 004, FormatIncrementalMessage).
func StepSubject(todo string, sequence int, toolUseID string) string {
	if todo == "" {
		return fmt.Sprintf("Checkpoint #%d: %s", sequence, toolUseID)
	}
	return fmt.Sprintf("%s (%s)", todo, toolUseID)
}

// CurrentTodo returns an agent's current task from its todo list: the one in progress, else the
// first that is pending, else the last that is completed, else the first of all; empty if there is
// none (seed 004, ExtractInProgressTodo).
func CurrentTodo(todos []byte) string {
	var list []struct{ Content, Status string }
	if json.Unmarshal(todos, &list) != nil {
		return ""
	}
	first := map[string]string{}
	done, other := "", ""
	for _, t := range list {
		switch t.Status {
		case "in_progress", "pending":
			first[t.Status] = cmp.Or(first[t.Status], t.Content)
		case "completed":
			done = t.Content
		default:
			other = cmp.Or(other, t.Content)
		}
	}
	return cmp.Or(first["in_progress"], first["pending"], done, other)
}
