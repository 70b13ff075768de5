package agent

import "path/filepath"

// Qwen is Alibaba's Qwen Code.
var Qwen = Agent{
	Name: "qwen", Title: "Qwen Code", Seen: "0.24.4", Command: "qwen",
	Events: []Event{
		{Name: "SessionStart", Verb: SessionStart},
		{Name: "UserPromptSubmit", Verb: Prompt},
		{Name: "Stop", Verb: Stop},
		{Name: "SubagentStart", Verb: TaskStart},
		{Name: "SubagentStop", Verb: TaskEnd},
		{Name: "SessionEnd", Verb: SessionEnd},
	},
	Settings:  ".qwen/settings.json",
	ConfigDir: ".qwen", UserSettings: "settings.json", TimeoutUnit: 1,
	Project:     "QWEN_PROJECT_DIR",
	Marks:       []string{"QWEN_CODE"},
	SessionMark: "QWEN_CODE_SESSION_ID",
	ResumeArgs:  []string{"qwen", "--resume"},
	Transcript:  qwenPlace,
	Requests:    true,
}

// qwenPlace is projects/NAME/chats/ID.jsonl, where NAME is Claude Code's, never shortened.
func qwenPlace(c Conversation) (Place, error) {
	return Place{File: filepath.Join(c.Dir, "projects", ClaudeProject(c.Top), "chats", c.ID+".jsonl")}, nil
}
