package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"entire-plumb/internal/amount"
	"entire-plumb/internal/attribution"
	"entire-plumb/internal/ledger"
	"entire-plumb/internal/query"
	"entire-plumb/internal/report"
)

func summaryCommand() *cli.Command {
	return &cli.Command{
		Name:      "summary",
		Usage:     "summarise commits for a pull request",
		ArgsUsage: "[RANGE|NAME...] [-- PATH...]",
		Description: "Prints what was asked, in order, and what was dismissed; what each session did and cost; the agents' share; the\n" +
			"files, those first that only an agent touched; and the commits with their links. The default is what this branch\n" +
			"has and the default branch doesn't. `report` writes the same as a page. Generated and vendored files are counted\n" +
			"apart. --fail-over lets a CI job fail where the agents' share of the lines with a known author is too large.\n" +
			"docs/ci.md has a workflow that posts the summary.",
		Flags: slices.Concat(selectionFlags(), briefFlags(), []cli.Flag{
			&cli.BoolFlag{Name: "markdown", Usage: "print Markdown"},
			&cli.BoolFlag{Name: "json", Usage: "print JSON"},
			&cli.StringFlag{Name: "fail-over", Usage: "exit with 1 if the agents' share is more than `PERCENT`, or not all lines can be counted"},
		}),
		Action: reading(alsoBrief(checkSummary), func(c *cli.Context, e query.Source) error {
			s, err := e.SinceDefaultBranch(c.Context, selection(c))
			if err != nil {
				return err
			}
			if c.Bool("brief") {
				return briefPage(c, e, report.Request{Selection: s, Bare: true}, report.BriefOfSum)
			}
			page, err := gather(c, e, report.Request{Selection: s, Bare: true})
			if err != nil {
				return err
			}
			warnGaps(c.App.ErrWriter, page.Gaps, page.Absent, unshallowing(c))
			switch {
			case c.Bool("json"):
				err = printJSON(c.App.Writer, summaryJSON{page.Title, page.Lines, page.Share(), page.Summary, page.Sessions, report.CommitsOf(page), page.Gaps})
			case c.Bool("markdown"):
				err = report.WriteText(c.App.Writer, page, true)
			default:
				prose(c, func(w io.Writer) { err = report.WriteText(w, page, false) })
			}
			return errors.Join(err, damage(page.Damage...), failOver(c, page.Share(), len(page.Gaps)))
		}),
	}
}

// summaryJSON is what `summary --json` prints.
type summaryJSON struct {
	Title    string             `json:"title"`
	Lines    report.Lines       `json:"lines"`
	Share    attribution.Sum    `json:"share"` // the lines of which --fail-over takes the agents' share: without generated and vendored files
	Summary  *report.Summary    `json:"summary"`
	Sessions []report.Session   `json:"sessions"` // with their turns, as in report
	Commits  []report.CommitSum `json:"commits"`
	Gaps     []string           `json:"gaps,omitempty"` // why the lines are not all counted, in words
}

func checkSummary(c *cli.Context) error {
	return cmp.Or(checkFailOver(c), oneOf(c, "json", "markdown"))
}

func checkFailOver(c *cli.Context) error {
	if !c.IsSet("fail-over") {
		return nil
	}
	_, err := mostShare(c.String("fail-over"))
	return err
}

// mostShare reads a share such as 80 or 80%.
func mostShare(text string) (int, error) {
	n, err := strconv.Atoi(strings.TrimSuffix(text, "%"))
	if err != nil || n < 0 || n > 100 {
		return 0, usagef("%q is no percentage\nhint: --fail-over 80%%", text)
	}
	return n, nil
}

// warnGaps says on stderr why lines are not all counted, and what brings what is missing; absent: a
// checkpoint is.
func warnGaps(w io.Writer, gaps []string, absent bool, unshallow func() string) {
	for _, text := range gaps[:min(mostReasons, len(gaps))] {
		fmt.Fprintln(w, "entire-plumb:", printable(text))
	}
	if n := len(gaps) - mostReasons; n > 0 {
		fmt.Fprintf(w, "entire-plumb: and %s; --json lists all\n", amount.Of(n, "more reason"))
	}
	hintAtRest(w, len(gaps) > 0, absent, unshallow)
}

// mostDigits limits the digits of a share: one of 10^9 lines has so many.
const mostDigits = 9

// percentOver writes a share with as few digits as show that it is more than another one, which it
// is.
func percentOver(share float64, than int) string {
	for digits := 0; ; digits++ {
		text := fmt.Sprintf("%.*f", digits, share)
		if shown, err := strconv.ParseFloat(text, 64); err != nil || shown > float64(than) || digits > mostDigits {
			return text
		}
	}
}

// failOver is the error of --fail-over. gaps is how many reasons there are for which lines are not
// counted: a policy must not hold for want of data, nor where no line has a known author.
func failOver(c *cli.Context, sum attribution.Sum, gaps int) error {
	if !c.IsSet("fail-over") {
		return nil
	}
	most, err := mostShare(c.String("fail-over"))
	if known := sum.Agent + sum.Human; err == nil && known > 0 && sum.Agent*100 > most*known {
		return fmt.Errorf("the agents' share is %s %% (%d of %d lines), more than %d %%", percentOver(ledger.Percent(sum.Agent, known), most), sum.Agent, known, most)
	}
	if err == nil && (gaps > 0 || sum.Unknown > 0 && sum.Agent+sum.Human == 0) {
		return errors.New("the agents' share is not known: not all lines could be counted")
	}
	return err
}
