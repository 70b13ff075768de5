package cli

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"entire-plumb/hooks"
	"entire-plumb/internal/githooks"
)

func hooksCommand() *cli.Command {
	git := &cli.Command{
		Name:        "git",
		Usage:       "what git's hooks call",
		Description: "Whatever goes wrong, the answer is exit code 0: a hook of ours never fails a commit.",
	}
	for _, name := range githooks.Names {
		git.Subcommands = append(git.Subcommands, &cli.Command{
			Name:            name,
			Usage:           "called by git's " + name + " hook, with git's arguments",
			SkipFlagParsing: true,
			Action: func(c *cli.Context) error {
				e, err := environment(c)
				if err != nil {
					fmt.Fprintln(c.App.ErrWriter, "entire-plumb:", err)
					return nil
				}
				e.Git(c.Context, name, c.Args().Slice())
				return nil
			},
		})
	}
	git.Action = func(c *cli.Context) error {
		if c.Args().Present() { // a newer stub may name a hook that this program doesn't know: the commit goes on
			fmt.Fprintf(c.App.ErrWriter, "entire-plumb: unknown git hook %q; the commit is not affected\n", c.Args().First())
			return nil
		}
		return cli.ShowSubcommandHelp(c)
	}
	claude := &cli.Command{
		Name:  "claude-code",
		Usage: "what Claude Code's hooks call, with the event's JSON on stdin",
		Description: "Exit code 1 when something went wrong, which the agent shows and ignores; never 2, which would\n" +
			"stop it. Where entire-plumb isn't enabled a line on stderr says so, with exit code 0.",
	}
	for _, verb := range hooks.ClaudeCodeVerbs {
		claude.Subcommands = append(claude.Subcommands, &cli.Command{
			Name:            verb,
			Usage:           "called on Claude Code's event of that name",
			SkipFlagParsing: true, // a usage error would end with 2, which stops the agent
			Action:          func(c *cli.Context) error { return claudeHook(c, verb) },
		})
	}
	claude.Action = func(c *cli.Context) error {
		if c.Args().Present() {
			return claudeHook(c, c.Args().First())
		}
		return cli.ShowSubcommandHelp(c)
	}
	return &cli.Command{
		Name:        "hooks",
		Usage:       "the entry points of git's and the agents' hooks",
		Subcommands: []*cli.Command{git, claude},
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return fmt.Errorf("nobody is known as %q here\nhint: hooks git …, or hooks claude-code …", c.Args().First())
			}
			return cli.ShowSubcommandHelp(c)
		},
	}
}

func claudeHook(c *cli.Context, verb string) error {
	e, err := environment(c)
	if err != nil {
		return err
	}
	err = e.ClaudeCode(c.Context, verb)
	if hooks.Undisturbing(err) {
		fmt.Fprintln(c.App.ErrWriter, "entire-plumb:", err)
		return nil
	}
	return err
}
