package agent

import _ "embed" // the plugin

// Cline is the agent of that name, in a terminal. It goes on while its hooks run, and gives them no
// prompt. It waits for plugins in its own language: ours calls the hooks, and writes the
// transcript. They run in a process of their own, and cannot mark the shells' commands with the
// session.
var Cline = Agent{
	Name: "cline", Title: "Cline", Seen: "3.0.65", Command: "cline",
	Events: []Event{
		{Name: "setup", Verb: SessionStart},
		{Name: "beforeModel", Verb: Prompt},
		{Name: "afterRun", Verb: Stop},
		{Name: "exit", Verb: SessionEnd},
	},
	Settings:  ".cline/plugins/entire-plumb.js",
	Plugin:    clinePlugin,
	ConfigDir: ".cline", ConfigVar: "CLINE_DIR", UserSettings: "plugins/entire-plumb.js",
	Marks:      []string{"CLINE_CONNECTOR_CLI_LAUNCH"},
	ResumeArgs: []string{"cline", "--id"},
	FromTop:    true,
	Quiet:      true,
}

//go:embed cline.js
var clinePlugin string
