package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"entire-plumb/internal/query"
)

func logCommand() *cli.Command {
	return &cli.Command{
		Name:      "log",
		Usage:     "list commits with their checkpoints and the agents' share",
		ArgsUsage: "[BRANCH|RANGE|NAME...] [-- PATH...]",
		Description: "Newest first, below the uncommitted streams of this worktree. With --graph, git draws the history beside them,\n" +
			"children first, and each stream stands above the commit that it is based on.",
		Flags: append(selectionFlags(),
			&cli.IntFlag{Name: "n", Value: mostListed, Usage: "list at most `N` commits"},
			&cli.BoolFlag{Name: "graph", Usage: "draw branches, merges and streams"},
			&cli.BoolFlag{Name: "json", Usage: "print JSON"},
			&cli.StringFlag{Name: "color", Usage: "colour the graph `WHEN`: auto, always or never", Value: "auto"},
		),
		Action: reading(excluding("graph", "json"), func(c *cli.Context, e query.Source) error {
			if c.Int("n") < 1 {
				return usagef("-n must be at least 1, not %d\nhint: log -n 20", c.Int("n"))
			}
			if c.Bool("graph") {
				return graphLog(c, e)
			}
			s := selection(c)
			s.Most = c.Int("n")
			commits, streams, err := e.Log(c.Context, s)
			if err != nil {
				return err
			}
			var g gaps
			for _, commit := range commits {
				g.addLogged(commit)
			}
			g.warn(c.App.ErrWriter)
			return output(c, map[string]any{"streams": streams, "commits": commits}, func(w io.Writer) { printLog(w, commits, streams) })
		}),
	}
}

// graphLog draws the history.
func graphLog(c *cli.Context, e query.Source) error {
	s := selection(c)
	s.Most = c.Int("n")
	rows, loose, err := e.Graph(c.Context, s)
	if err != nil {
		return err
	}
	var g gaps
	for _, row := range rows {
		if row.Commit != nil {
			g.addLogged(*row.Commit)
		}
	}
	g.warn(c.App.ErrWriter)
	printGraph(colourPrinter{w: c.App.Writer, colour: wantsColour(c)}, rows, loose)
	return nil
}

func (g *gaps) addLogged(commit query.Logged) {
	g.add(slices.ContainsFunc(commit.Checkpoints, query.LoggedCheckpoint.Missing), commit.Unknown...)
}

func printLog(w io.Writer, commits []query.Logged, streams []query.Pending) {
	for _, s := range streams {
		fmt.Fprintln(w, streamLine(s))
	}
	tab := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, c := range commits {
		fmt.Fprintf(tab, "%s\t%s\t%s", c.Commit.Short(), c.When.Format("2006-01-02"), printable(short(c.Subject, 50)))
		if len(c.Checkpoints) > 0 {
			ids, sessions, share := linked(c)
			fmt.Fprintf(tab, "\t%s\t%s\t%s", ids, sessions, share)
		}
		fmt.Fprintln(tab)
	}
	tab.Flush()
}

// inColumn is an abbreviated session ID, which commands accept.
func inColumn(session string) string { return printable(short(session, 12)) }

// streamLine describes an uncommitted stream in a line.
func streamLine(s query.Pending) string {
	var sessions []string
	for _, id := range s.Sessions {
		sessions = append(sessions, inColumn(id))
	}
	return fmt.Sprintf("%s: %s, %s, by %s, not committed",
		s.Branch, plural(s.Checkpoints, "checkpoint"), plural(len(s.Files), "file"), strings.Join(sessions, ", "))
}

// linked describes a commit's checkpoints: their IDs, the sessions, and the agents' share of the
// lines.
func linked(c query.Logged) (ids, sessions, share string) {
	var names, authors []string
	for _, k := range c.Checkpoints {
		names = append(names, k.ID)
		switch {
		case k.Purged != "":
			authors = append(authors, "(purged)")
		case !k.Found:
			authors = append(authors, "(not here)")
		case k.Damaged:
			authors = append(authors, "(damaged)")
		}
		for _, s := range k.Sessions {
			if name := inColumn(s); !slices.Contains(authors, name) {
				authors = append(authors, name)
			}
		}
	}
	share = "?"
	if l := c.Lines; l != nil {
		share = l.Share()
	}
	return strings.Join(names, " "), strings.Join(authors, ", "), share
}

const yellow = "\x1b[33m"

// printGraph prints a history as git drew it, one line for each commit and stream.
func printGraph(p colourPrinter, rows []query.GraphRow, loose []query.Pending) {
	for _, s := range loose {
		p.line(green, "%s", streamLine(s))
	}
	for _, row := range rows {
		switch {
		case row.Stream != nil:
			p.line("", "%s %s", strings.Replace(row.Edges, "*", "o", 1), p.in(green, streamLine(*row.Stream)))
		case row.Commit != nil:
			c := row.Commit
			text := fmt.Sprintf("%s %s %s", p.in(yellow, c.Commit.Short()), c.When.Format("2006-01-02"), printable(short(c.Subject, 50)))
			if len(c.Checkpoints) > 0 {
				ids, sessions, share := linked(*c)
				text += "  " + p.in(cyan, fmt.Sprintf("(%s  %s  %s)", ids, sessions, share))
			}
			p.line("", "%s %s", row.Edges, text)
		default:
			p.line("", "%s", row.Edges)
		}
	}
}

// in colours a text, if colours are wanted.
func (p *colourPrinter) in(colour, text string) string {
	if !p.colour {
		return text
	}
	return colour + text + reset
}
