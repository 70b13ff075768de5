package agent

import "path/filepath"

// Copilot is GitHub's Copilot CLI. Its own limit for a hook is half a minute.
var Copilot = Agent{
	Name: "copilot", Title: "Copilot CLI", Seen: "1.0.102", Command: "copilot",
	Events: []Event{
		{Name: "sessionStart", Verb: SessionStart, Timeout: 60},
		{Name: "userPromptSubmitted", Verb: Prompt, Timeout: 60},
		{Name: "agentStop", Verb: Stop, Timeout: 60},
		{Name: "subagentStart", Verb: TaskStart, Timeout: 60},
		{Name: "subagentStop", Verb: TaskEnd, Timeout: 60},
		{Name: "sessionEnd", Verb: SessionEnd, Timeout: 60},
	},
	Settings:  ".github/hooks/entire-plumb.json",
	ConfigDir: ".copilot", ConfigVar: "COPILOT_HOME", UserSettings: "hooks/entire-plumb.json", TimeoutUnit: 1,
	Flat:        "bash",
	TimeoutKey:  "timeoutSec",
	Marks:       []string{"COPILOT_CLI"},
	SessionMark: "COPILOT_AGENT_SESSION_ID", // in a subagent's commands, the subagent's own
	ResumeArgs:  []string{"copilot", "--resume"},
	Transcript:  copilotPlace,
	ByID:        true,
	Quiet:       true,
	Trust:       "Copilot CLI runs no hook in a folder that it doesn't trust, and says nothing: start it here once, and trust the folder",
	FromTop:     true,
}

// copilotPlace is session-state/ID/events.jsonl.
func copilotPlace(c Conversation) (Place, error) {
	return Place{File: filepath.Join(c.Dir, "session-state", c.ID, "events.jsonl")}, nil
}
