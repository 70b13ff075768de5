package cli

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"entire-plumb/internal/amount"
	"entire-plumb/internal/attribution"
	"entire-plumb/internal/brief"
	"entire-plumb/internal/query"
	"entire-plumb/internal/report"
)

// briefFlags are those of commands that can answer a model.
func briefFlags() []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Name: "brief", Usage: "print what a model needs, with words of others as quotations"},
		&cli.IntFlag{Name: "tokens", Value: brief.UsualTokens, Usage: "with --brief, print at most `N` tokens of four bytes"},
	}
}

// checkBrief refuses flags that make no sense with --brief.
func checkBrief(c *cli.Context) error {
	switch n := c.Int("tokens"); {
	case !c.Bool("brief") && c.IsSet("tokens"):
		return usagef("--tokens needs --brief\nhint: %s --help", c.Command.HelpName)
	case n < brief.LeastTokens || n > brief.MostTokens:
		return usagef("--tokens must be from %d to %d, not %d\nhint: --tokens %d", brief.LeastTokens, brief.MostTokens, n, brief.UsualTokens)
	case !c.Bool("brief"):
		return nil
	}
	for _, other := range []string{"json", "markdown", "raw", "transcript", "all", "graph", "v", "repos", "fail-over"} {
		if c.IsSet(other) {
			return oneOf(c, "brief", other)
		}
	}
	return nil
}

// alsoBrief is a check of a command that can answer a model.
func alsoBrief(allowed check) check {
	return func(c *cli.Context) error { return cmp.Or(checkBrief(c), allowed(c)) }
}

// printBrief prints what a model needs. damaged is what could not be read.
func printBrief(c *cli.Context, b brief.Brief, damaged error) error {
	secrets, err := redactor(c)
	if err != nil {
		return err
	}
	_, err = fmt.Fprint(c.App.Writer, brief.Write(b, c.Int("tokens"), secrets.Text))
	return errors.Join(err, damaged)
}

// briefPage answers log, show and summary of a selection: to a model.
func briefPage(c *cli.Context, e query.Source, q report.Request, items func(report.Page) []brief.Item) error {
	page, err := gather(c, e, q)
	if err != nil {
		return err
	}
	b := brief.Brief{Items: items(page), Next: "entire-plumb show NAME --brief, of a commit, checkpoint or turn"}
	for _, gap := range page.Gaps[:min(mostReasons, len(page.Gaps))] {
		b.Items = append(b.Items, brief.Item{Facts: "not all lines are counted", Quotes: []brief.Quote{{Label: "reason", Text: gap}}})
	}
	if len(b.Items) == 0 {
		b.Items = []brief.Item{{Facts: "nothing is recorded of this in a commit"}}
		b.Next = "entire-plumb search WORDS --brief, or entire-plumb streams --all, for work that was not committed"
	}
	return printBrief(c, b, damage(page.Damage...))
}

// briefLog answers log: the commits of whole histories. Of files alone it has the turns, too, that
// were dismissed, and whose conversations led to commits without these files, or to none.
func briefLog(c *cli.Context, e query.Source, s query.Selection) error {
	s.Walk = true
	var tried []brief.Item
	if len(s.Names) == 0 && s.Since+s.Until+s.Author == "" {
		for _, path := range s.Paths {
			items, err := triedIn(c, e, path)
			if err != nil {
				return err
			}
			tried = append(tried, items...)
		}
	}
	return briefPage(c, e, report.Request{Selection: s, Bare: true}, func(p report.Page) []brief.Item { return report.BriefOfLog(p, tried) })
}

// Limits of what is read to find out what was tried in a file: uses of tools that name it, and
// parts of conversations.
const (
	mostNaming = 500
	mostTried  = 30
)

// triedIn says which turns were dismissed whose tools name a file or directory, the latest first.
func triedIn(c *cli.Context, e query.Source, path string) (items []brief.Item, err error) {
	found, err := e.SearchTexts(c.Context, query.TextSearch{Words: []string{filepath.Base(path)}, In: []string{"files"}, File: path, Most: mostNaming})
	if err != nil {
		return nil, err
	}
	pages := map[string]report.Page{}
	for _, m := range found.Matches {
		if m.Turn == 0 { // a checkpoint that changed it
			continue
		}
		name := cmp.Or(m.Checkpoint, m.Session)
		page, read := pages[name]
		if !read && len(pages) == mostTried {
			break
		}
		if !read { // what cannot be read has nothing to say; log names damage
			page, _ = gather(c, e, report.Request{Selection: query.Selection{Names: []string{name}}})
			pages[name] = page
		}
		items = append(items, report.BriefOfDismissed(page, m.Session, m.Turn)...)
	}
	return items, nil
}

// briefShow answers show: of a turn, it alone.
func briefShow(c *cli.Context, e query.Source, s query.Selection) error {
	turn := ""
	if !s.Several() && len(s.Paths) == 0 {
		r, err := e.OpenFor(c.Context, s)
		if err != nil {
			return err
		}
		found, err := r.Resolve(c.Context, s.Names[0])
		r.Close()
		if err == nil && found.Turn != nil {
			turn = found.Turn.ID
		}
	}
	return briefPage(c, e, report.Request{Selection: s}, func(p report.Page) []brief.Item { return report.BriefByCommit(p, turn) })
}

// briefLine answers why FILE:LINE.
func briefLine(c *cli.Context, w query.WhyLine, damaged error) error {
	line := brief.Item{Quotes: []brief.Quote{{Label: "file", Text: fmt.Sprintf("%s:%d", w.File.Display(), w.Line)}, {Label: "line", Text: w.Content}}}
	quote := func(label, text string) { line.Quotes = append(line.Quotes, brief.Quote{Label: label, Text: text}) }
	b := brief.Brief{Next: "entire-plumb log --brief -- FILE, for what was tried before and dismissed"}
	switch w.Owner.Kind {
	case attribution.Unknown:
		line.Facts = "a line whose author is not known"
		quote("reason", w.Owner.Reason)
	case attribution.Human:
		line.Facts = "a line that a human wrote"
	default:
		line.Facts = "a line that an agent wrote, in turn " + brief.Name(w.Owner.Turn)
		quote("prompt", w.Prompt)
		quote("answer", w.Answer)
		quote("by", fmt.Sprintf("%s (%s), session %s", cmp.Or(w.Owner.Agent, "agent"), cmp.Or(w.Model, "unknown model"), w.Owner.Session))
		b.Next = "entire-plumb show " + brief.Name(w.Owner.Turn) + " --brief, for the turn; " + b.Next
	}
	if !w.Committed() {
		line.Facts += "; it is not committed"
	}
	b.Items = []brief.Item{line}
	for _, k := range slices.Backward(w.Commits) {
		b.Items = append(b.Items, commitItem(k))
	}
	return printBrief(c, b, damaged)
}

func commitItem(k query.ShownCommit) brief.Item {
	return brief.Item{Facts: "commit " + brief.Name(k.Commit.Short()) + ", " + moment(k.When),
		Quotes: []brief.Quote{{Label: "subject", Text: k.Subject}, {Label: "author", Text: k.Author}}}
}

// briefSearch answers search: prompts and answers first, each kind newest first.
func briefSearch(c *cli.Context, found query.TextFound) error {
	b := brief.Brief{Next: "entire-plumb show TURN --brief, or a checkpoint's name"}
	matches := byRelevance(found.Matches)
	for _, m := range matches {
		b.Items = append(b.Items, matchItem(m))
	}
	if len(matches) == 0 {
		b.Items = []brief.Item{{Facts: "no matches"}}
	}
	if found.More {
		b.Ask = fmt.Sprintf("-n %d finds older ones", 2*len(matches))
	}
	if n := found.Sealed + found.Unread; n > 0 {
		b.Items = append(b.Items, brief.Item{Facts: "not searched, as they are encrypted or damaged: " + amount.Of(n, "conversation")})
	}
	return printBrief(c, b, nil)
}

// byRelevance is what was said before what tools were given, and then the files of checkpoints. A
// file is named once for its turn, and once for its checkpoint where no turn there names it.
func byRelevance(found []query.TextMatch) (matches []query.TextMatch) {
	found = slices.Clone(found)
	slices.SortStableFunc(found, func(x, y query.TextMatch) int { return relevance(x) - relevance(y) })
	for _, m := range found {
		if !slices.ContainsFunc(matches, func(o query.TextMatch) bool { return sameFile(m, o) }) {
			matches = append(matches, m)
		}
	}
	return matches
}

// relevance sorts matches by their kinds.
func relevance(m query.TextMatch) int {
	if at := slices.Index([]string{"prompt", "answer", "summary", "title"}, m.Kind); at >= 0 {
		return at / 2 // prompts and answers stay beside each other
	}
	if m.Kind == fileKind && m.Turn == 0 {
		return 3
	}
	return 2
}

const fileKind = "file"

// sameFile reports whether a match names the file that one before it names, of the same turn, or of
// one that its checkpoint has. One of the names may begin at the worktree.
func sameFile(m, before query.TextMatch) bool {
	if m.Kind != fileKind || before.Kind != fileKind || m.Session != before.Session || m.Checkpoint != before.Checkpoint {
		return false
	}
	one, other := "/"+m.Text, "/"+before.Text
	return (m.Turn == 0 || m.Turn == before.Turn) && (strings.HasSuffix(one, other) || strings.HasSuffix(other, one))
}

func matchItem(m query.TextMatch) brief.Item {
	facts := m.Kind + ", " + moment(m.When)
	if m.TurnID != "" {
		facts += ", turn " + brief.Name(m.TurnID)
	}
	if m.Checkpoint == "" {
		facts += ", not committed"
	} else {
		facts += ", checkpoint " + brief.Name(m.Checkpoint)
	}
	text := strings.Join([]string{m.Before, m.Text, m.After}, "\n")
	return brief.Item{Facts: facts, Quotes: []brief.Quote{{Label: "text", Text: text}, {Label: "by", Text: cmp.Or(m.Agent, "agent") + ", session " + m.Session}}}
}
