package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"entire-plumb/internal/amount"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/query"
	"entire-plumb/internal/session"
	"entire-plumb/internal/settings"
	"entire-plumb/internal/transcript"
)

func sessionsCommand() *cli.Command {
	return &cli.Command{
		Name:      "sessions",
		Usage:     "list the sessions of all worktrees, or show one",
		ArgsUsage: "[SESSION]",
		Description: "The most recently active first, including those of other machines whose checkpoints are here. With --diagram,\n" +
			"print the phase machine instead, in mermaid, from the table that the program uses.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "diagram", Usage: "print the phase machine in mermaid"},
			limitFlag("n", -1, "list at most `N`"),
			&cli.BoolFlag{Name: "json", Usage: "print JSON"},
			colourFlag(),
		},
		Subcommands: []*cli.Command{sessionsShow()},
		Action: reading(checkSessions, func(c *cli.Context, e query.Source) error {
			switch {
			case c.Bool("diagram"):
				fmt.Fprint(c.App.Writer, session.Diagram())
				return nil
			case c.NArg() > 0:
				return showSession(c, e)
			}
			all, damaged, err := e.Sessions(c.Context)
			if most := c.Int("n"); most >= 0 {
				all = all[:min(most, len(all))]
			}
			switch {
			case err != nil && len(all) == 0:
				return err
			case c.Bool("json"):
				return errors.Join(printJSON(c.App.Writer, all), err, damagedAmong(damaged))
			case listsNone(c, "n"):
			case len(all) == 0:
				nothing(c, c.App.Writer, "no sessions")
			default:
				table, err2 := settings.Prices("")
				err = errors.Join(err, err2)
				sessionTable(c.App.Writer, screenOf(c), all, query.SpentIn(all, table))
			}
			return errors.Join(err, damagedAmong(damaged))
		}),
	}
}

// checkSessions allows a session to be named where all would be listed.
func checkSessions(c *cli.Context) error {
	if err := oneOf(c, "diagram", "n"); err != nil {
		return err
	}
	if c.IsSet("diagram") || c.IsSet("n") {
		return takes(0, "diagram", "json")(c)
	}
	return takes(1)(c)
}

// sessionTable prints a row for each session and, of several, what they spent.
func sessionTable(w io.Writer, on screen, all []query.SessionInfo, spent query.Spent) {
	t := newTable(column{title: "SESSION", least: 8, colour: cyan}, column{title: "PHASE", spare: 2}, column{title: "STARTED", spare: 1},
		column{title: "LASTED", right: true, spare: 4}, column{title: "TOKENS", right: true, spare: 5}, column{title: "CHECKPOINTS", right: true, spare: 3},
		column{title: "TITLE OR FIRST PROMPT", least: 12, wants: 30})
	ids := make([]string, len(all))
	for i, s := range all {
		ids[i] = s.ID
	}
	names := shortNames(ids)
	for i, s := range all {
		t.add(names[i], cmp.Or(string(s.Phase), "-"), moment(s.Started), lasted(s), amount.Tokens(allTokens(s.Tokens)), len(s.Checkpoints),
			sessionTitle(s))
	}
	if len(all) > 1 && spent.Tokens > 0 {
		t.total("total", "", "", "", amount.Tokens(spent.Tokens), "", amount.Cost(spent.USD, spent.Unpriced))
	}
	t.print(w, on)
}

// sessionTitle describes a session, and says whose word it is where it is in no sum.
func sessionTitle(s query.SessionInfo) string {
	title := described(cmp.Or(s.Title, s.FirstPrompt))
	if s.Source != nil {
		return addedBy(*s.Source) + ": " + title
	}
	return title
}

// addedBy says that others added something to what this clone wrote, and whose word it is.
func addedBy(source checkpoints.Source) string {
	return "added by others, " + printable(source.String())
}

// lasted is the time from a session's start to its last event.
func lasted(s query.SessionInfo) string {
	if s.Started.IsZero() {
		return "-"
	}
	switch long := max(0, s.Last.Sub(s.Started)); {
	case long >= 48*time.Hour:
		return amount.Of(int(long.Hours()/24), "day")
	case long >= time.Hour:
		return strings.TrimSuffix(long.Round(time.Minute).String(), "0s")
	default:
		return long.Round(time.Second).String()
	}
}

// allTokens is the number of a session's tokens.
func allTokens(u *transcript.Usage) int {
	if u == nil {
		return 0
	}
	return u.All()
}

func sessionsShow() *cli.Command {
	return &cli.Command{
		Name:        "show",
		Usage:       "show one session: its phase, prompts, tokens, files and checkpoints",
		ArgsUsage:   "SESSION",
		Description: "The ID may be abbreviated.",
		Flags:       []cli.Flag{&cli.BoolFlag{Name: "json", Usage: "print JSON"}},
		Action:      reading(needs("no session given\nhint: list them with entire-plumb sessions", 1), showSession),
	}
}

func showSession(c *cli.Context, e query.Source) error {
	s, damaged, err := e.Session(c.Context, c.Args().First())
	switch {
	case s.ID == "":
		return errors.Join(err, damagedAmong(damaged))
	case c.Bool("json"):
		return errors.Join(printJSON(c.App.Writer, s), err, damagedAmong(damaged))
	}
	prose(c, func(w io.Writer) { printSession(w, s) })
	return errors.Join(err, damagedAmong(damaged))
}

func printSession(w io.Writer, s query.SessionInfo) {
	fmt.Fprintf(w, "session %s: %s, %s, since %s, lasted %s\n", printable(s.ID), printable(s.Agent), cmp.Or(string(s.Phase), "-"),
		moment(s.Started), lasted(s))
	if s.Worktree != "" {
		fmt.Fprintf(w, "  in %s%s\n", printable(s.Worktree), map[bool]string{true: ", which was removed"}[s.Removed])
	}
	if s.Source != nil {
		fmt.Fprintf(w, "  %s\n", addedBy(*s.Source))
	}
	if s.Title != "" {
		fmt.Fprintf(w, "  title: %s\n", printable(s.Title))
	}
	fmt.Fprintf(w, "  first prompt: %s\n  last prompt: %s\n", described(s.FirstPrompt), described(s.LastPrompt))
	if s.Tokens != nil {
		fmt.Fprintf(w, "  tokens: %s\n", s.Tokens.Text())
	}
	for _, id := range s.Checkpoints {
		fmt.Fprintf(w, "  checkpoint %s\n", id)
	}
	for _, id := range s.Others {
		fmt.Fprintf(w, "  checkpoint %s (added by others)\n", id)
	}
	for _, path := range s.Files {
		fmt.Fprintf(w, "  file %s\n", path.Display())
	}
	for _, path := range s.Uncommitted {
		fmt.Fprintf(w, "  not committed: %s\n", path.Display())
	}
}
