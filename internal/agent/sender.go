package agent

import (
	"path/filepath"
	"strings"

	"entire-plumb/internal/safefile"
)

// Other agents run the hooks of Claude Code's settings, too: Copilot CLI those of the repository,
// Cursor and Grok also the user's, by their documents. They send events of their own.

// Sent is what tells who sent an event.
type Sent struct {
	Getenv     func(string) string
	Transcript string // the path that the event names; empty: none
	Cursor     bool   // it has Cursor's version
	Camel      bool   // it names the session in camelCase, as Claude Code never does
}

// Sender is the agent that sent an event to a hook of a's settings: a itself or another one. It is
// not known where the event isn't a's and has no agent's marks.
func (a Agent) Sender(s Sent) (sender Agent, known bool) {
	if a.Name != ClaudeCode.Name {
		return a, true
	}
	if own := a.UserDir(s.Getenv); own != "" && below(own, s.Transcript) {
		return a, true
	}
	if f := s.byTranscript(); f != nil {
		return f.Agent, true
	}
	if s.Cursor {
		return cursor.Agent, true
	}
	if f := s.byMark(); f != nil {
		return f.Agent, true
	}
	return a, !s.Camel
}

// byTranscript is the agent that has the transcript among its own; nil: none is known to.
func (s Sent) byTranscript() *foreigner {
	if s.Transcript == "" {
		return nil
	}
	for i, f := range foreign {
		dir := s.Getenv(f.homeVar)
		if strings.Contains(filepath.ToSlash(s.Transcript), f.transcripts) || filepath.IsAbs(dir) && below(dir, s.Transcript) {
			return &foreign[i]
		}
	}
	return nil
}

// byMark is the agent whose hooks have a variable of its own; nil: none is known. What another
// agent runs inherits its variables: Claude Code's events name a transcript.
func (s Sent) byMark() *foreigner {
	if s.Transcript != "" {
		return nil
	}
	for i, f := range foreign {
		if f.mark != "" && s.Getenv(f.mark) != "" {
			return &foreign[i]
		}
	}
	return nil
}

func below(dir, file string) bool {
	return strings.HasPrefix(filepath.Clean(file), filepath.Clean(dir)+string(filepath.Separator))
}

// OwnHooks are the files that may have the agent's own hooks, in the repository at top and in the
// user's home directory.
func (a Agent) OwnHooks(getenv func(string) string, top string) (files []string) {
	for _, f := range foreign {
		if f.Name != a.Name {
			continue
		}
		for _, pattern := range f.hooks {
			files = append(files, safefile.Glob(top, pattern)...)
		}
		dir := getenv(f.homeVar)
		if home := getenv("HOME"); !filepath.IsAbs(dir) && filepath.IsAbs(home) {
			dir = filepath.Join(home, f.ConfigDir)
		}
		if filepath.IsAbs(dir) {
			files = append(files, safefile.Glob(dir, f.userHooks)...)
		}
	}
	return files
}

// foreigner is an agent that runs hooks of another one's settings.
type foreigner struct {
	Agent
	transcripts string // what the paths of its transcripts hold
	mark        string // a variable of its hooks; empty: none
	homeVar     string // the variable that names its directory of settings
	hooks       []string
	userHooks   string
}

var (
	copilot = foreigner{Agent: Copilot,
		transcripts: "/.copilot/session-state/", mark: "COPILOT_CLI", homeVar: "COPILOT_HOME",
		hooks: []string{".github/hooks/*.json"}, userHooks: "hooks/*.json"}
	cursor = foreigner{Agent: Cursor,
		transcripts: "/.cursor/", mark: "CURSOR_PROJECT_DIR", hooks: []string{".cursor/hooks.json"}, userHooks: "hooks.json"}
	grok = foreigner{Agent: Agent{Name: "grok", Title: "Grok", ConfigDir: ".grok", Events: Generic.Events},
		transcripts: "/.grok/", hooks: []string{".grok/hooks/*.json"}, userHooks: "hooks/*.json"}
	chat = foreigner{Agent: Agent{Name: "copilot-chat", Title: "Copilot Chat", ConfigDir: ".copilot", Events: Generic.Events},
		transcripts: "/GitHub.copilot-chat/", hooks: []string{".github/hooks/*.json"}, userHooks: "hooks/*.json"}

	foreign = []foreigner{copilot, cursor, grok, chat}
)
