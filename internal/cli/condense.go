package cli

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"entire-plumb/gitexec"
	"entire-plumb/internal/commits"
	"entire-plumb/internal/workspace"
)

func condenseCommand() *cli.Command {
	return &cli.Command{
		Name:      "condense",
		Usage:     "make a checkpoint of a session's work without a commit",
		ArgsUsage: "SESSION",
		Description: "Each stream with work of the session in this worktree becomes a checkpoint on entire/checkpoints/v1: conversation,\n" +
			"files and lines, as if the work had been committed and reset. Files stay. A later commit of it\n" +
			"gets the link, for two weeks, and so long the streams are kept, see `streams --all`.",
		Flags: []cli.Flag{&cli.BoolFlag{Name: "json", Usage: "print JSON"}},
		Action: withRepository(needs("a session is missing\nhint: entire-plumb sessions lists them", 1), func(c *cli.Context, e workspace.Env, _ *gitexec.Repo) error {
			done, err := commits.CondenseSession(c.Context, e, c.Args().First())
			if c.Bool("json") && len(done) > 0 {
				return cmp.Or(err, printJSON(c.App.Writer, done))
			}
			for _, one := range done {
				fmt.Fprintf(c.App.Writer, "condensed %s (was %s) to %s: %s\n", one.Stream, one.Was.Short(), one.Checkpoint,
					printable(strings.Join(one.Sessions, ", ")))
			}
			return err
		}),
	}
}
