package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"entire-plumb/hooks"
)

func logCommand() *cli.Command {
	return &cli.Command{
		Name:        "log",
		Usage:       "list commits with their checkpoints, sessions, and how much of each is the agents'",
		ArgsUsage:   "[BRANCH|RANGE]",
		Description: "Newest first; above them the streams of this worktree that are not committed yet.",
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "n", Value: mostListed, Usage: "at most that many `COMMITS`"},
			&cli.BoolFlag{Name: "json", Usage: "print JSON"},
		},
		Action: func(c *cli.Context) error {
			switch {
			case c.NArg() > 1:
				return unexpected(c, 1)
			case c.Int("n") < 1:
				return usagef("-n takes no %d\nhint: a number of commits, from 1", c.Int("n"))
			}
			e, err := environment(c)
			if err != nil {
				return err
			}
			commits, streams, err := e.Log(c.Context, c.Args().First(), c.Int("n"))
			if err != nil {
				return err
			}
			if c.Bool("json") {
				return printJSON(c.App.Writer, map[string]any{"streams": streams, "commits": commits})
			}
			return printLog(c.App.Writer, commits, streams)
		},
	}
}

func printLog(w io.Writer, commits []hooks.Logged, streams []hooks.Pending) error {
	for _, s := range streams {
		fmt.Fprintf(w, "%s: %s, %s, by %s, not committed\n", s.Branch, plural(s.Checkpoints, "checkpoint"), plural(len(s.Files), "file"), strings.Join(s.Sessions, ", "))
	}
	tab := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, c := range commits {
		fmt.Fprintf(tab, "%s\t%s\t%s", c.Commit.Short(), c.When.Format("2006-01-02"), printable(short(c.Subject, 50)))
		var ids, sessions []string
		agent, lines := 0, 0
		for _, k := range c.Checkpoints {
			ids = append(ids, k.ID)
			if !k.Found {
				sessions = append(sessions, "(not here)")
			}
			for _, s := range k.Sessions {
				if name := short(s, 12); !slices.Contains(sessions, name) {
					sessions = append(sessions, name)
				}
			}
			agent, lines = agent+k.Agent, max(lines, k.Lines)
		}
		if len(ids) > 0 {
			fmt.Fprintf(tab, "\t%s\t%s\t%s", strings.Join(ids, " "), printable(strings.Join(sessions, ", ")), percent(agent, lines))
		}
		fmt.Fprintln(tab)
	}
	return tab.Flush()
}
