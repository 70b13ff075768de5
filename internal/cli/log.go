package cli

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"entire-plumb/internal/amount"
	"entire-plumb/internal/prices"
	"entire-plumb/internal/query"
	"entire-plumb/internal/settings"
)

func logCommand() *cli.Command {
	return &cli.Command{
		Name:      "log",
		Usage:     "list commits with their checkpoints and the agents' share",
		ArgsUsage: "[BRANCH|RANGE|NAME...] [-- PATH...]",
		Description: "Newest first, below the uncommitted streams of this worktree. With --graph, git draws the history beside them,\n" +
			"children first, and each stream stands above the commit that it is based on.",
		Flags: slices.Concat(selectionFlags(), briefFlags(), []cli.Flag{
			limitFlag("n", mostListed, "list at most `N` commits"),
			&cli.BoolFlag{Name: "graph", Usage: "draw branches, merges and streams"},
			&cli.BoolFlag{Name: "json", Usage: "print JSON"},
			colourFlag(),
		}),
		Action: reading(alsoBrief(excluding("graph", "json")), func(c *cli.Context, e query.Source) error {
			if c.Bool("graph") {
				return graphLog(c, e)
			}
			s := selection(c)
			s.Most = limit(c, "n")
			if c.Bool("brief") {
				return briefLog(c, e, s)
			}
			commits, streams, err := e.Log(c.Context, s)
			if err != nil {
				return err
			}
			commits, streams = limited(c, "n", commits), limited(c, "n", streams)
			g := gaps{unshallow: unshallowing(c)}
			for _, commit := range commits {
				g.addLogged(commit)
			}
			g.warn(c.App.ErrWriter)
			table, err := settings.Prices("")
			return errors.Join(output(c, logJSON{streams, commits}, func(w io.Writer) {
				if !listsNone(c, "n") {
					printLog(w, screenOf(c), commits, streams, table)
				}
			}), err)
		}),
	}
}

// logJSON is what `log --json` prints.
type logJSON struct {
	Streams []query.Pending `json:"streams"` // of this worktree, with uncommitted work
	Commits []query.Logged  `json:"commits"` // newest first
}

// graphLog draws the history.
func graphLog(c *cli.Context, e query.Source) error {
	s := selection(c)
	s.Most = limit(c, "n")
	rows, loose, err := e.Graph(c.Context, s)
	if err != nil {
		return err
	}
	rows, loose = limited(c, "n", rows), limited(c, "n", loose)
	g := gaps{unshallow: unshallowing(c)}
	for _, row := range rows {
		if row.Commit != nil {
			g.addLogged(*row.Commit)
		}
	}
	g.warn(c.App.ErrWriter)
	table, err := settings.Prices("")
	printGraph(colourPrinter{w: c.App.Writer, screen: screenOf(c)}, rows, loose, table)
	return err
}

func (g *gaps) addLogged(commit query.Logged) {
	g.add(slices.ContainsFunc(commit.Checkpoints, query.LoggedCheckpoint.Missing), commit.Unknown...)
}

func printLog(w io.Writer, on screen, commits []query.Logged, streams []query.Pending, table prices.Table) {
	p := colourPrinter{w: w, screen: on}
	for _, s := range streams {
		p.line(green, "%s", on.fit(streamLine(s)))
	}
	t := newTable(column{colour: yellow}, column{spare: 2}, column{least: 10, wants: 30}, column{colour: cyan, least: 12}, column{least: 8, spare: 3}, column{})
	t.bare = true
	for _, c := range commits {
		if len(c.Checkpoints) == 0 {
			t.add(c.Commit.Short(), moment(c.When), c.Subject)
			continue
		}
		ids, sessions, share := linked(c)
		t.add(c.Commit.Short(), moment(c.When), c.Subject, ids, sessions, share)
	}
	t.print(w, on)
	p.total(commits, table)
}

// total prints the lines of the commits together, and what was spent for them.
func (p *colourPrinter) total(commits []query.Logged, table prices.Table) {
	if text := logTotals(commits, table); text != "" {
		p.line(bold, "%s", p.wrap(text))
	}
}

// logTotals adds up the commits that link checkpoints, if there are several.
func logTotals(commits []query.Logged, table prices.Table) string {
	var t query.LinesTotal
	var spent []query.SpentBy
	for _, c := range commits {
		if len(c.Checkpoints) > 0 {
			t.Add(c.Lines, c.Again, c.Generated)
			spent = append(spent, c.Spent...)
		}
	}
	if t.Commits < 2 {
		return ""
	}
	text := fmt.Sprintf("total: %s: %s", amount.Of(t.Commits, "linked commit"), linesAnd(t, query.SpentOnce(spent, table)))
	if t.NotCounted > 0 {
		text += fmt.Sprintf("; %s not counted", amount.Of(t.NotCounted, "commit"))
	}
	return text
}

// linesAnd says how many lines there are together, and what was spent for them.
func linesAnd(t query.LinesTotal, spent query.Spent) string {
	return fmt.Sprintf("agent %d, human %d, unknown %d lines%s; %s tokens; %s", t.Agent, t.Human, t.Unknown,
		apart(t.Again.All(), t.Generated.All()), amount.Tokens(spent.Tokens), amount.Cost(spent.USD, spent.Unpriced))
}

// apart says how many lines a sum leaves out: those that commits bring again, and those in
// generated and vendored files.
func apart(again, generated int) (text string) {
	if again > 0 {
		text = "; brought again, apart: " + amount.Of(again, "line")
	}
	if generated > 0 {
		text += "; generated and vendored, apart: " + amount.Of(generated, "line")
	}
	return text
}

// streamLine describes an uncommitted stream in a line.
func streamLine(s query.Pending) string {
	var sessions []string
	for _, id := range s.Sessions {
		sessions = append(sessions, inColumn(id))
	}
	return fmt.Sprintf("%s: %s, %s, by %s, not committed",
		s.Branch, amount.Of(s.Checkpoints, "checkpoint"), amount.Of(len(s.Files), "file"), strings.Join(sessions, ", "))
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
			authors = append(authors, "("+brokenHow(k.Lacking)+")")
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
func printGraph(p colourPrinter, rows []query.GraphRow, loose []query.Pending, table prices.Table) {
	for _, s := range loose {
		p.line(green, "%s", streamLine(s))
	}
	for _, row := range rows {
		switch {
		case row.Stream != nil:
			p.line("", "%s", p.fit(strings.Replace(row.Edges, "*", "o", 1)+" "+p.in(green, streamLine(*row.Stream))))
		case row.Commit != nil:
			c := row.Commit
			text := fmt.Sprintf("%s %s %s", p.in(yellow, c.Commit.Short()), moment(c.When), printable(c.Subject))
			more := ""
			if len(c.Checkpoints) > 0 {
				ids, sessions, share := linked(*c)
				more = "  " + p.in(cyan, fmt.Sprintf("(%s  %s  %s)", ids, sessions, share))
			}
			p.line("", "%s", p.between(row.Edges+" "+text, more))
		default:
			p.line("", "%s", row.Edges)
		}
	}
	var commits []query.Logged
	for _, row := range rows {
		if row.Commit != nil {
			commits = append(commits, *row.Commit)
		}
	}
	p.total(commits, table)
}

// brokenHow says what is wrong with a checkpoint that cannot be read.
func brokenHow(lacking bool) string {
	if lacking {
		return "incomplete"
	}
	return "damaged"
}
