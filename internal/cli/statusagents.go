package cli

import (
	"fmt"
	"slices"
	"strings"

	"entire-plumb/internal/agent"
	"entire-plumb/internal/setup"
	"entire-plumb/internal/skill"
)

// statusAgent is the state of an agent's hooks, in its settings here and in the user's own. The
// hooks are named by the agent's events; of two alike, each is.
type statusAgent struct {
	Name         string   `json:"name"`
	Settings     string   `json:"settings"`
	Hooks        []string `json:"hooks"`
	Missing      []string `json:"missing_hooks,omitempty"` // if there are any hooks
	UserSettings string   `json:"user_settings,omitempty"`
	UserHooks    []string `json:"user_hooks"`
	UserMissing  []string `json:"missing_user_hooks,omitempty"`

	title string
}

// agent adds the state of an agent's hooks.
func (r *statusReport) agent(h setup.AgentHooks) {
	for _, e := range h.There {
		if h.Agent.Name == agent.ClaudeCode.Name && !slices.Contains(r.AgentHooks, e.Verb) {
			r.AgentHooks = append(r.AgentHooks, e.Verb)
		}
	}
	one := statusAgent{Name: h.Agent.Name, Settings: h.Agent.Settings, UserSettings: h.UserFile, title: h.Agent.Title}
	one.Hooks, one.Missing = eventNames(h.There, h.Missing)
	one.UserHooks, one.UserMissing = eventNames(h.UserThere, h.UserMissing)
	r.Agents = append(r.Agents, one)
}

// eventNames are the names of events that call us, and of the missing ones if any do.
func eventNames(there, missing []agent.Event) (has, lacks []string) {
	has = []string{}
	for _, e := range there {
		has = append(has, e.Name)
	}
	for _, e := range missing {
		if len(has) > 0 {
			lacks = append(lacks, e.Name)
		}
	}
	return has, lacks
}

// agentStates says which agents call us, and which don't, or not fully.
func (r *statusReport) agentStates() (all []problem) {
	for _, a := range r.Agents {
		for _, s := range []struct {
			file, flag     string
			there, missing []string
		}{{a.Settings, "", a.Hooks, a.Missing}, {a.UserSettings, "--user ", a.UserHooks, a.UserMissing}} {
			switch {
			case len(s.there) == 0:
			case len(s.missing) > 0:
				all = append(all, problem{fmt.Sprintf("%s's hooks are not all installed: %s missing in %s", a.title,
					strings.Join(s.missing, ", "), printable(s.file)), "entire-plumb enable " + s.flag + "--agent " + a.Name})
			default:
				all = append(all, problem{What: fmt.Sprintf("%s's hooks are in %s", a.title, printable(s.file))})
			}
		}
	}
	switch {
	case all != nil:
	case len(r.Sessions) > 0:
		all = []problem{{What: "no agent's hooks are installed: a program calls entire-plumb hooks by itself"}}
	default:
		installable := slices.DeleteFunc(agent.Names(), func(name string) bool { return name == agent.Generic.Name })
		all = []problem{{"no agent's hooks are installed, and no program has called entire-plumb hooks generic yet",
			"entire-plumb enable --agent " + strings.Join(installable, "|")}}
	}
	return append(all, skillStates(r.Skill)...)
}

// skillStates says where the skill is by which agents ask.
func skillStates(files []setup.SkillFile) (all []problem) {
	for _, f := range files {
		one := problem{What: "agents can ask what was recorded: " + f.Name}
		if f.State == skill.Outdated {
			one = problem{f.Name + " is of another version", "entire-plumb enable --skill"}
		}
		all = append(all, one)
	}
	return all
}
