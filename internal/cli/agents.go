package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"entire-plumb/gitexec"
	"entire-plumb/internal/agent"
	"entire-plumb/internal/githooks"
	"entire-plumb/internal/setup"
)

// namedAgents are the agents of --agent, which may be repeated and has names with commas between.
func namedAgents(c *cli.Context) ([]agent.Agent, error) {
	var chosen []agent.Agent
	for _, value := range c.StringSlice("agent") {
		for name := range strings.SplitSeq(value, ",") {
			a, ok := agent.ByName(strings.TrimSpace(name))
			if !ok {
				return nil, usagef("unknown agent %q\nhint: --agent may be %s", name, strings.Join(agent.Names(), ", "))
			}
			if !hasAgent(chosen, a) {
				chosen = append(chosen, a)
			}
		}
	}
	return chosen, nil
}

// agentsInUse are the agents that are recorded if the user names none: on a terminal those that the
// user seems to have, after a question about each that isn't installed yet; else those that have
// settings in the repository, or hooks in the user's own. Where there are none it is
// the generic one if enable has run here, or else Claude Code.
func agentsInUse(c *cli.Context, repo *gitexec.Repo) ([]agent.Agent, error) {
	found := setup.InUse(repo, os.Getenv)
	if !asks() {
		return orNone(c, repo, found), nil
	}
	_, hooks, err := setup.Installed(repo, os.Getenv)
	if err != nil {
		return nil, err
	}
	installed := func(a agent.Agent) bool {
		return slices.ContainsFunc(hooks, func(h setup.AgentHooks) bool {
			return h.Agent.Name == a.Name && len(h.There)+len(h.UserThere) > 0
		})
	}
	if found = append(found, setup.OnMachine(os.Getenv)...); len(found) == 0 {
		return orNone(c, repo, found), nil
	}
	return chooseAgents(c, found, " here", installed)
}

// orNone is the generic agent, which has no settings, where enable has run and no agent has any.
func orNone(c *cli.Context, repo *gitexec.Repo, found []agent.Agent) []agent.Agent {
	if len(found) == 0 && githooks.Used(repo.SharedDir(), repo.HooksDir) {
		return []agent.Agent{agent.Generic}
	}
	return orClaudeCode(c, found)
}

// usersAgents are the agents whose hooks go to the user's own settings if the user names none.
func usersAgents(c *cli.Context) ([]agent.Agent, error) {
	found := setup.OnMachine(os.Getenv)
	if !asks() {
		return orClaudeCode(c, found), nil
	}
	return chooseAgents(c, found, "", func(agent.Agent) bool { return false })
}

// orClaudeCode says so where nothing tells which agent is used.
func orClaudeCode(c *cli.Context, agents []agent.Agent) []agent.Agent {
	if len(agents) == 0 {
		fmt.Fprintln(c.App.ErrWriter, "entire-plumb: no agent was found, so hooks are installed for Claude Code\nhint: --agent names another")
		return []agent.Agent{agent.ClaudeCode}
	}
	return agents
}

// chooseAgents asks about each of the agents that isn't installed, in the order of the table.
func chooseAgents(c *cli.Context, found []agent.Agent, where string, installed func(agent.Agent) bool) ([]agent.Agent, error) {
	var chosen []agent.Agent
	for _, a := range agent.All {
		if !installed(a) {
			if !hasAgent(found, a) {
				continue
			}
			answer, err := ask(c, "Record "+a.Title+where+"? [Y/n] ")
			if err != nil {
				return nil, err
			}
			if answer != "" && answer != "y" && answer != "yes" {
				continue
			}
		}
		chosen = append(chosen, a)
	}
	if len(chosen) == 0 && len(found) > 0 {
		return nil, errors.New("no agent is chosen, and nothing is changed\nhint: entire-plumb enable --agent generic installs git's hooks alone")
	}
	return orClaudeCode(c, chosen), nil
}

// enableUser installs the agents' hooks in the user's own settings.
func enableUser(c *cli.Context, request setup.Request) error {
	for _, name := range []string{"hide-streams", "skill", "take-over", "trust-settings", "write"} {
		if err := oneOf(c, "user", name); err != nil {
			return err
		}
	}
	if hasAgent(request.Agents, agent.Generic) {
		return usagef("the agent generic has no settings\nhint: enable --agent generic, in each repository")
	}
	if !request.Named {
		var err error
		if request.Agents, err = usersAgents(c); err != nil {
			return err
		}
	}
	done, err := setup.EnableUser(request)
	if err := printChanges(c, done, err, "already enabled"); err != nil {
		return err
	}
	if len(done) > 0 && !c.Bool("json") {
		fmt.Fprintln(c.App.Writer, "Next: run entire-plumb enable in each repository that is to be recorded, and restart the agent.\n"+
			"Elsewhere these hooks do nothing.")
	}
	warnOfTemporary(c, request.Exe)
	return nil
}

// printNext says what to do after enable.
func printNext(w io.Writer, request setup.Request) {
	var here, alone, anywhere []string // the agents; those that read the settings of one directory alone
	for _, a := range request.Agents {
		switch {
		case a.UserSettings == "":
			continue
		case request.InUserSettings(a):
			anywhere = append(anywhere, a.Title)
			continue
		case request.LacksHooks(a):
			fmt.Fprintf(w, "Next: run entire-plumb enable --user --agent %s.\n%s has hooks in your own settings alone.\n", a.Name, a.Title)
			continue
		case !a.FromTop:
			alone = append(alone, a.Title)
		}
		here = append(here, a.Title)
	}
	if len(anywhere) > 0 {
		fmt.Fprintf(w, "Next: start %s anywhere in this repository.\nThe hooks are in your own settings.\n", anyOf(anywhere))
	}
	if len(here) > 0 {
		fmt.Fprintf(w, "Next: start %s at the top of this worktree.\nA session that is running already may not see the hooks.\n",
			anyOf(here))
	}
	if len(alone) > 0 {
		fmt.Fprintf(w, "In a subdirectory %s doesn't read these settings.\nIf you start it there, run entire-plumb enable --user, too.\n",
			anyOf(alone))
	}
}

// anyOf lists names, of which one is meant.
func anyOf(names []string) string {
	last := len(names) - 1
	if last < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

func hasAgent(agents []agent.Agent, a agent.Agent) bool {
	return slices.ContainsFunc(agents, func(b agent.Agent) bool { return a.Name == b.Name })
}
