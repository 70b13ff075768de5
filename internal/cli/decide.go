package cli

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/pmezard/go-difflib/difflib"
	"github.com/urfave/cli/v2"

	"entire-plumb/gitexec"
	"entire-plumb/hooks"
	"entire-plumb/suffix"
)

func decideCommand() *cli.Command {
	return &cli.Command{
		Name:  "decide-suffix",
		Usage: "say which stream the next checkpoint would go to, and why",
		Description: "Answers for the present worktree (while an agent's turn is going on: for the worktree as it was when the\n" +
			"turn began), and writes nothing. The reasons, and the JSON, are explained in docs/streams.md.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "base", Usage: "the commit that the work began on, as `REV`", DefaultText: "HEAD"},
			&cli.StringFlag{Name: "session", Usage: "the session that asks, whose ID begins with `ID`", DefaultText: "the last one heard of here"},
			&cli.StringFlag{Name: "match", Usage: "how lines are compared: `exact|fuzzy`", DefaultText: "the setting"},
			&cli.BoolFlag{Name: "explain", Usage: "show the evidence: object IDs, and the agent's lines found and not found"},
			&cli.BoolFlag{Name: "all", Usage: "list every stream with its score"},
			&cli.BoolFlag{Name: "json", Usage: "print JSON"},
			&cli.StringFlag{Name: "color", Usage: "colours, `WHEN`: auto, always or never", Value: "auto"},
		},
		Action: func(c *cli.Context) error {
			if err := noArguments(c); err != nil {
				return err
			}
			q := hooks.Question{Base: c.String("base"), Session: c.String("session"), Match: suffix.Match(c.String("match")), All: c.Bool("all") || c.Bool("explain")}
			if q.Match != "" && q.Match != suffix.Exact && q.Match != suffix.Fuzzy {
				return usagef("--match knows no %q\nhint: exact or fuzzy", q.Match)
			}
			e, err := environment(c)
			if err != nil {
				return err
			}
			answer, texts, done, err := e.DecideSuffix(c.Context, q)
			if err != nil {
				return err
			}
			defer done()
			if c.Bool("json") {
				return printJSON(c.App.Writer, answer)
			}
			p := explainer{w: c.App.Writer, texts: texts, colour: wantsColour(c)}
			p.answer(answer)
			if c.Bool("all") || c.Bool("explain") {
				p.streams(answer, c.Bool("explain"))
			}
			return p.err
		},
	}
}

// wantsColour is --color, or, on auto, whether a terminal reads that takes colours.
func wantsColour(c *cli.Context) bool {
	switch c.String("color") {
	case "always":
		return true
	case "never":
		return false
	}
	p, ok := c.App.Writer.(*printer)
	return ok && p.takesColours()
}

// explainer prints a decision for people.
type explainer struct {
	w      io.Writer
	texts  suffix.Texts
	colour bool
	err    error
}

// Colours of diffs, as git has them.
const (
	red   = "\x1b[31m"
	green = "\x1b[32m"
	cyan  = "\x1b[36m"
	bold  = "\x1b[1m"
	reset = "\x1b[m"
)

func (p *explainer) line(colour, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if p.colour && colour != "" {
		text = colour + text + reset
	}
	if _, err := fmt.Fprintln(p.w, text); err != nil && p.err == nil {
		p.err = err
	}
}

func (p *explainer) answer(a *hooks.Answer) {
	what := "goes on with"
	if a.IsNew {
		what = "begins"
	}
	p.line(bold, "suffix %d: the next checkpoint %s %s", a.Suffix, what, a.Stream)
	p.line("", "reason: %s", a.Reason)
	p.line("", "otherwise: %s", a.Otherwise)
}

func (p *explainer) streams(a *hooks.Answer, evidence bool) {
	p.line("", "base %s, lines compared %s, evidence: the %s", a.Base, exactly(a.Match), a.Evidence)
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

func exactly(m suffix.Match) string {
	if m == suffix.Fuzzy {
		return "without white space"
	}
	return "exactly"
}

func (p *explainer) file(f suffix.File) {
	verdict, colour := "not there", red
	if f.Present {
		verdict, colour = "there", green
	}
	if f.Weak {
		verdict += ", though that is weak evidence"
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
		{"taken out by the agent, still out", f.RemovedAbsent}, {"taken out by the agent, back", f.RemovedRestored},
	} {
		if len(part.lines) > 0 {
			p.line("", "    %s: %s", part.title, plural(len(part.lines), unit))
		}
	}
	if f.Evidence == suffix.ByLines || f.Evidence == suffix.ByOrder {
		p.diff(f)
	}
}

func entry(mode, id string) string {
	if mode == "" {
		return "(not there)"
	}
	return mode + " " + id
}

// longestDiff is the number of lines up to which a difference is shown here: beyond it git's own
// diff is the tool.
const longestDiff = 2000

// diff shows from the agent's version to the worktree's.
func (p *explainer) diff(f suffix.File) {
	after, _, err := p.texts.Lines(f.After)
	now, _, err2 := p.texts.Lines(f.Now)
	if err != nil || err2 != nil {
		return
	}
	if len(after)+len(now) > longestDiff {
		p.line("", "    too long to show here: git diff %s %s, once git add has stored the file", f.After.ID, f.Now.ID)
		return
	}
	text, err := difflib.GetUnifiedDiffString(difflib.UnifiedDiff{A: ended(after), B: ended(now), FromFile: "shadow/" + f.Path.Display(), ToFile: "worktree/" + f.Path.Display(), Context: 2})
	if err != nil {
		p.err = err
		return
	}
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
