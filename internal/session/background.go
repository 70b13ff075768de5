package session

import "slices"

// BackgroundTask is a task that went on when its agent stopped.
type BackgroundTask struct {
	ID     string `json:"id"`
	Shell  bool   `json:"shell,omitempty"` // its transcript doesn't tell what it writes
	TurnID string `json:"turn_id"`         // of the turn that started it
	Prompt string `json:"prompt"`          // of that turn, as it is displayed
}

// BackgroundTasks are those at the last stop.
type BackgroundTasks []BackgroundTask

// mostBackground is how many a state keeps.
const mostBackground = 50

// Now returns the tasks that go on at a stop: new ones are the turn's that ends.
func (b BackgroundTasks) Now(running []BackgroundTask, turnID, prompt string) BackgroundTasks {
	var now BackgroundTasks
	for _, task := range running[:min(len(running), mostBackground)] {
		if known, ok := b.Find(task.ID); ok {
			task = known
		} else {
			task.TurnID, task.Prompt = turnID, prompt
		}
		now = append(now, task)
	}
	return now
}

// IDs are the tasks' IDs.
func (b BackgroundTasks) IDs() (ids []string) {
	for _, task := range b {
		ids = append(ids, task.ID)
	}
	return ids
}

// Find returns a task by its ID.
func (b BackgroundTasks) Find(id string) (BackgroundTask, bool) {
	i := slices.IndexFunc(b, func(task BackgroundTask) bool { return task.ID == id && id != "" })
	if i < 0 {
		return BackgroundTask{}, false
	}
	return b[i], true
}

// Shell reports whether any of them is a shell's.
func (b BackgroundTasks) Shell() bool {
	return slices.ContainsFunc(b, func(task BackgroundTask) bool { return task.Shell })
}

// Continue makes what follows the work of the turn that started the task.
func (t BackgroundTask) Continue(s *State) { s.TurnID, s.LastPrompt = t.TurnID, t.Prompt }
