package session

import "slices"

// BackgroundTask is a task that went on when its agent stopped.
type BackgroundTask struct {
	ID      string `json:"id"`
	Shell   bool   `json:"shell,omitempty"`   // its transcript doesn't tell what it writes
	Command string `json:"command,omitempty"` // of a shell, without secrets; empty: not known
	Ended   bool   `json:"ended,omitempty"`   // the agent has heard of it since, as of its end
	TurnID  string `json:"turn_id"`           // of the turn that started it
	Prompt  string `json:"prompt"`            // of that turn, as it is displayed
}

// BackgroundTasks are those at the last stop.
type BackgroundTasks []BackgroundTask

// mostBackground is how many a state keeps, and mostCommand how many bytes of each command; of
// these more are read for secrets, so that none is cut where it is not recognized.
const (
	mostBackground = 50
	mostCommand    = 4 << 10
	mostRead       = 64 << 10
)

func cut(text string, most int) string { return text[:min(len(text), most)] }

// Now returns the tasks that go on at a stop: new ones are the turn's that ends. secrets removes
// secrets from a text.
func (b BackgroundTasks) Now(running []BackgroundTask, turnID, prompt string, secrets func(string) string) BackgroundTasks {
	var now BackgroundTasks
	for _, task := range running[:min(len(running), mostBackground)] {
		if known, ok := b.Find(task.ID); ok {
			task, task.Ended = known, false
		} else {
			task.TurnID, task.Prompt = turnID, prompt
			if task.Command != "" {
				task.Command = cut(secrets(cut(task.Command, mostRead)), mostCommand)
			}
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

// OnlyShells reports whether there are any, all of them are shells' whose whole command is known,
// and none has ended.
func (b BackgroundTasks) OnlyShells() bool {
	return len(b) > 0 && !slices.ContainsFunc(b, func(task BackgroundTask) bool {
		return !task.Shell || task.Ended || task.Command == "" || len(task.Command) >= mostCommand
	})
}

// Heard records that the agent has heard of one of them.
func (b BackgroundTasks) Heard(id string) {
	for i := range b {
		b[i].Ended = b[i].Ended || b[i].ID == id
	}
}

// Continue makes what follows the work of the turn that started the task.
func (t BackgroundTask) Continue(s *State) { s.TurnID, s.LastPrompt = t.TurnID, t.Prompt }
