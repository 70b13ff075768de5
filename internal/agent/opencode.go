package agent

import _ "embed" // the plugin

// OpenCode is the agent of that name. It runs no commands at its events, but plugins in its own
// language: ours calls the hooks, and writes the transcript.
var OpenCode = Agent{
	Name: "opencode", Title: "OpenCode", Seen: "1.18.33", Command: "opencode",
	Events: []Event{
		{Name: "session.created", Verb: SessionStart},
		{Name: "chat.message", Verb: Prompt},
		{Name: "session.idle", Verb: Stop},
		{Name: "tool.execute.before", Matcher: "task", Verb: TaskStart},
		{Name: "tool.execute.after", Matcher: "task", Verb: TaskEnd},
		{Name: "dispose", Verb: SessionEnd},
	},
	Settings:  ".opencode/plugin/entire-plumb.js",
	Plugin:    openCodePlugin,
	ConfigDir: ".config/opencode", ConfigVar: "OPENCODE_CONFIG_DIR", UserSettings: "plugin/entire-plumb.js",
	Marks:       []string{"OPENCODE"},
	SessionMark: "OPENCODE_SESSION_ID", // which the plugin sets
	ResumeArgs:  []string{"opencode", "--session"},
	FromTop:     true,
}

//go:embed opencode.js
var openCodePlugin string
