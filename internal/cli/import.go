package cli

import (
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/urfave/cli/v2"

	"entire-plumb/gitexec"
	"entire-plumb/internal/imported"
	"entire-plumb/internal/workspace"
)

func importCommand() *cli.Command {
	return &cli.Command{
		Name:      "import",
		Usage:     "link conversations from before enable to their commits",
		ArgsUsage: "[DIR]",
		Description: "They are looked for where the agents keep those of this repository's worktrees, or in DIR. A conversation is linked\n" +
			"to a commit without a link that has at least three significant lines of what its tools wrote, most of it, and is\n" +
			"not older; each line counts once. Nothing else is linked, and what was imported is not imported again. Links are\n" +
			"beside the commits, and secrets are redacted. Whose the lines are is not recorded.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "agent", Usage: "only conversations of `AGENT`: claude-code, codex or gemini; in DIR claude-code is the default"},
			&cli.BoolFlag{Name: "dry-run", Aliases: []string{"n"}, Usage: "only say what would be linked, and why"},
			&cli.BoolFlag{Name: "json", Usage: "print JSON"},
		},
		Action: withRepository(takes(1), func(c *cli.Context, e workspace.Env, _ *gitexec.Repo) error {
			preview := c.Bool("dry-run")
			all, err := imported.Request{Agent: c.String("agent"), Dir: c.Args().First(), Preview: preview}.Run(c.Context, e)
			if err != nil {
				return err
			}
			return output(c, all, func(w io.Writer) { printImported(w, all, preview) })
		}),
	}
}

func printImported(w io.Writer, all []*imported.Imported, preview bool) {
	verb, unlinked := map[bool]string{true: "would link", false: "linked"}[preview], 0
	for _, one := range all {
		if len(one.Commits) == 0 {
			unlinked++
		}
		for _, c := range one.Commits {
			fmt.Fprintf(w, "%s %s %s to session %s (%s)\n", verb, c.Commit.Short(), printable(c.Subject), printable(one.Session), printable(one.Agent))
			for _, file := range slices.Sorted(maps.Keys(c.Evidence)) {
				fmt.Fprintf(w, "  %s: %d of %d lines that its tools wrote\n", printable(file), c.Evidence[file][0], c.Evidence[file][1])
			}
		}
	}
	if len(all) == 0 {
		fmt.Fprintln(w, "no conversation of this repository was found that is not recorded")
	}
	if unlinked > 0 {
		fmt.Fprintf(w, "%d conversations: no commit without a link certainly holds what they wrote\n", unlinked)
	}
}
