package cli

import (
	"fmt"
	"io"

	"github.com/urfave/cli/v2"

	"entire-plumb/gitexec"
	"entire-plumb/internal/commits"
	"entire-plumb/internal/workspace"
)

func unlinkCommand() *cli.Command {
	return &cli.Command{
		Name:      "unlink",
		Usage:     "remove a wrong link that is beside a commit",
		ArgsUsage: "COMMIT [CHECKPOINT]",
		Description: "Removes the links that are stored beside the commit, or the one to the checkpoint, whose ID may be abbreviated. The\n" +
			"next push tells other clones. They remove a link that was found by content, and it is not found again; one that\n" +
			"hooks decided when the commit was made they keep. A link in the commit's message is part of the commit: only an\n" +
			"amend or a rebase that deletes the line removes it. The checkpoint stays.",
		Flags: []cli.Flag{&cli.BoolFlag{Name: "json", Usage: "print JSON"}},
		Action: withRepository(needs("a commit is missing\nhint: entire-plumb log lists those with links", 2), func(c *cli.Context, e workspace.Env, _ *gitexec.Repo) error {
			done, err := commits.Unlink(c.Context, e, c.Args().First(), c.Args().Get(1))
			if err != nil {
				return err
			}
			return output(c, done, func(w io.Writer) { printUnlinked(w, done) })
		}),
	}
}

func printUnlinked(w io.Writer, done commits.Unlinked) {
	for _, id := range done.Removed {
		fmt.Fprintf(w, "removed the link of commit %s to %s\n", done.Commit.Short(), id)
	}
	if done.OnlyHere {
		fmt.Fprintln(w, "hooks decided it when the commit was made: other clones keep it")
	}
	for _, id := range done.Links {
		fmt.Fprintf(w, "it still links %s\n", id)
	}
}
