package agent

import "path/filepath"

// Kimi is Moonshot's Kimi Code. Its hooks are the user's alone. Its shells have no mark. It kills
// hooks of PostToolUse after a moment, so that there is none.
var Kimi = Agent{
	Name: "kimi", Title: "Kimi Code", Seen: "2.1.0", Command: "kimi",
	Events: []Event{
		{Name: "SessionStart", Verb: SessionStart, Timeout: 60},
		{Name: "UserPromptSubmit", Verb: Prompt, Timeout: 60},
		{Name: "Stop", Verb: Stop, Timeout: 60},
		{Name: "Interrupt", Verb: Stop, Timeout: 60},
		{Name: "PreToolUse", Matcher: "Agent", Verb: TaskStart, Timeout: 60},
		{Name: "SubagentStop", Verb: TaskEnd, Timeout: 60},
		{Name: "SessionEnd", Verb: SessionEnd, Timeout: 60},
	},
	ConfigDir: ".kimi-code", ConfigVar: "KIMI_CODE_HOME", UserSettings: "config.toml", TimeoutUnit: 1,
	TOML:       true,
	ResumeArgs: []string{"kimi", "--session"},
	Transcript: kimiPlace,
	ByID:       true,
	Unmarked:   true,
}

// kimiPlace is sessions/WORKSPACE/ID/agents/main/wire.jsonl, where it is already: Kimi Code
// continues no conversation of which it has the transcript alone.
func kimiPlace(c Conversation) (Place, error) {
	sessions := filepath.Join(c.Dir, "sessions")
	for _, workspace := range named(sessions, func(string) bool { return true }) {
		dir := filepath.Join(sessions, workspace, c.ID, "agents", "main")
		if len(named(dir, func(name string) bool { return name == "wire.jsonl" })) > 0 {
			return Place{File: filepath.Join(dir, "wire.jsonl")}, nil
		}
	}
	return Place{}, errUnknown
}
