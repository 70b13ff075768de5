package agent

import (
	_ "embed" // the extension
	"path/filepath"
	"strings"
)

// Pi is the agent of that name. It runs no commands at its events, but extensions in its own
// language: ours calls the hooks.
var Pi = Agent{
	Name: "pi", Title: "pi", Seen: "0.73.1", Command: "pi",
	Events: []Event{
		{Name: "session_start", Verb: SessionStart},
		{Name: "before_agent_start", Verb: Prompt},
		{Name: "agent_end", Verb: Stop},
		{Name: "session_shutdown", Verb: SessionEnd},
	},
	Settings:  ".pi/extensions/entire-plumb.js",
	Plugin:    piExtension,
	ConfigDir: ".pi/agent", ConfigVar: "PI_CODING_AGENT_DIR", UserSettings: "extensions/entire-plumb.js",
	Marks:       []string{"PI_CODING_AGENT"},
	SessionMark: "PI_SESSION_ID", // which the extension sets
	ResumeArgs:  []string{"pi", "--session"},
	Transcript:  piPlace,
}

//go:embed pi.js
var piExtension string

// piPlace is sessions/--PATH--/TIME_ID.jsonl, where PATH has dashes for the slashes. pi finds it by
// the ID.
func piPlace(c Conversation) (Place, error) {
	path := strings.NewReplacer("/", "-", `\`, "-", ":", "-").Replace(strings.TrimLeft(c.Top, `/\`))
	dir := filepath.Join(c.Dir, "sessions", "--"+path+"--")
	found := named(dir, func(name string) bool {
		_, id, ok := strings.Cut(name, "_")
		return ok && id == c.ID+".jsonl"
	})
	if len(found) > 0 {
		return Place{File: filepath.Join(dir, found[len(found)-1])}, nil
	}
	when := strings.ReplaceAll(c.Begun.UTC().Format("2006-01-02T15-04-05.000Z"), ".", "-")
	return Place{File: filepath.Join(dir, when+"_"+c.ID+".jsonl")}, nil
}
