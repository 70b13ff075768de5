package session

import (
	"path"
	"slices"
	"strings"
	"unicode"

	"entire-plumb/gitexec"
)

// BackgroundTask is a task that went on when its agent stopped.
type BackgroundTask struct {
	ID      string `json:"id"`
	Shell   bool   `json:"shell,omitempty"`   // its transcript doesn't tell what it writes
	Command string `json:"command,omitempty"` // of a shell, without secrets; empty: not known
	Ended   bool   `json:"ended,omitempty"`   // the agent has heard of its end since
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
			task = known
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

// OnlyShells reports whether all of them are shells', and none has ended.
func (b BackgroundTasks) OnlyShells() bool {
	return !slices.ContainsFunc(b, func(task BackgroundTask) bool { return !task.Shell || task.Ended })
}

// Writing is the first of them that is a shell whose command writes a file, by its words: it names
// the file after a redirection or an option for the output, or, where the file is new, anywhere.
func (b BackgroundTasks) Writing(file gitexec.Path, isNew bool) (BackgroundTask, bool) {
	i := slices.IndexFunc(b, func(task BackgroundTask) bool {
		return task.Shell && writes(task.Command, path.Base(string(file)), isNew)
	})
	if i < 0 {
		return BackgroundTask{}, false
	}
	return b[i], true
}

// outputs are what stands before the name of a file that a command writes.
var outputs = []string{">", "tee", "tee -a", " -o", " --out", " --output"}

func writes(command, name string, isNew bool) bool {
	inName := func(c rune) bool {
		return c == '_' || c == '-' || c == '.' || unicode.IsLetter(c) || unicode.IsDigit(c)
	}
	inPath := func(c rune) bool { return !unicode.IsSpace(c) && !strings.ContainsRune(`"'>=`, c) }
	for rest := 0; ; {
		i := strings.Index(command[rest:], name)
		if i < 0 {
			return false
		}
		before, after := command[:rest+i], command[rest+i+len(name):]
		rest += i + len(name)
		if strings.TrimRightFunc(before, inName) != before || strings.TrimLeftFunc(after, inName) != after {
			continue // a part of another name
		}
		before = strings.TrimRight(strings.TrimRightFunc(before, inPath), `"'= `)
		if isNew || slices.ContainsFunc(outputs, func(output string) bool { return strings.HasSuffix(before, output) }) {
			return true
		}
	}
}

// Heard records that the agent has heard of the end of one of them.
func (b BackgroundTasks) Heard(id string) {
	for i := range b {
		b[i].Ended = b[i].Ended || b[i].ID == id
	}
}

// Continue makes what follows the work of the turn that started the task.
func (t BackgroundTask) Continue(s *State) { s.TurnID, s.LastPrompt = t.TurnID, t.Prompt }
