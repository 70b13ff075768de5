package cli

import (
	"cmp"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"strings"
	"time"

	"github.com/clipperhouse/displaywidth"
	"github.com/urfave/cli/v2"

	"entire-plumb/gitexec"
	"entire-plumb/internal/attribution"
	"entire-plumb/internal/query"
)

func blameCommand() *cli.Command {
	return &cli.Command{
		Name:      "blame",
		Usage:     "show the author of each line of a file, agent or human",
		ArgsUsage: "FILE",
		Description: "Like git blame, for the worktree's version of the file, or that at --rev. Each line has its commit, its author\n" +
			"(agent, session and turn, or the human; ? if unknown, with the reason on stderr), the date, and the prompt.\n" +
			"Lines that a commit only moves, indents or wraps keep their author.\n" +
			"IDs and prompts are abbreviated.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "rev", Usage: "use the file at `REV`"},
			&cli.StringSliceFlag{Name: "L", Usage: "only lines `START,END`, as in git blame; may be repeated"},
			&cli.StringSliceFlag{Name: "ignore-rev", Usage: "look through the changes of commit `REV`, as git blame does; may be repeated"},
			&cli.StringSliceFlag{Name: "ignore-revs-file", Usage: "look through those of the commits that `FILE` lists"},
			&cli.BoolFlag{Name: "json", Usage: "print JSON"},
			&cli.BoolFlag{Name: "porcelain",
				Usage: "print git blame's porcelain format, with lines entire-agent, -session, -turn, -prompt"},
			colourFlag(),
		},
		Action: reading(checkBlame, func(c *cli.Context, e query.Source) error {
			lines, err := e.Blame(c.Context, c.String("rev"), c.Args().First(), gitexec.BlameOptions{
				Ranges: c.StringSlice("L"), IgnoreRevs: c.StringSlice("ignore-rev"), IgnoreRevsFiles: c.StringSlice("ignore-revs-file")})
			if err != nil && lines == nil {
				return err
			}
			if err != nil {
				err = damage(err.Error())
			}
			var g gaps
			for _, l := range lines {
				if l.Owner.Kind == attribution.Unknown {
					g.add(l.Owner.Missing, l.Owner.Reason)
				}
			}
			g.warn(c.App.ErrWriter)
			switch {
			case c.Bool("json"):
				return errors.Join(printJSON(c.App.Writer, lines), err)
			case c.Bool("porcelain"):
				blamePorcelain(c.App.Writer, lines)
			default:
				blameText(c.App.Writer, screenOf(c), lines)
			}
			return err
		}),
	}
}

// checkBlame refuses arguments and flags that make no sense.
func checkBlame(c *cli.Context) error {
	switch {
	case c.NArg() == 0:
		return usagef("which file?\nhint: %s -L 10,20 FILE", c.Command.HelpName)
	case c.NArg() > 1:
		return usagef("only one file can be blamed\nhint: for an older version, %s --rev HEAD~3 FILE", c.Command.HelpName)
	}
	return oneOf(c, "json", "porcelain")
}

// authorOf names a line's author, and the prompt.
func authorOf(l query.BlamedLine) (author, prompt string) {
	switch {
	case l.Owner.Kind == attribution.Unknown:
		return "?", ""
	case l.Owner.Kind == attribution.Human && !l.Committed():
		return "not committed yet", ""
	case l.Owner.Kind == attribution.Human:
		return printable(l.Author), ""
	}
	turn := l.Owner.Turn[:min(7, len(l.Owner.Turn))]
	return printable(cmp.Or(l.Owner.Agent, "agent") + " " + inColumn(l.Owner.Session) + " " + turn), printable(l.Owner.Prompt)
}

// short cuts a text to so many columns.
func short(s string, most int) string { return displaywidth.TruncateString(s, most, "…") }

// blameText prints lines behind their authors. The prompts have a quarter of a terminal's width;
// the lines themselves are not cut, as git blame doesn't cut them.
func blameText(w io.Writer, on screen, lines []query.BlamedLine) {
	room := 30
	if on.width > 0 {
		room = max(10, on.width/4)
	}
	authorWidth, promptWidth, last := 0, 0, 0
	for _, l := range lines {
		author, prompt := authorOf(l)
		authorWidth = max(authorWidth, displaywidth.String(author))
		promptWidth = max(promptWidth, displaywidth.String(short(prompt, room)))
		last = max(last, l.Line)
	}
	digits := len(fmt.Sprint(last))
	p := colourPrinter{w: w, screen: on}
	for _, l := range lines {
		author, prompt := authorOf(l)
		date := l.When.Local().Format(time.DateOnly)
		if !l.Committed() {
			date = pad("", len(time.DateOnly))
		}
		p.line(colourOf(l.Owner.Session), "%s (%s %s %s %*d) %s", l.Commit.Short(), pad(author, authorWidth), date,
			pad(short(prompt, room), promptWidth), digits, l.Line, printable(l.Content))
	}
}

func pad(s string, width int) string {
	return s + strings.Repeat(" ", max(0, width-displaywidth.String(s)))
}

// colourOf gives a session the same colour each time; a human's lines have none.
func colourOf(session string) string {
	if session == "" {
		return ""
	}
	h := fnv.New32a()
	h.Write([]byte(session))
	return fmt.Sprintf("\x1b[3%dm", 1+h.Sum32()%6)
}

func blamePorcelain(w io.Writer, lines []query.BlamedLine) {
	for _, l := range lines {
		text := fmt.Sprintf("%s %d %d\nauthor %s\nauthor-time %d\n", l.Commit, l.Origin, l.Line, l.Author, l.When.Unix())
		if l.Owner.Session != "" {
			text += fmt.Sprintf("entire-agent %s\nentire-session %s\nentire-turn %s\nentire-prompt %s\n",
				printable(l.Owner.Agent), printable(l.Owner.Session), printable(l.Owner.Turn), printable(l.Owner.Prompt))
		}
		if l.Owner.Kind == attribution.Unknown {
			text += fmt.Sprintf("entire-unknown %s\n", printable(l.Owner.Reason))
		}
		fmt.Fprintf(w, "%sfilename %s\n\t%s\n", text, l.Path.Display(), l.Content)
	}
}
