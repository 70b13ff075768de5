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
		ArgsUsage: "[REV|FILE] [[--] FILE]",
		Description: "Like git blame, for the worktree's version of the file, or that at REV, which --rev names as well, and which may be\n" +
			"a checkpoint, a session or a turn: then it is the newest commit of it. Each line has its commit, its author\n" +
			"(agent, session and turn, or the human; ? if unknown, with the reason on stderr), the date, and the prompt.\n" +
			"Lines that a commit only moves, indents or wraps keep their author.\n" +
			"IDs and prompts are abbreviated.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "rev", Usage: "use the file at `REV`"},
			&cli.StringSliceFlag{Name: "L", Usage: "only lines `START,END`, as in git blame; may be repeated"},
			&cli.StringSliceFlag{Name: "ignore-rev", Usage: "look through the changes of commit `REV`, as git blame does; may be repeated"},
			&cli.StringSliceFlag{Name: "ignore-revs-file", Usage: "look through those of the commits that `FILE` lists"},
			&cli.BoolFlag{Name: "json", Usage: "print JSON"},
			&cli.BoolFlag{Name: "w", Usage: "ignore blanks, as git blame does"},
			&numberFlag{cli.StringSliceFlag{Name: "M", Usage: "find lines that were moved within a file, from `N` letters on"}},
			&numberFlag{cli.StringSliceFlag{Name: "C", Usage: "find lines that were moved or copied from other files, from `N` letters on; given twice, in more commits"}},
			&cli.StringFlag{Name: "since", Usage: "look no further back than `DATE`"},
			&cli.BoolFlag{Name: "prompt", Usage: "print the whole prompt of each turn below the lines, with the model"},
			&cli.BoolFlag{Name: "porcelain", Aliases: []string{"p"}, Usage: "print git blame's porcelain format, with lines that begin with entire-"},
			&cli.BoolFlag{Name: "line-porcelain", Usage: "likewise, with all of a commit before each line"},
			colourFlag(),
		},
		Action: reading(checkBlame, func(c *cli.Context, e query.Source) error {
			rev, file := revAndFile(c)
			lines, err := e.Blame(c.Context, query.BlameRequest{Rev: rev, File: file,
				Prompts: c.Bool("prompt") || c.Bool("json") || c.Bool("porcelain") || c.Bool("line-porcelain"), Options: gitexec.BlameOptions{
					Ranges: c.StringSlice("L"), IgnoreRevs: c.StringSlice("ignore-rev"), IgnoreRevsFiles: c.StringSlice("ignore-revs-file"),
					IgnoreBlanks: c.Bool("w"), Moved: c.StringSlice("M"), Copied: c.StringSlice("C"), Since: c.String("since"), EachLine: c.Bool("line-porcelain")}})
			if err != nil && lines == nil {
				return err
			}
			if err != nil {
				err = damage(err.Error())
			}
			g := gaps{unshallow: unshallowing(c)}
			for _, l := range lines {
				if l.Owner.Kind == attribution.Unknown {
					g.add(l.Owner.Missing, l.Owner.Reason)
				}
			}
			g.warn(c.App.ErrWriter)
			switch {
			case c.Bool("json"):
				return errors.Join(printJSON(c.App.Writer, lines), err)
			case c.Bool("porcelain"), c.Bool("line-porcelain"):
				blamePorcelain(c.App.Writer, lines)
			default:
				blameText(c.App.Writer, screenOf(c), lines)
				if c.Bool("prompt") {
					blamePrompts(c.App.Writer, lines)
				}
			}
			return err
		}),
	}
}

// checkBlame refuses arguments and flags that make no sense.
func checkBlame(c *cli.Context) error {
	switch _, files := namesAndPaths(c); {
	case c.NArg() == 0:
		return usagef("which file?\nhint: %s -L 10,20 FILE", c.Command.HelpName)
	case c.NArg() > 2, c.NArg() == 2 && c.IsSet("rev"), len(files) > 1:
		return usagef("only one file can be blamed\nhint: for an older version, %s HEAD~3 FILE", c.Command.HelpName)
	}
	return oneOf(c, "json", "porcelain", "line-porcelain")
}

// revAndFile are a revision, empty for the worktree's version, and a file: as git blame takes them,
// or with --rev.
func revAndFile(c *cli.Context) (rev, file string) {
	if c.NArg() == 2 {
		return c.Args().Get(0), c.Args().Get(1)
	}
	return c.String("rev"), c.Args().First()
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

// authorWithModel names a line's author, and the model that wrote it.
func authorWithModel(l query.BlamedLine) string {
	author, _ := authorOf(l)
	if l.Model != "" {
		author += " (" + printable(l.Model) + ")"
	}
	return author
}

// short cuts a text to so many columns.
func short(s string, most int) string { return displaywidth.TruncateString(s, most, "…") }

// blameMargin is how wide the parts are that stand before a blamed line; 0: left out.
type blameMargin struct{ author, date, prompt int }

// marginOn fits the parts to a terminal, of which the lines have a third at least: the prompt
// shrinks first and is left out, then the date, and then the author's name is cut.
func marginOn(width, author, prompt, digits int) blameMargin {
	const mostPrompt, leastPrompt, leastAuthor = 30, 10, 8
	m := blameMargin{author, len(time.DateOnly), min(prompt, mostPrompt)}
	if width <= 0 {
		return m
	}
	m.prompt = min(prompt, max(leastPrompt, width/4))
	over := func() int { return len("0123456 () ") + m.author + m.date + m.prompt + digits + 3 - width*2/3 }
	if n := over(); n > 0 {
		if m.prompt = max(m.prompt-n, 0); m.prompt < leastPrompt {
			m.prompt = 0
		}
	}
	if over() > 0 {
		m.date = 0
	}
	if n := over(); n > 0 {
		m.author = max(min(author, leastAuthor), m.author-n)
	}
	return m
}

// blameText prints lines behind their authors. The lines themselves are not cut, as git blame
// doesn't cut them.
func blameText(w io.Writer, on screen, lines []query.BlamedLine) {
	authorWidth, promptWidth, last := 0, 0, 0
	for _, l := range lines {
		author, prompt := authorOf(l)
		authorWidth = max(authorWidth, displaywidth.String(author))
		promptWidth = max(promptWidth, displaywidth.String(prompt))
		last = max(last, l.Line)
	}
	digits := len(fmt.Sprint(last))
	m := marginOn(on.width, authorWidth, promptWidth, digits)
	p := colourPrinter{w: w, screen: on}
	for _, l := range lines {
		author, prompt := authorOf(l)
		date := ""
		if l.Committed() {
			date = l.When.Local().Format(time.DateOnly)
		}
		var margin strings.Builder
		for _, part := range []struct {
			text  string
			width int
		}{{author, m.author}, {date, m.date}, {prompt, m.prompt}} {
			if part.width > 0 {
				margin.WriteString(pad(short(part.text, part.width), part.width) + " ")
			}
		}
		if promptWidth == 0 { // its column is there, and empty
			margin.WriteString(" ")
		}
		p.line(colourOf(l.Owner.Session), "%s (%s%*d) %s", l.Commit.Short(), margin.String(), digits, l.Line, printable(strings.TrimSuffix(l.Content, "\r")))
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

// blamePorcelain prints what git blame --porcelain prints, with lines of our own before each line
// of the file.
func blamePorcelain(w io.Writer, lines []query.BlamedLine) {
	for _, l := range lines {
		fmt.Fprintf(w, "%s %d %d", l.Commit, l.Origin, l.Line)
		if l.Group > 0 {
			fmt.Fprintf(w, " %d", l.Group)
		}
		fmt.Fprintf(w, "\n%s", l.Info)
		for _, key := range []struct{ name, value string }{
			{"owner", string(l.Owner.Kind)}, {"agent", l.Owner.Agent}, {"model", l.Model}, {"session", l.Owner.Session}, {"turn", l.Owner.Turn},
			{"prompt", l.Owner.Prompt}, {"checkpoint", l.Owner.Checkpoint}, {"unknown", l.Owner.Reason},
		} {
			if key.value != "" {
				fmt.Fprintf(w, "entire-%s %s\n", key.name, printable(key.value))
			}
		}
		fmt.Fprintf(w, "\t%s\n", l.Content)
	}
}

// blamePrompts prints each turn that has a line, with its whole prompt, in the order of the lines.
func blamePrompts(w io.Writer, lines []query.BlamedLine) {
	seen := map[attribution.Author]bool{}
	for _, l := range lines {
		if l.Owner.Kind != attribution.Agent || seen[l.Owner] {
			continue
		}
		seen[l.Owner] = true
		fmt.Fprintf(w, "\n%s:\n    %s\n", authorWithModel(l), indented(cmp.Or(l.Prompt, l.Owner.Prompt)))
	}
}
