package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"entire-plumb/internal/agent"
	"entire-plumb/internal/setup"
)

// statusAgent is the state of the hooks of an agent in its settings.
type statusAgent struct {
	Name     string   `json:"name"`
	Settings string   `json:"settings"`
	Hooks    []string `json:"hooks"` // its events that call entire-plumb; of several alike, each
	Missing  []string `json:"missing_hooks,omitempty"`

	title string
}

// agent adds the state of an agent's hooks.
func (r *statusReport) agent(h setup.AgentHooks) {
	one := statusAgent{Name: h.Agent.Name, Settings: h.Agent.Settings, Hooks: []string{}, title: h.Agent.Title}
	for _, e := range h.There {
		one.Hooks = append(one.Hooks, e.Name)
		if h.Agent.Name == agent.ClaudeCode.Name && !slices.Contains(r.AgentHooks, e.Verb) {
			r.AgentHooks = append(r.AgentHooks, e.Verb)
		}
	}
	if len(h.There) > 0 {
		for _, e := range h.Missing {
			one.Missing = append(one.Missing, e.Name)
		}
	}
	r.Agents = append(r.Agents, one)
}

// printAgents says which agents call us.
func (r *statusReport) printAgents(w io.Writer) {
	none := true
	for _, a := range r.Agents {
		switch {
		case len(a.Hooks) == 0:
			continue
		case len(a.Missing) > 0:
			fmt.Fprintf(w, "%s's hooks are not all installed: %s missing in %s\nhint: entire-plumb enable --agent %s\n",
				a.title, strings.Join(a.Missing, ", "), a.Settings, a.Name)
		default:
			fmt.Fprintf(w, "%s's hooks are in %s\n", a.title, a.Settings)
		}
		none = false
	}
	if none {
		fmt.Fprintf(w, "no agent's hooks are installed\nhint: entire-plumb enable --agent %s\n", strings.Join(agent.Names(), "|"))
	}
}
