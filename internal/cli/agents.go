package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"entire-plumb/gitexec"
	"entire-plumb/internal/agent"
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
			if !has(chosen, a) {
				chosen = append(chosen, a)
			}
		}
	}
	return chosen, nil
}

// agentsInUse are the agents that are recorded if the user names none: on a terminal those that the
// user seems to have, after a question about each that isn't installed yet; else those that have
// settings in the repository; or else Claude Code.
func agentsInUse(c *cli.Context, repo *gitexec.Repo) ([]agent.Agent, error) {
	chosen := setup.InUse(repo)
	if asks() {
		_, hooks, err := setup.Installed(repo)
		if err != nil {
			return nil, err
		}
		found := append(setup.OnMachine(), chosen...)
		chosen = nil
		for _, h := range hooks { // in the order of the table
			switch {
			case len(h.There) > 0:
			case !has(found, h.Agent):
				continue
			default:
				if answer := ask(c.App.ErrWriter, "Record "+h.Agent.Title+" here? [Y/n] "); answer != "" && answer != "y" && answer != "yes" {
					continue
				}
			}
			chosen = append(chosen, h.Agent)
		}
		if len(chosen) == 0 && len(found) > 0 {
			return nil, errors.New("no agent is chosen, and nothing is changed\nhint: entire-plumb enable --agent generic installs git's hooks alone")
		}
	}
	if len(chosen) == 0 {
		return []agent.Agent{agent.ClaudeCode}, nil
	}
	return chosen, nil
}

func has(agents []agent.Agent, a agent.Agent) bool {
	return slices.ContainsFunc(agents, func(b agent.Agent) bool { return a.Name == b.Name })
}

// asks reports whether the user can be asked.
func asks() bool {
	return term.IsTerminal(int(os.Stdin.Fd())) && (term.IsTerminal(int(os.Stderr.Fd())) || os.Getenv("ENTIRE_TEST_TTY") == "1")
}

// ask prints a question, and returns the answer in lower case. A terminal gives one line at a time.
func ask(w io.Writer, question string) string {
	fmt.Fprint(w, question)
	answer, _ := bufio.NewReader(io.LimitReader(os.Stdin, 100)).ReadString('\n')
	return strings.ToLower(strings.TrimSpace(answer))
}
