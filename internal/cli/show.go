package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/urfave/cli/v2"

	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/query"
	"entire-plumb/internal/session"
	"entire-plumb/internal/transcript"
	"entire-plumb/shadow"
)

func showCommand() *cli.Command {
	return &cli.Command{
		Name:      "show",
		Usage:     "show a commit, a checkpoint, a session or a turn: who, prompts, files, tokens, and the conversation",
		ArgsUsage: "COMMIT|CHECKPOINT|SESSION|TURN",
		Description: "IDs may be cut short, those of checkpoints and turns to four digits or more. Of a commit it shows the checkpoints\n" +
			"that it links, and of a checkpoint the commits that link it; also of a commit on a shadow branch; of a session\n" +
			"its last checkpoints.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "json", Usage: "print JSON"},
			&cli.BoolFlag{Name: "transcript", Usage: "also print what was said"},
			&cli.BoolFlag{Name: "raw", Usage: "print the transcripts alone, as they are stored"},
		},
		Action: func(c *cli.Context) error {
			switch {
			case c.NArg() == 0:
				return usagef("which commit, checkpoint, session or turn?\nhint: %s HEAD", c.Command.HelpName)
			case c.NArg() > 1:
				return unexpected(c, 1)
			}
			if err := oneOf(c, "json", "transcript", "raw"); err != nil {
				return err
			}
			e, err := source(c)
			if err != nil {
				return err
			}
			all, done, err := e.Show(c.Context, c.Args().First())
			if err != nil {
				return err
			}
			defer done()
			var unknown []string
			for _, one := range all {
				unknown = append(unknown, one.Unknown...)
			}
			warnOfUnknown(c, unknown)
			switch {
			case c.Bool("json"):
				return errors.Join(printJSON(c.App.Writer, all), damagedOf(all))
			case len(all) == 0 && c.Bool("raw"):
				return fmt.Errorf("%s has no link: there is no transcript to print\nhint: entire-plumb why %[1]s says why", c.Args().First())
			case len(all) == 0:
				_, err = fmt.Fprintf(c.App.Writer, "%s has no link\nhint: entire-plumb why %[1]s says why\n", c.Args().First())
				return err
			}
			var damaged []string
			for i := range all {
				if i > 0 && !c.Bool("raw") {
					fmt.Fprintln(c.App.Writer)
				}
				if err := show(c, &all[i]); err != nil {
					return err
				}
				if c.Bool("raw") && all[i].Error != "" && !all[i].Damaged {
					damaged = append(damaged, fmt.Sprintf("%s: %s", all[i].Checkpoint, all[i].Error))
				}
			}
			return errors.Join(damagedOf(all), damage(damaged...))
		},
	}
}

// damagedOf is the error of a command that could not show all of what was asked for.
func damagedOf(all []query.Shown) error {
	var what []string
	for _, one := range all {
		if one.Error != "" && one.Damaged {
			what = append(what, one.Error)
		}
	}
	return damage(what...)
}

// damagedAmong is the error of a command that could not ask all checkpoints.
func damagedAmong(checkpoints []checkpoints.CommittedInfo) error {
	var what []string
	for _, k := range checkpoints {
		what = append(what, k.Error)
	}
	return damage(what...)
}

// mostDamaged is how many damaged things an error names.
const mostDamaged = 20

// damage is the error of a command that has printed what it could.
func damage(what ...string) error {
	if len(what) == 0 {
		return nil
	}
	if more := len(what) - mostDamaged; more > 0 {
		what = append(what[:mostDamaged:mostDamaged], fmt.Sprintf("and %d more", more))
	}
	return fmt.Errorf("not all of it can be read: %s\nhint: git fetch may have it whole, from a remote that has the branch", printable(strings.Join(what, "; ")))
}

// show prints one, and notes in it which of its transcripts cannot be trusted.
func show(c *cli.Context, one *query.Shown) error {
	w := c.App.Writer
	if !c.Bool("raw") {
		printShown(w, *one)
	}
	told := func(err error) error {
		if errors.Is(err, checkpoints.ErrDamaged) {
			one.Note(err)
			return nil
		}
		return err
	}
	for _, part := range one.Sessions {
		switch {
		case c.Bool("raw") && !part.HasTranscript():
			return fmt.Errorf("%s has no transcript: it is the human's part\nhint: entire-plumb show %[1]s shows what it has", c.Args().First())
		case c.Bool("raw"):
			if err := told(part.WriteTranscript(w)); err != nil {
				return err
			}
			fmt.Fprintln(w)
		case c.Bool("transcript"):
			fmt.Fprintf(w, "\nsession %s\n", printable(sessionName(part)))
			said := false
			err := query.Spoken(part, func(words transcript.Words) error {
				said = true
				_, err := fmt.Fprintf(w, "\n%s: %s\n", words.Who, indented(words.Text))
				return err
			})
			if err != nil {
				if err := told(err); err != nil {
					return err
				}
				continue
			}
			if !said {
				fmt.Fprintln(w, "\nno record of a conversation is in its transcript; --raw prints it as it is stored")
			}
		}
	}
	return nil
}

func printShown(w io.Writer, one query.Shown) {
	if one.Stream != "" {
		fmt.Fprintf(w, "checkpoint %s on a stream, not committed yet: %s\n", one.Stream[:7], printable(one.Subject))
	} else {
		fmt.Fprintf(w, "checkpoint %s", one.Checkpoint)
		if one.Branch != "" {
			fmt.Fprintf(w, ", made on %s", printable(one.Branch))
		}
		fmt.Fprintln(w)
	}
	for _, k := range one.Commits {
		fmt.Fprintf(w, "commit %s %s (%s, %s)\n", k.Commit.Short(), printable(k.Subject), printable(k.Author), k.When.Format("2006-01-02"))
	}
	if len(one.Commits) == 0 && one.Stream == "" {
		fmt.Fprintln(w, "no commit on a branch links it")
	}
	for _, part := range one.Sessions {
		printPart(w, part)
	}
	switch {
	case one.Damaged:
		fmt.Fprintf(w, "damaged: %s\n", printable(one.Error))
	case one.Error != "":
		fmt.Fprintf(w, "%s\nhint: git fetch origin entire/checkpoints/v1:entire/checkpoints/v1, if it was pushed\n", printable(one.Error))
	}
}

// sessionName is a session's ID, if its metadata can be read.
func sessionName(p query.ShownPart) string { return cmp.Or(p.SessionID, "not known") }

func printPart(w io.Writer, p query.ShownPart) {
	fmt.Fprintf(w, "session %s", printable(sessionName(p)))
	if p.Agent != "" {
		fmt.Fprintf(w, ": %s", printable(p.Agent))
	}
	if p.Model != "" {
		fmt.Fprintf(w, " (%s)", printable(p.Model))
	}
	fmt.Fprintln(w)
	for i, prompt := range p.Prompts {
		fmt.Fprintf(w, "  prompt %d: %s\n", i+1, indented(prompt))
	}
	for _, t := range p.Tasks {
		fmt.Fprintf(w, "  task %s", printable(t.ToolUseID))
		if t.AgentType != "" || t.Description != "" {
			fmt.Fprintf(w, ": %s: %s", printable(t.AgentType), printable(t.Description))
		}
		fmt.Fprintf(w, " (%s of its list)\n", plural(t.Steps, "version"))
	}
	for _, path := range p.FilesTouched {
		fmt.Fprintf(w, "  file %s\n", path.Display())
	}
	if text := linesOf(p); text != "" {
		fmt.Fprintf(w, "  lines: %s\n", text)
	}
	if u := p.CheckpointTokenUsage; u != nil {
		fmt.Fprintf(w, "  tokens: %s\n", tokens(*u))
	} else if p.TokenUsage != nil { // other programs tell only this
		fmt.Fprintf(w, "  tokens of the session so far: %s\n", tokens(*p.TokenUsage))
	}
}

// linesOf tells how many of a commit's lines are a session's, and what its checkpoint claims where
// it doesn't tell which; empty where neither is known.
func linesOf(p query.ShownPart) string {
	text, a, claimed := "", p.InitialAttribution, p.Claimed
	switch {
	case a != nil && a.TotalCommitted == 0 && a.Unknown > 0:
		text = shareOf(0, 0, a.Unknown)
	case a != nil:
		text = fmt.Sprintf("%d of %d the agent's, %s", a.AgentLines, a.TotalCommitted, shareOf(a.AgentLines, a.TotalCommitted, a.Unknown))
	case claimed != nil:
		text = "?"
	}
	if claimed != nil && claimed.TotalCommitted > 0 {
		text += fmt.Sprintf("; the checkpoint claims %d of %d", claimed.AgentLines, claimed.TotalCommitted)
	}
	return text
}

func tokens(u transcript.Usage) string {
	text := fmt.Sprintf("%d in, %d out, %d read from the cache, %d written to it, %s", u.InputTokens, u.OutputTokens, u.CacheReadTokens, u.CacheCreationTokens, plural(u.APICallCount, "call"))
	if u.SubagentTokens != nil {
		text += "; subagents " + tokens(*u.SubagentTokens)
	}
	return text
}

// indented makes a text of several lines harmless in a terminal, and indents all but the first.
func indented(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i, line := range lines {
		lines[i] = printable(line)
	}
	return strings.Join(lines, "\n    ")
}

// mostListed is how many checkpoints are listed unless more are asked for.
const mostListed = 20

func checkpointsCommand() *cli.Command {
	return &cli.Command{
		Name:        "checkpoints",
		Usage:       "list the committed checkpoints, or find some by file, session, or words of a prompt",
		Description: "Latest first. entire-plumb show ID shows one.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "file", Usage: "those that touched the `FILE`, or files in that directory, from the top of the repository"},
			&cli.StringFlag{Name: "session", Usage: "those of the session whose ID begins with `ID`"},
			&cli.StringFlag{Name: "text", Usage: "those with the `WORDS` in a prompt"},
			&cli.IntFlag{Name: "n", Value: mostListed, Usage: "at most `N` of them; 0: all"},
			&cli.BoolFlag{Name: "json", Usage: "print JSON"},
		},
		Action: func(c *cli.Context) error {
			if err := noArguments(c); err != nil {
				return err
			}
			if c.Int("n") < 0 {
				return usagef("-n takes no %d\nhint: a number, or 0 for all", c.Int("n"))
			}
			e, err := source(c)
			if err != nil {
				return err
			}
			found, err := e.Checkpoints(c.Context, query.Search{File: c.String("file"), Session: c.String("session"), Text: c.String("text")}, c.Int("n"))
			if err != nil {
				return err
			}
			if c.Bool("json") {
				return errors.Join(printJSON(c.App.Writer, append([]checkpoints.CommittedInfo{}, found.Checkpoints...)), damagedAmong(found.Damaged))
			}
			return errors.Join(printCheckpoints(c.App.Writer, found.Checkpoints, found.Count-len(found.Checkpoints)), damagedAmong(found.Damaged))
		},
	}
}

func printCheckpoints(w io.Writer, all []checkpoints.CommittedInfo, rest int) error {
	if len(all) == 0 {
		_, err := fmt.Fprintln(w, "no checkpoint")
		return err
	}
	tab := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tab, "CHECKPOINT\tDATE\tBRANCH\tSESSIONS\tFILES\tPROMPT")
	for _, k := range all {
		var names []string
		for _, s := range k.Sessions {
			names = append(names, inColumn(s.SessionID))
		}
		prompt := ""
		if len(k.Prompts) > 0 {
			prompt = lastPrompt(k.Prompts[len(k.Prompts)-1])
		}
		if k.Error != "" {
			prompt = "damaged: " + k.Error
		}
		fmt.Fprintf(tab, "%s\t%s\t%s\t%s\t%d\t%s\n", k.ID, date(k.When), inCell(k.Branch), strings.Join(names, ", "), len(k.Files), inCell(prompt))
	}
	if err := tab.Flush(); err != nil || rest == 0 {
		return err
	}
	_, err := fmt.Fprintf(w, "and %s; -n 0 lists all\n", plural(rest, "more checkpoint"))
	return err
}

// date is a day, if it is known.
func date(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.Format("2006-01-02")
}

// inCell makes a text harmless in a table of a terminal's.
func inCell(s string) string { return strings.ReplaceAll(printable(s), "\t", " ") }

// lastPrompt is the last of a session's prompts, in a line.
func lastPrompt(text string) string {
	all := strings.Split(text, session.PromptSeparator)
	return shadow.Describe(all[len(all)-1])
}
