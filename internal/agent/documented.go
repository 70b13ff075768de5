package agent

import (
	_ "embed" // the plugin
	"path/filepath"
	"strings"
)

// These agents were not run: they need an account. What is here is from their documents, and from
// what others captured. It is as little as a turn needs.

// Cursor is Anysphere's Cursor, the editor and the command-line agent. Without a terminal the
// latter has no event of a prompt, and none of a stop. Its hooks must print JSON, or nothing.
var Cursor = Agent{
	Name: "cursor", Title: "Cursor", Command: "cursor-agent",
	Events: []Event{
		{Name: "sessionStart", Verb: SessionStart, Timeout: 60},
		{Name: "beforeSubmitPrompt", Verb: Prompt, Timeout: 60},
		{Name: "stop", Verb: Stop, Timeout: 60},
		{Name: "sessionEnd", Verb: SessionEnd, Timeout: 60},
	},
	Settings:  ".cursor/hooks.json",
	ConfigDir: ".cursor", UserSettings: "hooks.json", TimeoutUnit: 1,
	Flat:        "command",
	Marks:       []string{"CURSOR_AGENT"},
	SessionMark: "CURSOR_CONVERSATION_ID",
	ResumeArgs:  []string{"cursor-agent", "--resume"},
	Transcript:  cursorPlace,
	ByID:        true,
	Quiet:       true,
}

// cursorPlace is projects/NAME/agent-transcripts/ID.jsonl, or the same in a directory ID, where it
// is already.
func cursorPlace(c Conversation) (Place, error) {
	projects := filepath.Join(c.Dir, "projects")
	for _, name := range named(projects, func(string) bool { return true }) {
		dir := filepath.Join(projects, name, "agent-transcripts")
		for _, in := range []string{dir, filepath.Join(dir, c.ID)} {
			if len(named(in, func(name string) bool { return name == c.ID+".jsonl" })) > 0 {
				return Place{File: filepath.Join(in, c.ID+".jsonl")}, nil
			}
		}
	}
	if c.Top == "" {
		return Place{}, errUnknown
	}
	name := strings.TrimLeft(ClaudeProject(c.Top), "-")
	return Place{File: filepath.Join(projects, name, "agent-transcripts", c.ID+".jsonl")}, nil
}

// Amp is the agent of that name. It runs no commands at its events, but plugins in its own
// language, in a process of their own: ours calls the hooks, and writes the transcript.
var Amp = Agent{
	Name: "amp", Title: "Amp", Command: "amp",
	Events: []Event{
		{Name: "session.start", Verb: SessionStart},
		{Name: "agent.start", Verb: Prompt},
		{Name: "agent.end", Verb: Stop},
		{Name: "exit", Verb: SessionEnd},
	},
	Settings:  ".amp/plugins/entire-plumb.js",
	Plugin:    ampPlugin,
	ConfigDir: ".config/amp", UserSettings: "plugins/entire-plumb.js",
	SessionMark: "AMP_CURRENT_THREAD_ID",
	ResumeArgs:  []string{"amp", "threads", "continue"},
	Quiet:       true,
}

//go:embed amp.js
var ampPlugin string

// Antigravity is Google's agent of that name, in a terminal. It has no event of a prompt, but one
// before each request to the model, with its number in the turn.
var Antigravity = Agent{
	Name: "antigravity", Title: "Antigravity", Command: "agy",
	Events: []Event{
		{Name: "PreInvocation", Verb: Prompt, Timeout: 60},
		{Name: "Stop", Verb: Stop, Timeout: 60},
	},
	Settings:  ".agents/hooks.json",
	ConfigDir: ".gemini/config", UserSettings: "hooks.json", TimeoutUnit: 1,
	Flat: "command", Key: "entire-plumb",
	Marks:      []string{"ANTIGRAVITY_AGENT"},
	ResumeArgs: []string{"agy", "--conversation"},
	Quiet:      true,
}

// Droid is Factory's Droid, whose settings are like Claude Code's.
var Droid = Agent{
	Name: "droid", Title: "Factory Droid", Command: "droid",
	Events: []Event{
		{Name: "SessionStart", Verb: SessionStart, Timeout: 60},
		{Name: "UserPromptSubmit", Verb: Prompt, Timeout: 60},
		{Name: "Stop", Verb: Stop, Timeout: 60},
		{Name: "SessionEnd", Verb: SessionEnd, Timeout: 60},
	},
	Settings:  ".factory/settings.json",
	ConfigDir: ".factory", UserSettings: "settings.json", TimeoutUnit: 1,
	Project:    "FACTORY_PROJECT_DIR",
	ResumeArgs: []string{"droid", "--resume"},
	Transcript: func(c Conversation) (Place, error) {
		return Place{File: filepath.Join(c.Dir, "sessions", ClaudeProject(c.Top), c.ID+".jsonl")}, nil
	},
}
