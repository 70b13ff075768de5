package agentsettings

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"entire-plumb/internal/agent"
)

// A plugin is a file of ours alone, which is known by its first line.

// noCommands stands in a plugin's text where the commands go.
const noCommands = "/*COMMANDS*/{}"

// enablePlugin is the plugin with the commands, in place of one of ours or of no file.
func enablePlugin(data []byte, a agent.Agent, command func(verb string) string) ([]byte, error) {
	if len(data) > 0 && !isPlugin(data, a) {
		return nil, fmt.Errorf("enable %s's hooks: there is another plugin by this name\nhint: rename it, then try again", a.Title)
	}
	commands := map[string]string{}
	for _, e := range a.Events {
		commands[e.Verb] = command(e.Verb)
	}
	var object bytes.Buffer
	enc := json.NewEncoder(&object)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(commands); err != nil {
		return nil, err
	}
	return []byte(strings.Replace(a.Plugin, noCommands, strings.TrimSpace(object.String()), 1)), nil
}

// disablePlugin removes the plugin; another file stays.
func disablePlugin(data []byte, a agent.Agent) []byte {
	if isPlugin(data, a) {
		return nil
	}
	return data
}

// pluginCalls reports for which events the plugin calls us.
func pluginCalls(data []byte, a agent.Agent) func(agent.Event) bool {
	commands := map[string]string{}
	if _, rest, ok := bytes.Cut(data, []byte("commands = ")); ok && isPlugin(data, a) {
		_ = json.NewDecoder(bytes.NewReader(rest)).Decode(&commands) // what is no JSON calls nothing
	}
	return func(e agent.Event) bool {
		verb, k := recognise(commands[e.Verb])
		return k != foreign && verb == e.Verb
	}
}

// isPlugin reports whether a file is the plugin, of this version or another.
func isPlugin(data []byte, a agent.Agent) bool {
	first, _, _ := strings.Cut(a.Plugin, "\n")
	return bytes.HasPrefix(data, []byte(first))
}
