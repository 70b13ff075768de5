package agent

import (
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
