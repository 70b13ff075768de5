package cli

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"entire-plumb/internal/amount"
	"entire-plumb/internal/query"
	"entire-plumb/internal/settings"
	"entire-plumb/internal/stats"
)

// mostPrompts is how many prompts are listed of whose lines many died.
const mostPrompts = 5

func statsCommand() *cli.Command {
	return &cli.Command{
		Name:      "stats",
		Usage:     "count lines, tokens and money, and say how many lines survived",
		ArgsUsage: "[COMMIT|RANGE...] [-- PATH...]",
		Description: "The default is all of HEAD's history; a name means its history. Rows are by week, author, branch, session,\n" +
			"agent, model or path, and add up to the last one. Lines in generated and vendored files are counted apart.\n" +
			"docs/stats.md says what each number means.\n\n" +
			"Money is by list prices. Your own are in entire-plumb/prices.toml in the directory of your configuration,\n" +
			"as in ~/.config, in USD per million tokens:\n\n" +
			"   [[price]]\n" +
			"   model = [\"claude-opus-*\"]\n" +
			"   from = 2026-01-01\n" +
			"   input = 4.0\n" +
			"   output = 20.0\n" +
			"   cache_read = 0.4\n" +
			"   cache_write = 5.0",
		Flags: append(selectionFlags(),
			&cli.StringFlag{Name: "by", Usage: "print rows by `week|author|branch|session|agent|model|path`"},
			&cli.IntFlag{Name: "depth", Value: 1, Usage: "with --by path, rows are directories down to `N` levels"},
			limitFlag("n", mostListed, "print at most `N` rows; the others are one"),
			&cli.StringFlag{Name: "prices", Usage: "read your own prices from `FILE`"},
			&cli.BoolFlag{Name: "json", Usage: "print JSON"},
			&cli.BoolFlag{Name: "csv", Usage: "print CSV: a header, and all rows, without their total"},
			colourFlag(),
		),
		Action: reading(checkStats, func(c *cli.Context, e query.Source) error {
			table, err := settings.Prices(c.String("prices"))
			if err != nil {
				return err
			}
			prompts := mostPrompts
			if c.Bool("json") {
				prompts = 100
			}
			most := limit(c, "n")
			if c.Bool("csv") && !c.IsSet("n") {
				most = 0
			}
			all, err := e.Stats(c.Context, query.StatsRequest{Selection: selection(c), By: stats.By(c.String("by")), Depth: c.Int("depth"),
				Most: most, Prompts: prompts, Prices: table})
			if err != nil {
				return err
			}
			all.Groups = limited(c, "n", all.Groups)
			warnStats(c.App.ErrWriter, all, unshallowing(c))
			if c.Bool("csv") {
				return errors.Join(statsCSV(c.App.Writer, all), damagedIn(all))
			}
			err = output(c, all, func(w io.Writer) {
				on := screenOf(c)
				if all.By != stats.Nothing {
					statsTable(w, on, all)
					return
				}
				statsBlock(w, on, all)
			})
			return errors.Join(err, damagedIn(all))
		}),
	}
}

func checkStats(c *cli.Context) error {
	by := c.String("by")
	switch {
	case c.IsSet("by") && !slices.Contains(stats.All, stats.By(by)):
		return usagef("unknown rows %q\nhint: --by week, author, branch, session, agent, model or path", by)
	case c.IsSet("depth") && (by != string(stats.Path) || c.Int("depth") < 1):
		return usagef("--depth is at least 1, and for --by path\nhint: stats --by path --depth 2")
	}
	return oneOf(c, "json", "csv")
}

// damagedIn is the error for damaged checkpoints.
func damagedIn(all query.Stats) error {
	var what []string
	for _, id := range all.Damaged {
		what = append(what, fmt.Sprintf("checkpoint %s is damaged", id))
	}
	return damage(what...)
}

// warnStats says on stderr what the numbers lack.
func warnStats(w io.Writer, all query.Stats, unshallow func() string) {
	if n := len(all.Missing); n > 0 {
		fmt.Fprintf(w, "entire-plumb: %s not here, such as %s\nhint: if it was pushed, entire-plumb fetch\n", amount.Are(n, "checkpoint"), all.Missing[0])
	}
	if all.Shallow > 0 {
		fmt.Fprintf(w, "entire-plumb: %s not counted: the parent is missing, as in a shallow clone\n", amount.Are(all.Shallow, "commit"))
		hintAtRest(w, true, false, unshallow)
	}
	if all.Outside > 0 {
		fmt.Fprintf(w, "entire-plumb: %s not in HEAD's history: the lines are counted, and not followed\n", amount.Are(all.Outside, "commit"))
	}
}

// statsTable prints a row for each group, and the totals.
func statsTable(w io.Writer, on screen, all query.Stats) {
	number := func(title string, spare int) column { return column{title: title, right: true, spare: spare} }
	t := newTable(column{title: strings.ToUpper(string(all.By)), least: 10, colour: cyan}, number("COMMITS", 3), number("AGENT", 0), number("HUMAN", 0),
		number("UNKNOWN", 5), number("SHARE", 0), number("OTHERS", 4), number("ALIVE", 1), number("TOKENS", 2), number("COST", 1))
	for _, r := range all.Groups {
		key := r.Key
		if all.By == stats.Session && !strings.HasPrefix(key, "(") {
			key = inColumn(key)
		}
		t.add(statsRow(all, key, r, false)...)
	}
	t.total(statsRow(all, "total", all.Totals, true)...)
	t.print(w, on)
}

func statsRow(all query.Stats, key string, r stats.Row, total bool) []any {
	spent, usd := amount.Tokens(r.Tokens.All()), costOf(r)
	switch {
	case total:
	case all.By == stats.Path: // a session's tokens are of no directory
		spent, usd = "-", "-"
	case r.Tokens.All() == 0:
		usd = "-"
	}
	return []any{key, r.Commits, r.Agent, r.Human, r.Unknown, shareOf(r.Share()), r.Others, ofAll(r.Alive.Agent, r.Born.Agent), spent, usd}
}

// costOf is what the tokens of a row cost: "-" where no price is known, with "+" where that is so
// of some of them.
func costOf(r stats.Row) string {
	switch {
	case r.Unpriced > 0 && r.USD == 0:
		return "-"
	case r.Unpriced > 0:
		return amount.USD(r.USD) + "+"
	}
	return amount.USD(r.USD)
}

// shareOf is a share in per cent; nil: of nothing.
func shareOf(percent *float64) string {
	if percent == nil {
		return "-"
	}
	return amount.Percent(*percent)
}

// ofAll is a part of a number, in per cent.
func ofAll(part, all int) string {
	if all == 0 {
		return "-"
	}
	return amount.Percent(100 * float64(part) / float64(all))
}

// statsBlock prints the totals.
func statsBlock(w io.Writer, on screen, all query.Stats) {
	t := all.Totals
	fmt.Fprintf(w, "%s, %d linked to %s\n\n", amount.Of(t.Commits, "commit"), t.Linked, amount.Of(t.Checkpoints, "checkpoint"))
	rows := newTable(column{colour: cyan}, column{right: true}, column{})
	rows.bare, rows.wraps = true, true
	rows.add("agent", t.Agent, "lines in linked commits, "+shareOf(t.Share())+" of those with a known author")
	rows.add("human", t.Human, "")
	rows.add("unknown", t.Unknown, "")
	rows.add("others", t.Others, "lines in commits without a link")
	if apart := t.Generated.All() + t.OthersApart; apart > 0 {
		rows.add("generated", apart, fmt.Sprintf("apart, in generated and vendored files: agent %d, human %d, unknown %d, others %d", t.Generated.Agent,
			t.Generated.Human, t.Generated.Unknown, t.OthersApart))
	}
	rows.add("accepted", t.Accepted, "the agents' lines that were committed as they wrote them")
	rows.add("edited", t.Edited, "lines in linked commits that replace others, at most so many of them an agent's")
	rows.add("tokens", amount.Tokens(t.Tokens.All()), spentOn(t))
	rows.add("cost", costOf(t), pricedBy(all))
	rows.print(w, on)
	survivalTable(w, on, all)
	diedPrompts(w, on, all)
}

// spentOn says which tokens there are.
func spentOn(t stats.Row) string {
	text := amount.Spent(t.Tokens.Input, t.Tokens.Output, t.Tokens.CacheRead, t.Tokens.CacheWrite)
	if t.NoTokens > 0 {
		text += fmt.Sprintf("; %s of a checkpoint without a count of its own", amount.Of(t.NoTokens, "part"))
	}
	return text
}

// pricedBy says by which prices, and what has none.
func pricedBy(all query.Stats) string {
	text := "by the list prices of " + all.PricesOf
	if n := all.Totals.Unpriced; n > 0 {
		var names []string
		for _, name := range all.Unpriced {
			if name == "" {
				name = "an unknown model"
			}
			names = append(names, inCell(name))
		}
		text += fmt.Sprintf("; without %s tokens of %s, whose price is not known", amount.Tokens(n), strings.Join(names, ", "))
	}
	return text
}

// survivalTable prints what was alive after some weeks.
func survivalTable(w io.Writer, on screen, all query.Stats) {
	t := all.Totals
	fmt.Fprintf(w, "\n%s\n", on.wrap(fmt.Sprintf("alive at HEAD: agent %s of %d lines, human and others %s of %d",
		ofAll(t.Alive.Agent, t.Born.Agent), t.Born.Agent, ofAll(t.Alive.Human, t.Born.Human), t.Born.Human)))
	if len(all.Survival) == 0 {
		return
	}
	columns, agent, human := []column{{title: "WEEKS"}}, []any{"agent"}, []any{"human and others"}
	for _, age := range all.Survival {
		columns = append(columns, column{title: fmt.Sprint(age.Weeks), right: true})
		agent, human = append(agent, shareOf(age.Agent.Percent)), append(human, shareOf(age.Human.Percent))
	}
	rows := newTable(columns...)
	rows.add(agent...)
	rows.add(human...)
	rows.print(w, on)
}

// diedPrompts lists the prompts of whose lines most died soon.
func diedPrompts(w io.Writer, on screen, all query.Stats) {
	if all.Died == 0 {
		return
	}
	fmt.Fprintf(w, "\n%s of whose lines at least half died within a week\n", amount.Of(all.Died, "prompt"))
	rows := newTable(column{title: "TURN", colour: yellow}, column{title: "SESSION", least: 8, colour: cyan, spare: 1}, column{title: "LINES", right: true},
		column{title: "DIED", right: true}, column{title: "ALIVE", right: true}, column{title: "PROMPT", least: 12, wants: 20})
	for _, p := range all.Prompts {
		rows.add(p.Turn, inColumn(p.Session), p.Written, p.Died, p.Alive, p.Prompt)
	}
	rows.print(w, on)
	if more := all.Died - len(all.Prompts); more > 0 {
		fmt.Fprintf(w, "and %d more; --json lists more of them\n", more)
	}
}
