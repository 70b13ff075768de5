package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"entire-plumb/gitexec"
	"entire-plumb/internal/amount"
	"entire-plumb/internal/prices"
	"entire-plumb/internal/query"
	"entire-plumb/internal/settings"
)

// mostUncommitted is how many uncommitted files of a session are listed.
const mostUncommitted = 20

func todayCommand() *cli.Command {
	return &cli.Command{
		Name:  "today",
		Usage: "show what happened since yesterday, by session",
		Description: "Each session's turns with what became of them, then the commits, and the lines that are not committed.\n" +
			"Yesterday begins at midnight.",
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "days", Value: 1, Usage: "begin `N` days ago, with 0 today"},
			&cli.StringFlag{Name: "since", Usage: "begin at `DATE`, as git understands dates"},
			&cli.BoolFlag{Name: "json", Usage: "print JSON"},
			colourFlag(),
		},
		Action: reading(checkToday, func(c *cli.Context, e query.Source) error {
			since, err := sinceWhen(c, e.Now().Local())
			if err != nil {
				return err
			}
			t, err := e.Today(c.Context, since)
			if err != nil {
				return err
			}
			table, err := settings.Prices("")
			return errors.Join(output(c, t, func(w io.Writer) { printToday(w, screenOf(c), t, table) }), err)
		}),
	}
}

// earliest is the earliest time of which git finds commits everywhere: the first day of 1970, with
// which its times begin, is another in each time zone.
var earliest = time.Unix(24*60*60, 0)

// sinceWhen is when what today is about begins.
func sinceWhen(c *cli.Context, now time.Time) (time.Time, error) {
	if !c.IsSet("since") {
		since := time.Date(now.Year(), now.Month(), now.Day()-c.Int("days"), 0, 0, 0, 0, time.Local)
		if since.Before(earliest) {
			return earliest, nil
		}
		return since, nil
	}
	repo, err := discover(c)
	if err != nil {
		return now, err
	}
	return repo.Date(c.Context, c.String("since"))
}

func checkToday(c *cli.Context) error {
	if c.Int("days") < 0 {
		return usagef("--days must not be negative: %d\nhint: --days 7 is a week", c.Int("days"))
	}
	return listing("days", "since")(c)
}

func printToday(w io.Writer, on screen, t query.Today, table prices.Table) {
	fmt.Fprintf(w, "since %s\n", moment(t.Since))
	if len(t.Sessions)+len(t.Commits) == 0 {
		fmt.Fprintln(w, "nothing happened")
	}
	for _, s := range t.Sessions {
		title := ""
		if s.Title != "" {
			title = ": " + s.Title
		}
		fmt.Fprintf(w, "\n%s\n", on.fit(printable("session "+inColumn(s.ID)+", "+cmp.Or(s.Agent, "agent")+title)))
		rows := newTable(column{spare: 1}, column{least: 18}, column{least: 10, wants: 30})
		rows.bare = true
		for _, turn := range s.Turns {
			rows.add("  "+moment(turn.When), becameOf(turn), lastPrompt(turn.Prompt))
		}
		rows.print(w, on)
		for _, path := range s.Uncommitted[:min(len(s.Uncommitted), mostUncommitted)] {
			fmt.Fprintf(w, "  not committed: %s\n", path.Display())
		}
		if more := len(s.Uncommitted) - mostUncommitted; more > 0 {
			fmt.Fprintf(w, "  not committed: %s more; entire-plumb diff --stat lists all\n", amount.Of(more, "file"))
		}
	}
	if len(t.Commits) > 0 {
		fmt.Fprintln(w)
		printLog(w, on, t.Commits, nil, table)
	}
	if u := t.Uncommitted; u.Agent+u.Human+u.Unknown > 0 {
		fmt.Fprintln(w, "\n"+on.wrap(uncommittedLine(u)))
	}
}

// commitNames names a commit, two, or how many there are.
func commitNames(ids []gitexec.OID) string {
	if len(ids) > 2 {
		return amount.Of(len(ids), "commit")
	}
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = id.Short()
	}
	return strings.Join(names, ", ")
}

// becameOf says what became of a turn.
func becameOf(t query.TodayTurn) string {
	switch {
	case t.Nothing() && len(t.Files) > 0:
		return amount.Of(len(t.Files), "file") + " without a new line in " + t.Commit.Short()
	case t.Nothing() && t.Work != "":
		return whereIs(t.Work)
	case t.Nothing():
		return "no line of it in " + t.Commit.Short()
	case t.Lines != nil:
		return amount.Of(*t.Lines, "line") + " in " + commitNames(t.Commits)
	case t.Work != "":
		return whereIs(t.Work)
	case t.Commit != "":
		return "in " + t.Commit.Short()
	}
	return ""
}
