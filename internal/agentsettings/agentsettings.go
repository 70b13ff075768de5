// Package agentsettings puts our hooks into an agent's settings file and takes them out again.
package agentsettings

// The rule: the file is edited as bytes, so that what we didn't write stays as it is, and taking
// out gives the very bytes from before. Claude Code, Codex and Gemini CLI have hooks in one shape,
// Copilot CLI in a flat one, Kimi Code in TOML.

import (
	"bytes"
	"fmt"
	"slices"

	"entire-plumb/internal/agent"
)

// bom is the UTF-8 byte order mark that some editors write.
var bom = []byte("\xef\xbb\xbf")

// Enable returns the settings with one hook of ours per event of the agent, beside what is there.
// data is the file's content, nil or empty when there is no file. command makes the shell command
// for a verb, for example "/usr/bin/entire-plumb hooks claude-code stop" for "stop"; a guard such
// as "test -x …" around it is fine.
//
// Where a hook of ours is there with another command, because the program was moved, the command is
// replaced; where it lacks the timeout of its event, that is added. A hook that calls us as part of
// a command of the user's own counts as installed and is left alone. Enabling twice gives the same
// bytes as enabling once. On an error nothing is given back.
func Enable(data []byte, a agent.Agent, command func(verb string) string) (out []byte, err error) {
	for _, e := range a.Events {
		cmd := command(e.Verb)
		if verb, how := recognise(cmd); how != ours || verb != e.Verb {
			return nil, fmt.Errorf("enable %s's hooks: the command %q for %s is not one that disabling would recognise\n"+
				"hint: the program's file has to be named entire-plumb and be called with `hooks %s %s`", a.Title, cmd, e.Name, a.Name, e.Verb)
		}
	}
	if a.Plugin != "" {
		return enablePlugin(data, a, command)
	}
	if a.TOML {
		return enableTOML(data, a, command)
	}
	mark, body := cutBOM(data)
	for _, e := range a.Events {
		cmd := command(e.Verb)
		if body, err = enableEvent(body, a, e, cmd); err != nil {
			return nil, fmt.Errorf("enable %s's hooks: %w", a.Title, err)
		}
	}
	return append(bytes.Clone(mark), body...), nil
}

// Disable takes out the hooks of ours, for any verb. After Enable and nothing else it gives back
// the bytes from before; nil means that there was no file, or that nothing is left in it. Commands
// of the user's own that call us are left; Missing still takes them for installed.
func Disable(data []byte, a agent.Agent) (out []byte, err error) {
	if a.Plugin != "" {
		return disablePlugin(data, a), nil
	}
	if a.TOML {
		return disableTOML(data, a)
	}
	mark, body := cutBOM(data)
	for {
		doc, err := load(body, a)
		if err != nil {
			return nil, fmt.Errorf("disable %s's hooks: %w", a.Title, err)
		}
		next, found := disableLast(doc)
		if !found {
			break
		}
		body = next
	}
	if len(mark)+len(body) == 0 {
		return nil, nil
	}
	return append(bytes.Clone(mark), body...), nil
}

// Installed tells the events of the agent that call us from those that don't, in the order of its
// table.
func Installed(data []byte, a agent.Agent) (there, missing []agent.Event, err error) {
	calls, err := callsOf(data, a)
	if err != nil {
		return nil, nil, fmt.Errorf("find %s's hooks: %w", a.Title, err)
	}
	for _, e := range a.Events {
		if calls(e) {
			there = append(there, e)
		} else {
			missing = append(missing, e)
		}
	}
	return there, missing, nil
}

// callsOf reports for which events a file calls us.
func callsOf(data []byte, a agent.Agent) (func(agent.Event) bool, error) {
	if a.Plugin != "" {
		return pluginCalls(data, a), nil
	}
	if a.TOML {
		hooks, err := tomlHooks(data)
		return func(e agent.Event) bool {
			return slices.ContainsFunc(hooks, func(h tomlHook) bool { return h.isFor(e) })
		}, err
	}
	_, body := cutBOM(data)
	doc, err := load(body, a)
	if err != nil {
		return nil, err
	}
	entries := doc.entries()
	return func(e agent.Event) bool {
		return slices.ContainsFunc(entries, func(at entry) bool { return at.isFor(a, e) })
	}, nil
}

func cutBOM(data []byte) (mark, body []byte) {
	if bytes.HasPrefix(data, bom) {
		return data[:len(bom)], data[len(bom):]
	}
	return nil, data
}
