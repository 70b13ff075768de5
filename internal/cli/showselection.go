package cli

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/urfave/cli/v2"

	"entire-plumb/internal/amount"
	"entire-plumb/internal/attribution"
	"entire-plumb/internal/query"
	"entire-plumb/internal/settings"
)

// showSelection shows several commits, or what several names mean.
func showSelection(c *cli.Context, e query.Source, q query.ShowRequest) (err error) {
	if q.Prices, err = settings.Prices(""); err != nil {
		return err
	}
	all, done, err := e.ShowSelection(c.Context, q)
	if err != nil {
		return err
	}
	defer done()
	var shown []query.Shown
	for _, item := range all.Shown {
		shown = append(shown, item.Checkpoints...)
	}
	warnOfUnknown(c, shown)
	switch {
	case c.Bool("json"):
		return errors.Join(printJSON(c.App.Writer, all), damagedOf(shown))
	case len(all.Shown) == 0:
		fmt.Fprintf(c.App.Writer, "no commits in %s\n", selected(c))
		return nil
	}
	printed := map[string]bool{}
	var faults []error
	for i, item := range all.Shown {
		if alone := i > 0 && len(item.Checkpoints)+len(all.Shown[i-1].Checkpoints) == 0; i > 0 && !alone && !c.Bool("raw") {
			fmt.Fprintln(c.App.Writer)
		}
		faults = append(faults, showItem(c, item, printed))
	}
	if len(all.Shown) > 1 && !c.Bool("raw") {
		prose(c, func(w io.Writer) { fmt.Fprintf(w, "\n%s\n", totalsLine(all.Totals)) })
	}
	return errors.Join(slices.DeleteFunc(faults, func(err error) bool { return err == nil })...)
}

// showItem shows one of several; a commit without a link in a line.
func showItem(c *cli.Context, item query.ShownItem, printed map[string]bool) error {
	k := item.ShownCommit
	switch {
	case len(item.Checkpoints) > 0:
		return showAll(c, item.Checkpoints, printed)
	case c.Bool("raw"):
	case k == nil:
		fmt.Fprintf(c.App.Writer, "%s has no checkpoint\n", printable(item.Name))
	case item.Linked:
		fmt.Fprintln(c.App.Writer, commitLine(*k)+": no session touched these files")
	default:
		fmt.Fprintln(c.App.Writer, commitLine(*k)+": no link")
	}
	return nil
}

// totalsLine adds up what is shown.
func totalsLine(t query.ShownTotals) string {
	text := "total: "
	if t.Commits > 0 {
		text += fmt.Sprintf("%s, %d linked; ", amount.Of(t.Commits, "commit"), t.Linked)
	}
	lines := query.LinesTotal{Sum: attribution.Sum{Agent: t.Agent, Human: t.Human, Unknown: t.Unknown}, Again: attribution.Sum(t.Again), Generated: attribution.Sum(t.Generated)}
	return text + linesAnd(lines, t.Spent)
}
