package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"entire-plumb/internal/amount"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/journal"
	"entire-plumb/internal/query"
)

// fewCommits is how many commits `why` explains if none is named.
const fewCommits = 5

func whyCommand() *cli.Command {
	return &cli.Command{
		Name:      "why",
		Usage:     "say why a commit is linked or isn't, or why a line is there",
		ArgsUsage: "[COMMIT|RANGE|CHECKPOINT|SESSION|TURN|FILE:LINE]",
		Description: "Prints what the hooks decided when the commit was made, and what would have changed the decision; of a link that\n" +
			"was found by content its score, and how many lines are in the commit. The default is the last commits. The journal in <git dir>/entire-plumb keeps the last 2 MB of this machine.\n\n" +
			"Of FILE:LINE it prints whose the line is, the whole prompt, the answer, and the commits that it went through.",
		Flags: append([]cli.Flag{
			&cli.BoolFlag{Name: "json", Usage: "print JSON"},
			&cli.BoolFlag{Name: "v", Usage: "also print each file, what of a link by content is each checkpoint's, and what each hook did"},
			&cli.StringFlag{Name: "rev", Usage: "with FILE:LINE, use the file at `REV`"},
			limitFlag("n", fewCommits, "explain the last `N` commits"),
		}, briefFlags()...),
		Action: reading(alsoBrief(checkWhy), func(c *cli.Context, e query.Source) error {
			if file, line, ok := query.LineNamed(c.Args().First()); ok {
				return whyLine(c, e, file, line)
			}
			if c.Bool("brief") {
				return usagef("--brief needs FILE:LINE\nhint: entire-plumb show COMMIT --brief")
			}
			s := selection(c)
			if len(s.Names) == 0 {
				s.Walk, s.Most = true, limit(c, "n")
			}
			all, err := e.Why(c.Context, s)
			if err != nil {
				return cmp.Or(e.NoLine(c.Args().First()), err)
			}
			all = limited(c, "n", all)
			if c.Bool("json") {
				return errors.Join(printJSON(c.App.Writer, all), damageOfLinks(all))
			}
			if len(all) == 0 && !listsNone(c, "n") {
				fmt.Fprintf(c.App.Writer, "%s has no commits\n", selected(c))
			}
			g := gaps{unshallow: unshallowing(c)}
			for i, w := range all {
				if i > 0 {
					fmt.Fprintln(c.App.Writer)
				}
				prose(c, func(out io.Writer) { printWhy(out, w, c.Bool("v")) })
				g.add(slices.ContainsFunc(w.Links, query.WhyLink.Missing))
			}
			g.warn(c.App.ErrWriter)
			return damageOfLinks(all)
		}),
	}
}

// checkWhy refuses arguments and flags that make no sense.
func checkWhy(c *cli.Context) error {
	switch {
	case c.NArg() > 1:
		return unexpected(c, 1)
	case c.NArg() > 0 && c.IsSet("n"):
		return usagef("-n and a commit exclude each other\nhint: name several commits with a range, such as HEAD~3..HEAD")
	}
	// Of a commit it would be another's file that was asked for, and the answer about neither.
	if _, _, ok := query.LineNamed(c.Args().First()); c.IsSet("rev") && !ok {
		return usagef("--rev needs FILE:LINE\nhint: %s --rev REV FILE:LINE", c.Command.HelpName)
	}
	return nil
}

func damageOfLinks(all []query.Why) error {
	var what []string
	for _, w := range all {
		for _, l := range w.Links {
			what = append(what, l.Error)
		}
	}
	return damage(what...)
}

func printWhy(w io.Writer, y query.Why, verbose bool) {
	fmt.Fprintf(w, "%s %s\n", y.Commit.Short(), printable(y.Subject))
	if len(y.Links) == 0 {
		fmt.Fprintln(w, "  not linked")
	}
	for _, l := range y.Links {
		fmt.Fprintf(w, "  linked to %s\n    the link: %s", l.ID+linkState(l), printable(l.Source.String()))
		if l.Lines != nil {
			fmt.Fprintf(w, "; the lines: %s", printable(l.Lines.String()))
		}
		fmt.Fprintln(w)
	}
	for _, o := range y.Overruled {
		fmt.Fprintf(w, "  not counted: %s\n", printable(o.String()))
	}
	for _, r := range y.Removed {
		fmt.Fprintf(w, "  the link to %s was removed by %s on %s\n", r.Checkpoint, printable(r.By), r.When.Format("2006-01-02"))
	}
	if y.Beside != nil {
		printBeside(w, *y.Beside, verbose)
	}
	for _, id := range y.Older {
		fmt.Fprintf(w, "  a link to %s beside it is not followed: the commit is older than its work\n", id)
	}
	for _, id := range y.Rewritten {
		fmt.Fprintf(w, "  rewritten from %s\n", id.Short())
	}
	fmt.Fprintf(w, "  why: %s\n", printable(y.Reason))
	if verbose {
		printWorks(w, y)
	}
	fmt.Fprintf(w, "  otherwise: %s\n", printable(y.Otherwise))
}

// printBeside prints the evidence of a link beside a commit.
func printBeside(w io.Writer, link checkpoints.SideLink, verbose bool) {
	if link.Score > 0 && len(link.Evidence) > 0 {
		fmt.Fprintf(w, "  score %.2f; lines of the agents that are in the commit:\n", link.Score)
		printEvidence(w, link.Evidence)
	}
	if verbose {
		printParts(w, link.Parts)
	}
}

// linkState says where a link is, and what is known of its checkpoint.
func linkState(l query.WhyLink) (text string) {
	if l.Beside {
		text = ", beside the commit"
	}
	switch {
	case l.Purged != "":
		return text + ", which was purged on " + l.Purged
	case !l.Found:
		return text + ", which is not here"
	case l.Error != "":
		return text + ", which is " + brokenHow(l.Lacking)
	case len(l.Sessions) > 0:
		return text + ": session " + printable(strings.Join(l.Sessions, ", "))
	}
	return text
}

// printEvidence prints how many of the agents' lines in each file are in the commit.
func printEvidence(w io.Writer, evidence map[string][2]int) {
	for _, path := range slices.Sorted(maps.Keys(evidence)) {
		fmt.Fprintf(w, "    %s: %d of %d\n", printable(path), evidence[path][0], evidence[path][1])
	}
}

// printParts prints what each checkpoint has in the commit.
func printParts(w io.Writer, parts []checkpoints.Part) {
	for _, p := range parts {
		fmt.Fprintf(w, "  of %s, score %.2f:\n", p.Checkpoint, p.Score)
		printEvidence(w, p.Evidence)
		for _, path := range p.Files {
			fmt.Fprintf(w, "    %s: the same version, or deleted in both\n", printable(string(path)))
		}
	}
}

func printWorks(w io.Writer, y query.Why) {
	for _, k := range y.Works {
		verdict := "not linked"
		switch {
		case k.Linked && len(y.Links) == 0:
			verdict = "not linked, though " + k.Reason
		case k.Linked:
			verdict = "linked: " + k.Reason
		}
		fmt.Fprintf(w, "  session %s, %s: %s\n", k.Session, k.On, verdict)
		for _, f := range k.Files {
			fmt.Fprintf(w, "    %s: %s\n", printable(f.Path), f.Verdict)
		}
		for _, path := range k.Others {
			fmt.Fprintf(w, "    %s: not in the commit\n", printable(path))
		}
		if k.More > 0 {
			fmt.Fprintf(w, "    and %s\n", amount.Of(k.More, "more file"))
		}
	}
	for _, e := range y.Hooks {
		if e.Hook == journal.NoHook {
			fmt.Fprintf(w, "  found without a hook: %s\n", printable(e.Outcome))
			continue
		}
		fmt.Fprintf(w, "  %s: %s; %d ms, %s\n", e.Hook, printable(e.Outcome), e.Milliseconds, processes(e.Processes))
	}
}

func processes(n int) string {
	return fmt.Sprint(n, " git ", amount.ByNumber(n, "process", "processes"))
}
