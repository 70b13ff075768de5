// Package agent names the agents whose work is recorded, and holds what differs between them.
package agent

import (
	"path/filepath"
	"slices"

	"entire-plumb/internal/sets"
)

// Verbs are the events of an agent that this program listens to, as arguments of its hooks.
const (
	SessionStart = "session-start"
	Prompt       = "user-prompt-submit" // a turn begins
	Stop         = "stop"               // the turn ends
	TaskStart    = "pre-task"           // a subagent begins
	TaskEnd      = "post-task"
	TaskStep     = "post-todo" // a list of things to do changes
	SessionEnd   = "session-end"

	WorktreeChange = "post-worktree" // the agent goes on in another worktree
	SubagentStop   = "subagent-stop" // tells where a subagent is, which may be a worktree of its own
)

// Agent is a program that writes code for its user.
type Agent struct {
	Name  string // as it is given to --agent, and to hooks
	Title string // for people, and in metadata
	Seen  string // the version that it was run with; empty: none
	// Since is the oldest version that ran all of the hooks, and Newest the newest, as .ci/nightly
	// tried them. Empty: no older one was tried, or no newer one.
	Since, Newest string
	// Events are those that call our hooks, in the order in which they are written to its settings.
	Events []Event
	// Settings is the file in the repository that has its hooks; empty: they are the user's alone,
	// or it has none, and something else calls ours.
	Settings string
	// Plugin is the text of that file, where the agent runs plugins and no commands; in it
	// "/*COMMANDS*/{}" stands for the commands by their verbs. Empty: the file is JSON.
	Plugin string
	// ConfigDir is the user's directory of settings below the home directory, ConfigVar the
	// variable that names another, and UserSettings the file in it that has hooks.
	ConfigDir, ConfigVar, UserSettings string
	// TimeoutUnit is how many of the units of a hook's timeout a second has.
	TimeoutUnit int
	// Command is the program's name on PATH.
	Command string
	// Project is the variable of hooks that names the project's directory; empty: the event does.
	Project string
	// Marks are variables of the commands that its tools run.
	Marks []string
	// SessionMark is the one that holds the session's ID; empty: none.
	SessionMark string
	// ResumeArgs, and the session's ID after them, continue a session; nil: not known.
	ResumeArgs []string
	// Transcript finds the file in which it looks for a conversation; nil: not known.
	Transcript func(Conversation) (Place, error)
	// ByID: the session's ID alone gives the place of its transcript, which few of its events name.
	ByID bool
	// Terminals: its transcript tells of the commands that go on in the background, and its stop
	// event doesn't.
	Terminals bool
	// Trust says what the agent wants before it runs hooks of a repository, UserTrust those of the
	// user's own settings; empty: nothing.
	Trust, UserTrust string
	// Requests: it sends a prompt's event again, without the prompt, before each further request to
	// the model.
	Requests bool
	// Quiet: it shows nothing of what a hook prints.
	Quiet bool
	// Flat is the key of a command, where its settings have the hooks of an event without groups,
	// and a version; empty: they have groups.
	Flat string
	// Key is what our hooks stand under in its settings, where others' are under other keys, in a
	// directory that is not its alone; empty: "hooks".
	Key string
	// TimeoutKey is the key of a hook's timeout in its settings; empty: "timeout".
	TimeoutKey string
	// TOML: its settings are TOML, with a table "hooks" for each hook.
	TOML bool
	// PromptIDs: a prompt that is typed into a turn has an event with the ID of the turn's.
	PromptIDs bool
	// Unmarked: the stop of a subagent looks like its caller's.
	Unmarked bool
	// FromTop: it reads the settings of the worktree's top level wherever below it is started, and
	// not only those of that directory.
	FromTop bool
}

// Event is an event of an agent, by the agent's name.
type Event struct {
	Name    string
	Matcher string // the tools that it is about; empty: the event has none
	Verb    string
	// Timeout is how many seconds the hook may take; 0: the agent's own limit, which is a minute.
	Timeout int
}

// All are the agents that have hooks of their own, in the order in which they are offered.
var All = []Agent{ClaudeCode, Codex, Gemini, Copilot, Qwen, OpenCode, Pi, Kimi, Cline, Cursor, Droid, Amp, Antigravity, Generic}

// ByName finds an agent by its name.
func ByName(name string) (Agent, bool) {
	return find(func(a Agent) bool { return a.Name == name })
}

// ByTitle finds an agent by the title in a session's state or in metadata.
func ByTitle(title string) (Agent, bool) {
	return find(func(a Agent) bool { return a.Title == title })
}

func find(is func(Agent) bool) (Agent, bool) {
	i := slices.IndexFunc(All, is)
	if i < 0 {
		return Agent{}, false
	}
	return All[i], true
}

// Names are the names of all.
func Names() []string {
	var names []string
	for _, a := range All {
		names = append(names, a.Name)
	}
	return names
}

// UserDir is the directory of the user's own settings; empty if the environment doesn't tell.
func (a Agent) UserDir(getenv func(string) string) string {
	if a.ConfigVar != "" {
		if dir := getenv(a.ConfigVar); filepath.IsAbs(dir) {
			return dir
		}
	}
	home := getenv("HOME")
	if a.ConfigDir == "" || !filepath.IsAbs(home) {
		return ""
	}
	return filepath.Join(home, a.ConfigDir)
}

// UserFile is the file of the user's own settings that has hooks; empty if there is none, or the
// environment doesn't tell.
func (a Agent) UserFile(getenv func(string) string) string {
	dir := a.UserDir(getenv)
	if dir == "" || a.UserSettings == "" {
		return ""
	}
	return filepath.Join(dir, a.UserSettings)
}

// Verbs are the verbs of its hooks, each once.
func (a Agent) Verbs() []string {
	var verbs []string
	for _, e := range a.Events {
		verbs = sets.With(verbs, e.Verb)
	}
	return verbs
}

// Marked reports whether an agent's tools run this program, by its environment.
func Marked(getenv func(string) string) bool {
	set := func(name string) bool { v := getenv(name); return v != "" && v != "0" }
	return slices.ContainsFunc(otherMarks, set) ||
		slices.ContainsFunc(All, func(a Agent) bool { return slices.ContainsFunc(a.Marks, set) })
}

// Sessions are the sessions that the environment names, whose tools run this program: more than one
// where an agent runs another.
func Sessions(getenv func(string) string) []string {
	var marks, ids []string
	for _, a := range All {
		marks = append(marks, a.SessionMark)
	}
	for _, mark := range marks {
		if id := getenv(mark); id != "" && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// otherMarks are variables of agents that this program has no hooks for.
var otherMarks = []string{"AI_AGENT"}
