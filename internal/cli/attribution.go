package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/urfave/cli/v2"

	"entire-plumb/gitexec"
	"entire-plumb/internal/amount"
	"entire-plumb/internal/attribution"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/prices"
	"entire-plumb/internal/query"
	"entire-plumb/internal/settings"
)

func attributionCommand() *cli.Command {
	return &cli.Command{
		Name:      "attribution",
		Usage:     "count the agent's lines by commit, session and file",
		ArgsUsage: "[COMMIT|RANGE|CHECKPOINT|SESSION|TURN...] [-- PATH...]",
		Description: "The counts come from the commits' checkpoints. The default is HEAD. Only commits with a link are listed,\n" +
			"and one with which a shallow clone ends: it is not counted. The exit code is 1 if none of those listed is.\n" +
			"Binary files, symlinks and submodules have no lines. The share is that of the lines with a known author;\n" +
			"other lines have a row of their own. The name of a checkpoint, session or turn stands for the commits that\n" +
			"link it: those of HEAD's history, and for what HEAD's don't link those of one branch, so that a line counts once.\n" +
			"Of one that no commit links, what streams have is counted.\n" +
			"docs/attribution.md says how lines are counted.",
		Flags: append(selectionFlags(),
			&cli.BoolFlag{Name: "json", Usage: "print JSON"},
			&cli.StringFlag{Name: "fail-over", Usage: "exit with 1 if the agents' share is more than `PERCENT`, or not all lines can be counted"},
			&cli.StringFlag{Name: "format", Usage: "print what export --format `agent-trace` prints"},
			colourFlag(),
		),
		Action: reading(checkAttribution, func(c *cli.Context, e query.Source) error {
			count := e.Attribution
			if c.IsSet("format") {
				count = e.AttributionWithText
			}
			commits, err := count(c.Context, selection(c))
			if err != nil {
				return err
			}
			g := gaps{unshallow: unshallowing(c)}
			for _, commit := range commits {
				g.add(slices.ContainsFunc(commit.Checkpoints, query.CheckpointLines.Missing), commit.Unknown...)
			}
			g.warn(c.App.ErrWriter)
			switch {
			case c.Bool("json"):
				return errors.Join(printJSON(c.App.Writer, commits), damageOf(commits), verdict(c, commits))
			case c.IsSet("format"):
				return errors.Join(agentTrace(c.App.Writer, commits), damageOf(commits), verdict(c, commits))
			}
			if len(commits) == 0 {
				fmt.Fprintf(c.App.Writer, "no commit of %s has a link\n", selected(c))
				return nil
			}
			table, err := settings.Prices("")
			attributionTable(c.App.Writer, screenOf(c), commits, table)
			return errors.Join(damageOf(commits), verdict(c, commits), err)
		}),
	}
}

// verdict is the error of --fail-over, or that no commit could be counted.
func verdict(c *cli.Context, commits []query.CommitLines) error {
	counted := func(commit query.CommitLines) bool { return commit.Lines != nil }
	if !c.IsSet("fail-over") && len(commits) > 0 && !slices.ContainsFunc(commits, counted) {
		return errors.New("no commit could be counted")
	}
	return failOver(c, totalOf(commits).Sum, notCounted(commits))
}

// checkAttribution refuses arguments and flags that make no sense.
func checkAttribution(c *cli.Context) error {
	if format := c.String("format"); c.IsSet("format") && format != "agent-trace" {
		return usagef("unknown format %q\nhint: --format agent-trace", format)
	}
	return cmp.Or(checkFailOver(c), oneOf(c, "json", "format"))
}

func damageOf(commits []query.CommitLines) error {
	var what []string
	for _, commit := range commits {
		for _, k := range commit.Checkpoints {
			what = append(what, k.Error)
		}
	}
	return damage(what...)
}

func attributionTable(w io.Writer, on screen, commits []query.CommitLines, table prices.Table) {
	t := newTable(column{title: "COMMIT", colour: yellow}, column{title: "WHAT", least: 9}, column{title: "AGENT", right: true},
		column{title: "LINES", right: true}, column{title: "SHARE", least: 6})
	t.wraps = true
	for _, commit := range commits {
		all := slices.Concat(commit.Checkpoints, commit.Kept)
		parts, of := 0, map[string]int{} // sessions' parts
		for _, k := range all {
			for _, s := range k.Sessions {
				parts++
				of[s.SessionID]++
			}
		}
		for _, k := range all {
			switch {
			case k.Purged != "":
				t.add(commit.Commit.Short(), "checkpoint "+k.ID+" was purged on "+k.Purged)
			case !k.Found:
				t.add(commit.Commit.Short(), "checkpoint "+k.ID+" is not here")
			}
			if k.Error != "" {
				t.add(commit.Commit.Short(), "checkpoint "+k.ID+" is "+brokenHow(k.Lacking))
			}
			for _, s := range k.Sessions {
				name := inColumn(s.SessionID)
				if s.Agent != "" {
					name += " (" + s.Agent + ")"
				}
				switch {
				case commit.OnStream:
					name += ", not committed"
				case of[s.SessionID] > 1:
					name += ", checkpoint " + k.ID
				}
				// Beside others a session without a line says nothing; alone it is why the commit
				// is linked.
				if s.Attribution == nil || s.Attribution.AgentLines > 0 || parts == 1 {
					sessionRows(t, commit, name, s, parts > 1)
				}
			}
		}
		if commit.Lines == nil && len(all) == 0 {
			t.add(commit.Commit.Short(), "?", "-", "-", "not counted")
		}
		unknownRows(t, commit)
		if parts > 1 && commit.Lines != nil {
			t.add(commit.Commit.Short(), "all sessions", commit.Lines.Agent, commit.Lines.Agent+commit.Lines.Human, commit.Lines.Share())
		}
	}
	sum := totalOf(commits)
	for _, of := range []struct {
		what string
		attribution.Sum
	}{{"brought again, apart", sum.Again}, {"generated and vendored, apart", sum.Generated}} {
		if of.All() > 0 {
			t.add("", of.what, of.Agent, of.Agent+of.Human, of.Share())
		}
	}
	if sum.Commits > 1 || sum.Generated.All() > 0 {
		of := "linked commit"
		if commits[0].OnStream {
			of = "turn"
		}
		t.total("", amount.Of(sum.Commits, of), sum.Agent, sum.Agent+sum.Human, totalShare(sum))
	}
	t.print(w, on)
	var spent []query.SpentBy
	for _, c := range commits {
		spent = append(spent, c.Spent...)
	}
	if sum.Commits > 1 && len(spent) > 0 {
		fmt.Fprintln(w, on.wrap("total: "+linesAnd(sum, query.SpentOnce(spent, table))))
	}
}

func totalOf(commits []query.CommitLines) (t query.LinesTotal) {
	for _, c := range commits {
		t.Add(c.Lines, c.Again, c.Generated)
	}
	return t
}

// notCounted is how many commits have lines that cannot be counted, or checkpoints that are not
// here.
func notCounted(commits []query.CommitLines) (n int) {
	for _, c := range commits {
		if c.Lines == nil || slices.ContainsFunc(c.Checkpoints, query.CheckpointLines.Missing) {
			n++
		}
	}
	return n
}

func totalShare(t query.LinesTotal) string {
	text := t.Share()
	if t.NotCounted > 0 {
		text += fmt.Sprintf(", %s not counted", amount.Of(t.NotCounted, "commit"))
	}
	return text
}

// unknownRows counts the lines without a known author.
func unknownRows(t *table, commit query.CommitLines) {
	if commit.Lines == nil || commit.Lines.Unknown == 0 {
		return
	}
	t.add(commit.Commit.Short(), "?", "-", commit.Lines.Unknown, "unknown author")
	for _, f := range commit.Files {
		if f.Lines.Unknown > 0 {
			t.add("", pathRow(f.Path), "-", f.Lines.Unknown, "")
		}
	}
}

// sessionRows adds a session's row and those of its files; beside other sessions only the files in
// which it has lines.
func sessionRows(t *table, commit query.CommitLines, of string, s query.SessionLines, beside bool) {
	a := s.Attribution
	if a == nil {
		t.add(commit.Commit.Short(), of, "-", "-", "?")
		return
	}
	share := ofSession(a).Share()
	if a.Estimated {
		share += ", estimated"
	}
	t.add(commit.Commit.Short(), of, a.AgentLines, a.TotalCommitted, share)
	for _, f := range s.Files {
		if known := f.Lines - f.Unknown; known > 0 && (f.Agent > 0 || !beside) {
			share := attribution.Sum{Agent: f.Agent, Human: known - f.Agent, Unknown: f.Unknown}.Share()
			t.add("", pathRow(f.Path), f.Agent, known, share)
		}
	}
	for _, path := range a.NoText {
		t.add("", pathRow(path), "-", "-", "no lines")
	}
}

// pathRow is a file's cell below its session's.
func pathRow(path gitexec.Path) cell { return cell{text: "  " + path.Display(), path: true} }

// ofSession is a session's lines beside the human's and the unknown ones of the same commit.
func ofSession(a *checkpoints.InitialAttribution) attribution.Sum {
	return attribution.Sum{Agent: a.AgentLines, Human: a.TotalCommitted - a.AgentLines, Unknown: a.Unknown}
}

// gaps are what a view cannot show: why lines have no known author, and whether checkpoints are
// not here.
type gaps struct {
	reasons []string // each once; of more than mostReasons one more
	missing bool

	unshallow func() string // see unshallowing
}

func (g *gaps) add(missing bool, reasons ...string) {
	g.missing = g.missing || missing
	for _, reason := range reasons {
		if len(g.reasons) <= mostReasons && !slices.Contains(g.reasons, reason) {
			g.reasons = append(g.reasons, reason)
		}
	}
}

// mostReasons is how many reasons are printed.
const mostReasons = 5

// warn says on stderr what is missing, and how it may come.
func (g gaps) warn(w io.Writer) {
	for _, reason := range g.reasons[:min(mostReasons, len(g.reasons))] {
		fmt.Fprintf(w, "entire-plumb: lines of unknown author: %s\n", printable(reason))
	}
	if len(g.reasons) > mostReasons {
		fmt.Fprintln(w, "entire-plumb: and more reasons; --json lists all")
	}
	hintAtRest(w, len(g.reasons) > 0, g.missing, g.unshallow)
}

// hintAtRest says how what is missing comes: to a shallow clone, and a checkpoint that is absent.
func hintAtRest(w io.Writer, gaps, absent bool, unshallow func() string) {
	if gaps && unshallow != nil {
		if command := unshallow(); command != "" {
			fmt.Fprintf(w, "hint: this is a shallow clone: %s brings the commits that are missing\n", command)
		}
	}
	if absent {
		fmt.Fprintln(w, "hint: if it was pushed, entire-plumb fetch")
	}
}

// unshallowing is the command that makes a shallow clone a whole one, as the user would type it;
// empty: it is one.
func unshallowing(c *cli.Context) func() string {
	return func() string {
		repo, err := discover(c)
		if err != nil || !repo.Shallow() {
			return ""
		}
		return repo.Unshallow(c.Context)
	}
}
