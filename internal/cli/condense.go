package cli

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"
)

func condenseCommand() *cli.Command {
	return &cli.Command{
		Name:      "condense",
		Usage:     "condense a session that commits nothing any more, without a commit",
		ArgsUsage: "SESSION",
		Description: "Each stream with work of the session in this worktree becomes a checkpoint on entire/checkpoints/v1: conversation,\n" +
			"files and lines, as if the work had been committed and reset. A later commit of it gets the link. Files stay; the\n" +
			"streams are kept for two weeks, see `streams --all`.",
		Flags: []cli.Flag{&cli.BoolFlag{Name: "json", Usage: "print JSON"}},
		Action: func(c *cli.Context) error {
			if c.NArg() == 0 {
				return usagef("a session is missing\nhint: entire-plumb sessions lists them")
			}
			if c.NArg() > 1 {
				return unexpected(c, 1)
			}
			if _, err := discoverCaughtUp(c); err != nil {
				return err
			}
			e, err := environment(c)
			if err != nil {
				return err
			}
			done, err := e.CondenseSession(c.Context, c.Args().First())
			if c.Bool("json") && len(done) > 0 {
				if err2 := printJSON(c.App.Writer, done); err == nil {
					err = err2
				}
				return err
			}
			for _, one := range done {
				fmt.Fprintf(c.App.Writer, "condensed %s (was %s) to %s: %s\n", one.Stream, one.Was.Short(), one.Checkpoint,
					printable(strings.Join(one.Sessions, ", ")))
			}
			return err
		},
	}
}
