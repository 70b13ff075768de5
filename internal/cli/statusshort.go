package cli

import (
	"fmt"
	"os"
	"slices"

	"github.com/urfave/cli/v2"

	"entire-plumb/gitexec"
	"entire-plumb/internal/agent"
	"entire-plumb/internal/session"
	"entire-plumb/internal/workspace"
)

// printShort prints a line for a prompt, by the states of the sessions alone: no process is
// started, and nothing is written. Where nothing is going on it is empty.
func printShort(c *cli.Context) error {
	dir, err := os.Getwd()
	if err != nil {
		return nil
	}
	repo, ok := gitexec.Near(dir)
	if !ok {
		return nil
	}
	states, _ := session.Store{Dir: workspace.StateDir(repo), ReadOnly: true, Warn: func(string) {}}.List()
	if line := shortStatus(states, repo.WorktreeID()); line != "" {
		fmt.Fprintln(c.App.Writer, line)
	}
	return nil
}

// shortStatus is the agents that work in a worktree, or have, and how many files of theirs are not
// committed: a filled circle while a turn goes on. Sessions without either are left out.
func shortStatus(states []*session.State, worktree string) string {
	mark, files := "○", map[gitexec.Path]bool{}
	var agents []string
	for _, s := range states {
		if !s.In(worktree) || s.Phase != session.Active && len(s.FilesTouched) == 0 {
			continue
		}
		if s.Phase == session.Active {
			mark = "●"
		}
		for _, path := range s.FilesTouched {
			files[path] = true
		}
		if name := shortAgent(s.AgentType); !slices.Contains(agents, name) {
			agents = append(agents, name)
		}
	}
	if len(agents) == 0 {
		return ""
	}
	line := mark + " " + agents[0]
	for _, name := range agents[1:] {
		line += "+" + name
	}
	if len(files) > 0 {
		line += fmt.Sprintf(" %d uncommitted", len(files))
	}
	return line
}

// shortAgent is what users type for an agent.
func shortAgent(title string) string {
	if a, ok := agent.ByTitle(title); ok {
		return a.Name
	}
	return printable(short(title, 20))
}
