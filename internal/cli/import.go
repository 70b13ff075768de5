package cli

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/urfave/cli/v2"

	"entire-plumb/gitexec"
	"entire-plumb/internal/ainote"
	"entire-plumb/internal/amount"
	"entire-plumb/internal/gitai"
	"entire-plumb/internal/imported"
	"entire-plumb/internal/query"
	"entire-plumb/internal/workspace"
)

func importCommand() *cli.Command {
	return &cli.Command{
		Name:      "import",
		Usage:     "link conversations from before enable, or read notes of Git AI",
		ArgsUsage: "[DIR|RANGE...]",
		Description: "They are looked for where the agents keep those of this repository's worktrees, or in DIR. A conversation is linked\n" +
			"to a commit without a link that has at least three significant lines of what its tools wrote, most of it, and is\n" +
			"not older; each line counts once. Nothing else is linked, and what was imported is not imported again. Links are\n" +
			"beside the commits, and secrets are redacted. Whose the lines are is not recorded.\n\n" +
			"--format git-ai reads the notes in refs/notes/ai instead, of all commits or those of RANGE. They say whose lines\n" +
			"are, in commits of which nothing is recorded here; what is recorded outranks them. docs/other-tools.md says more.\n" +
			"Either stores what it finds, so recording has to be enabled first: see `enable`.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "agent", Usage: "only conversations of `AGENT`: claude-code, codex or gemini; in DIR claude-code is the default"},
			&cli.StringFlag{Name: "format", Usage: "read notes in the format `git-ai`"},
			&cli.BoolFlag{Name: "dry-run", Aliases: []string{"n"}, Usage: "only say what would be linked, and why"},
			&cli.BoolFlag{Name: "json", Usage: "print JSON"},
		},
		Action: withRepository(checkImport, func(c *cli.Context, e workspace.Env, _ *gitexec.Repo) error {
			preview := c.Bool("dry-run")
			if c.IsSet("format") {
				return importNotes(c, e)
			}
			all, err := imported.Request{Agent: c.String("agent"), Dir: c.Args().First(), Preview: preview}.Run(c.Context, e)
			if err != nil {
				return err
			}
			return output(c, all, func(w io.Writer) { printImported(w, all, preview) })
		}),
	}
}

// checkImport refuses arguments and flags that make no sense.
func checkImport(c *cli.Context) error {
	if !c.IsSet("format") {
		return takes(1)(c)
	}
	if format := c.String("format"); format != formatGitAI {
		return usagef("unknown format %q\nhint: --format git-ai", format)
	}
	// Notes name the agents of their lines themselves.
	return oneOf(c, "format", "agent")
}

// importNotes reads notes of Git AI.
func importNotes(c *cli.Context, e workspace.Env) error {
	preview := c.Bool("dry-run")
	done, err := gitai.Import(c.Context, source(e), gitai.ImportRequest{Selection: query.Selection{Names: c.Args().Slice()}, Preview: preview})
	if err != nil {
		return err
	}
	err = output(c, done, func(w io.Writer) { printNotes(w, done, preview) })
	var refused []string
	for _, one := range done.Refused {
		refused = append(refused, "the note of "+one.Commit.Short()+": "+one.Why)
	}
	return errors.Join(err, notRead(refused))
}

// notRead is the error for notes that cannot be read.
func notRead(what []string) error {
	if len(what) == 0 {
		return nil
	}
	return fmt.Errorf("some notes are not imported: %s\nhint: git notes --ref ai show COMMIT prints one", firstOf(what))
}

func printNotes(w io.Writer, done gitai.FromNotes, preview bool) {
	verb := map[bool]string{true: "would import", false: "imported"}[preview]
	for _, one := range done.Commits {
		older := ""
		if one.Older > 0 {
			older = fmt.Sprintf("; %s of the note %s older than the commit", amount.Of(one.Older, "more line"), amount.ByNumber(one.Older, "is", "are"))
		}
		fmt.Fprintf(w, "%s %s %s: agent %d, human %d, unknown %d%s\n", verb, one.Commit.Short(), printable(one.Subject), one.Lines.Agent, one.Lines.Human,
			one.Lines.Unknown, older)
	}
	for i, one := range done.Skipped {
		if i == mostListed {
			fmt.Fprintf(w, "and %s not needed; --json lists all\n", amount.Are(len(done.Skipped)-mostListed, "other"))
			break
		}
		fmt.Fprintf(w, "not needed: %s: %s\n", one.Commit.Short(), printable(one.Why))
	}
	if len(done.Commits)+len(done.Skipped)+len(done.Refused) == 0 {
		fmt.Fprintln(w, "no commit here has a note in "+ainote.Ref)
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
				fmt.Fprintf(w, "  %s: %d of %s that its tools wrote\n", printable(file), c.Evidence[file][0], amount.Of(c.Evidence[file][1], "line"))
			}
		}
	}
	if len(all) == 0 {
		fmt.Fprintln(w, "no conversation of this repository was found that is not recorded")
	}
	if unlinked > 0 {
		fmt.Fprintf(w, "%s: no commit without a link certainly holds what %s wrote\n", amount.Of(unlinked, "conversation"), amount.ByNumber(unlinked, "it", "they"))
	}
}
