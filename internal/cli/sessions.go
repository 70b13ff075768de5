package cli

import (
	"fmt"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"entire-plumb/hooks"
	"entire-plumb/internal/session"
)

func sessionsCommand() *cli.Command {
	return &cli.Command{
		Name:        "sessions",
		Usage:       "list the sessions of this repository, of all its worktrees",
		Description: "With --diagram it prints the phase machine instead, in mermaid, from the table that the program runs on.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "diagram", Usage: "print the phase machine in mermaid"},
			&cli.BoolFlag{Name: "json", Usage: "print the sessions' states as JSON"},
		},
		Action: func(c *cli.Context) error {
			if err := noArguments(c); err != nil {
				return err
			}
			if err := oneOf(c, "diagram", "json"); err != nil {
				return err
			}
			if c.Bool("diagram") {
				fmt.Fprint(c.App.Writer, session.Diagram())
				return nil
			}
			repo, err := caughtUp(c)
			if err != nil {
				return err
			}
			store := session.Store{Dir: hooks.StateDir(repo), Warn: func(line string) { fmt.Fprintln(c.App.ErrWriter, "entire-plumb:", line) }}
			states, err := store.List()
			if err != nil {
				return err
			}
			if c.Bool("json") {
				return printJSON(c.App.Writer, append([]*session.State{}, states...))
			}
			if len(states) == 0 {
				return nil
			}
			tab := tabwriter.NewWriter(c.App.Writer, 0, 0, 2, ' ', 0)
			fmt.Fprintln(tab, "SESSION\tPHASE\tSTARTED\tFIRST PROMPT")
			for _, s := range states {
				fmt.Fprintf(tab, "%s\t%s\t%s\t%s\n", s.SessionID, s.Phase, s.StartedAt.Format("2006-01-02 15:04"), s.FirstPrompt)
			}
			return tab.Flush()
		},
	}
}
