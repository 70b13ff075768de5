package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"entire-plumb/internal/amount"
	"entire-plumb/internal/gitai"
	"entire-plumb/internal/query"
	"entire-plumb/internal/report"
)

// The formats of export, beside Markdown.
const formatAgentTrace, formatGitAI = "agent-trace", "git-ai"

func exportCommand() *cli.Command {
	return &cli.Command{
		Name:      "export",
		Usage:     "give other tools a conversation, or whose lines are",
		ArgsUsage: "[NAME] | [NAME|RANGE...] [-- PATH...]",
		Description: "--markdown NAME prints a conversation: prompts, answers, and the tools with the files and commands that they were\n" +
			"given, to keep or to paste into an issue. Of a session it is the whole conversation; of a commit, a checkpoint or\n" +
			"a turn the part that belongs to it. Secrets are redacted once more, and paths begin at the worktree. What was\n" +
			"said stands between fences that nothing in it ends: it is no markup, and a name in it notifies no one.\n\n" +
			"--format agent-trace prints a record of Agent Trace for each linked commit, one per line. --format git-ai writes\n" +
			"a note of the Git AI standard 3.0.0 to each, in refs/notes/ai. Notes that are there stay, unless --force is given.\n" +
			"Nothing is pushed. docs/other-tools.md says what the formats have.",
		Flags: append(selectionFlags(),
			&cli.BoolFlag{Name: "markdown", Usage: "print Markdown"},
			&cli.StringFlag{Name: "format", Usage: "export in the format `agent-trace|git-ai`"},
			&cli.BoolFlag{Name: "prompts", Usage: "with --format git-ai, write the first line of each prompt, too"},
			&cli.BoolFlag{Name: "force", Usage: "with --format git-ai, replace notes that say otherwise"},
			&cli.BoolFlag{Name: "dry-run", Aliases: []string{"n"}, Usage: "with --format git-ai, only say what would be written"},
			&cli.BoolFlag{Name: "json", Usage: "with --format git-ai, print JSON"},
		),
		Action: reading(checkExport, func(c *cli.Context, e query.Source) error {
			switch c.String("format") {
			case formatGitAI:
				return exportNotes(c, e)
			case formatAgentTrace:
				return exportTraces(c, e)
			}
			return exportConversation(c, e)
		}),
	}
}

// checkExport refuses arguments and flags that make no sense.
func checkExport(c *cli.Context) error {
	format := c.String("format")
	switch {
	case c.Bool("markdown") && c.IsSet("format"):
		return oneOf(c, "markdown", "format")
	case c.IsSet("format") && format != formatAgentTrace && format != formatGitAI:
		return usagef("unknown format %q\nhint: --format git-ai, or --format agent-trace", format)
	case !c.Bool("markdown") && !c.IsSet("format"):
		return usagef("what to export is missing\nhint: %s --markdown HEAD, or --format git-ai RANGE", c.Command.HelpName)
	}
	for _, name := range []string{"prompts", "force", "dry-run", "json"} {
		if c.IsSet(name) && format != formatGitAI {
			return usagef("--%s needs --format git-ai\nhint: %s --help", name, c.Command.HelpName)
		}
	}
	if format != "" {
		return nil
	}
	if names, paths := namesAndPaths(c); len(names) > 1 || len(paths) > 0 {
		return unexpected(c, min(1, len(names)))
	}
	for _, name := range []string{"since", "until", "author"} {
		if c.IsSet(name) {
			return usagef("--markdown is for one conversation, without --%s\nhint: %s --markdown HEAD", name, c.Command.HelpName)
		}
	}
	return nil
}

// exportNotes writes notes.
func exportNotes(c *cli.Context, e query.Source) error {
	secrets, err := redactor(c)
	if err != nil {
		return err
	}
	preview := c.Bool("dry-run")
	done, err := gitai.Export(c.Context, e, gitai.ExportRequest{Selection: selection(c), Prompts: c.Bool("prompts"), Force: c.Bool("force"),
		Preview: preview, Redact: secrets.Text})
	if err != nil {
		return err
	}
	for _, f := range done.LeftOut[:min(len(done.LeftOut), mostListed)] {
		fmt.Fprintf(c.App.ErrWriter, "entire-plumb: no note can name %s of %s: it is left out\n", f.Path.Display(), f.Commit.Short())
	}
	if n := len(done.Kept); n > 0 {
		fmt.Fprintf(c.App.ErrWriter, "entire-plumb: %s other notes already, such as %s\nhint: --force replaces them\n", have(n, "commit"), done.Kept[0].Short())
	}
	return output(c, done, func(w io.Writer) {
		verb := map[bool]string{true: "would write", false: "wrote"}[preview]
		fmt.Fprintf(w, "%s %s to %s; %s unchanged\n", verb, amount.Of(len(done.Written), "note"), done.Ref, amount.Are(len(done.Same), "other"))
		if len(done.Written) > 0 && !preview {
			fmt.Fprintf(w, "hint: git push origin %s takes them to others\n", done.Ref)
		}
	})
}

// have is "1 commit has", or "2 commits have".
func have(n int, what string) string {
	return amount.Of(n, what) + " " + amount.ByNumber(n, "has", "have")
}

// exportTraces prints records of Agent Trace.
func exportTraces(c *cli.Context, e query.Source) error {
	commits, err := e.AttributionWithText(c.Context, selection(c))
	if err != nil {
		return err
	}
	return errors.Join(agentTrace(c.App.Writer, commits), damageOf(commits))
}

// exportConversation prints a conversation.
func exportConversation(c *cli.Context, e query.Source) error {
	secrets, err := redactor(c)
	if err != nil {
		return err
	}
	all, done, err := e.Conversation(c.Context, selectionOrHead(c).Names[0])
	if err != nil {
		return err
	}
	defer done()
	repo, err := discover(c)
	if err != nil {
		return err
	}
	// In this order: a worktree is mostly below the home directory, whose name tells who the user
	// is.
	paths := []string{repo.Top + "/", ""}
	if home := os.Getenv("HOME"); len(home) > 1 {
		paths = append(paths, home+"/", "~/")
	}
	written := report.Conversation{Of: all, Redact: secrets.Text, Paths: strings.NewReplacer(paths...)}
	return errors.Join(written.Write(c.App.Writer), damagedOf(all))
}
