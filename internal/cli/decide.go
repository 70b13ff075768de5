package cli

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/pmezard/go-difflib/difflib"
	"github.com/urfave/cli/v2"

	"entire-plumb/gitexec"
	"entire-plumb/internal/amount"
	"entire-plumb/internal/turns"
	"entire-plumb/internal/workspace"
	"entire-plumb/suffix"
)

func decideCommand() *cli.Command {
	return &cli.Command{
		Name:  "decide-suffix",
		Usage: "show which stream the next checkpoint would go to, and why",
		Description: "The decision is for the current worktree or, while a turn is active, for the worktree at the start of the turn.\n" +
			"Nothing is written. docs/streams.md explains the reasons and the JSON.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "base", Usage: "decide for work that began on `REV`", DefaultText: "HEAD"},
			&cli.StringFlag{Name: "session", Usage: "decide for the session `ID`, which may be abbreviated",
				DefaultText: "the last active one here"},
			&cli.StringFlag{Name: "match", Usage: "`exact|fuzzy`: neither has an effect, white space never counts", Hidden: true},
			&cli.BoolFlag{Name: "explain", Usage: "show the evidence: object IDs, and the agent's lines found and not found"},
			&cli.BoolFlag{Name: "all", Usage: "list every stream with its score"},
			&cli.BoolFlag{Name: "json", Usage: "print JSON"},
			colourFlag(),
		},
		Action: withEnvironment(takes(0), func(c *cli.Context, e workspace.Env) error {
			q := turns.Question{Base: c.String("base"), Session: c.String("session"), All: c.Bool("all") || c.Bool("explain")}
			if m := c.String("match"); m != "" && m != "exact" && m != "fuzzy" {
				return usagef("unknown match %q\nhint: --match exact, or --match fuzzy", m)
			}
			answer, texts, done, err := turns.DecideSuffix(c.Context, e, q)
			if err != nil {
				return err
			}
			defer done()
			if c.Bool("json") {
				return printJSON(c.App.Writer, answer)
			}
			p := colourPrinter{w: c.App.Writer, texts: texts, screen: screenOf(c)}
			p.answer(answer)
			if c.Bool("all") || c.Bool("explain") {
				p.streams(answer, c.Bool("explain"))
			}
			return nil
		}),
	}
}

// colourPrinter prints lines in colours.
type colourPrinter struct {
	screen
	w     io.Writer
	texts suffix.Texts
}

// Colours of diffs, as git has them.
const (
	red   = "\x1b[31m"
	green = "\x1b[32m"
	cyan  = "\x1b[36m"
	bold  = "\x1b[1m"
	reset = "\x1b[m"
)

func (p *colourPrinter) line(colour, format string, args ...any) {
	fmt.Fprintln(p.w, p.in(colour, fmt.Sprintf(format, args...)))
}

func (p *colourPrinter) answer(a *turns.Answer) {
	what := "continues"
	if a.IsNew {
		what = "starts"
	}
	p.line(bold, "suffix %d: the next checkpoint %s %s", a.Suffix, what, a.Stream)
	p.line("", "reason: %s", a.Reason)
	p.line("", "otherwise: %s", a.Otherwise)
}

func (p *colourPrinter) streams(a *turns.Answer, evidence bool) {
	p.line("", "base %s, evidence: %s", a.Base, a.Evidence)
	for _, s := range a.Streams {
		p.line(bold, "%s: %s, %.0f%% of its work", s.Branch, s.Reason, 100*s.Score)
		if s.Err != "" {
			p.line(red, "  %s", s.Err)
		}
		if !evidence {
			continue
		}
		for _, f := range s.Files {
			p.file(f)
		}
	}
}

func (p *colourPrinter) file(f suffix.File) {
	verdict, colour := "absent", red
	if f.Present {
		verdict, colour = "present", green
	}
	if f.Weak {
		verdict += " (weak evidence)"
	}
	p.line(colour, "  %s: %s, by %s", f.Path.Display(), verdict, f.Evidence)
	p.line("", "    base     %s", entry(f.Before.Mode, string(f.Before.ID)))
	p.line("", "    shadow   %s", entry(f.After.Mode, string(f.After.ID)))
	p.line("", "    worktree %s", entry(f.Now.Mode, string(f.Now.ID)))
	unit := "line"
	if f.Evidence == suffix.ByOrder {
		unit = "line pair"
	}
	for _, part := range []struct {
		title string
		lines []string
	}{
		{"added by the agent, found", f.AddedFound}, {"added by the agent, not found", f.AddedMissing},
		{"removed by the agent, still absent", f.RemovedAbsent}, {"removed by the agent, present again", f.RemovedRestored},
	} {
		if len(part.lines) > 0 {
			p.line("", "    %s: %s", part.title, amount.Of(len(part.lines), unit))
		}
	}
	if f.Evidence == suffix.ByLines || f.Evidence == suffix.ByOrder {
		p.diff(f)
	}
}

func entry(mode, id string) string {
	if mode == "" {
		return "(absent)"
	}
	return mode + " " + id
}

// longestDiff is the limit of lines for a diff here. git diff is faster on longer files.
const longestDiff = 2000

// diff prints the diff from the agent's version to the worktree's.
func (p *colourPrinter) diff(f suffix.File) {
	after, _, err := p.texts.Lines(f.After)
	now, _, err2 := p.texts.Lines(f.Now)
	if err != nil || err2 != nil {
		return
	}
	if len(after)+len(now) > longestDiff {
		p.line("", "    too long to show; after git add: git diff %s %s", f.After.ID, f.Now.ID)
		return
	}
	text, _ := difflib.GetUnifiedDiffString(difflib.UnifiedDiff{A: ended(after), B: ended(now), Context: 2,
		FromFile: "shadow/" + f.Path.Display(), ToFile: "worktree/" + f.Path.Display()})
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		colour := map[byte]string{'+': green, '-': red, '@': cyan}[(line + " ")[0]]
		p.line(colour, "    %s", printable(line))
	}
}

func ended(lines []string) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = l + "\n"
	}
	return out
}

// printable makes a line of a file harmless in a terminal.
func printable(s string) string {
	return strings.ReplaceAll(gitexec.Harmless(s), "\n", string(utf8.RuneError))
}
