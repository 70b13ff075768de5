package cli

import (
	"errors"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"entire-plumb/internal/query"
	"entire-plumb/internal/report"
)

func exportCommand() *cli.Command {
	return &cli.Command{
		Name:      "export",
		Usage:     "print a conversation as Markdown",
		ArgsUsage: "COMMIT|CHECKPOINT|SESSION|TURN",
		Description: "Prompts, answers, and the tools with the files and commands that they were given, to keep or to paste into an\n" +
			"issue. Of a session it is the whole conversation; of a commit, a checkpoint or a turn the part that belongs to\n" +
			"it. Secrets are redacted once more, and paths begin at the worktree. What was said stands between fences that nothing in it ends: it is no\n" +
			"markup, and a name in it notifies no one.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "markdown", Usage: "print Markdown"},
		},
		Action: reading(checkExport, exportConversation),
	}
}

// checkExport refuses arguments and flags that make no sense.
func checkExport(c *cli.Context) error {
	switch {
	case !c.Bool("markdown"):
		return usagef("what to export is missing\nhint: %s HEAD --markdown", c.Command.HelpName)
	case c.NArg() == 0:
		return usagef("no commit, checkpoint, session or turn given\nhint: %s HEAD --markdown", c.Command.HelpName)
	case c.NArg() > 1:
		return unexpected(c, 1)
	}
	return nil
}

// exportConversation prints a conversation.
func exportConversation(c *cli.Context, e query.Source) error {
	secrets, err := redactor(c)
	if err != nil {
		return err
	}
	all, done, err := e.Conversation(c.Context, c.Args().First())
	if err != nil {
		return err
	}
	defer done()
	repo, err := discover(c)
	if err != nil {
		return err
	}
	paths := []string{repo.Top + "/", ""}
	if home := os.Getenv("HOME"); len(home) > 1 {
		paths = append(paths, home+"/", "~/")
	}
	written := report.Conversation{Of: all, Redact: secrets.Text, Paths: strings.NewReplacer(paths...)}
	return errors.Join(written.Write(c.App.Writer), damagedOf(all))
}
