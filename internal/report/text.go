package report

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"entire-plumb/internal/amount"
	"entire-plumb/internal/attribution"
	"entire-plumb/internal/brief"
)

// WriteText writes what a page adds up to as text, or as Markdown: what was asked, in order, what
// each session did, the lines, the files that only agents touched, and the commits.
func WriteText(w io.Writer, p Page, markdown bool) error {
	out := bufio.NewWriter(w)
	t := text{Writer: out, markdown: markdown}
	t.line("%s", t.strong(p.Title))
	t.share(p)
	t.asked(p)
	t.sessions(p)
	t.files(p)
	t.commits(p)
	for _, note := range p.Notes {
		t.line("\n%s", t.quote(note))
	}
	return out.Flush()
}

// text prints one page.
type text struct {
	io.Writer
	markdown bool
}

func (t text) line(format string, args ...any) { fmt.Fprintf(t, format+"\n", args...) }

func (t text) heading(title string) {
	if t.markdown {
		t.line("\n### %s\n", title)
	} else {
		t.line("\n%s", title)
	}
}

func (t text) item(format string, args ...any) {
	mark := "  "
	if t.markdown {
		mark = "- "
	}
	t.line(mark+format, args...)
}

func (t text) strong(s string) string {
	if t.markdown {
		return "**" + t.quote(s) + "**"
	}
	return s
}

// quote is words of others. In Markdown they are code: nothing in them is markup, and a name in
// them notifies no one.
func (t text) quote(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if !t.markdown || s == "" {
		return s
	}
	fence := brief.Fence(1, s)
	if len(fence) > 1 {
		// Markdown takes one blank on each side off: else a backquote at the end of the text would
		// be of the fence.
		return fence + " " + s + " " + fence
	}
	return fence + s + fence
}

// mostQuoted limits a prompt in a summary, in bytes.
const mostQuoted = 300

func quoted(prompt string) string {
	cut, more := brief.Truncate(strings.TrimSpace(prompt), mostQuoted)
	if more > 0 {
		cut += " …"
	}
	return cut
}

// share is the agents' share, and what is counted apart.
func (t text) share(p Page) {
	sum, apart := p.Share(), p.generated()
	t.line("")
	t.line("Agents wrote %d of %s: %s. Human %d, unknown %d, removed %d.", sum.Agent, amount.Of(sum.All(), "line"), sum.Share(), sum.Human, sum.Unknown,
		p.Counted().Removed)
	if p.Lines.Moved > 0 {
		t.line("Lines that commits without a link only move or format, apart: %d.", p.Lines.Moved)
	}
	if p.Lines.Again > 0 {
		t.line("Lines that commits bring again, apart: %d.", p.Lines.Again)
	}
	if apart.All() > 0 {
		t.line("Generated and vendored files, apart: %s.", amount.Of(apart.All(), "line"))
	}
	if c := p.Summary.Cost; c.Known() {
		t.line("Cost by list prices of %s: %s.", c.Day, amount.Cost(c.USD, c.Unpriced))
	}
}

// Share is the agents' share of the lines of a page, without generated and vendored files.
func (p Page) Share() attribution.Sum {
	return p.Counted().sum()
}

// Counted are the lines of a page without those in generated and vendored files.
func (p Page) Counted() Lines {
	l, apart := p.Lines, p.generated()
	l.Agent, l.Other, l.Human, l.Unknown, l.Removed = l.Agent-apart.Agent, l.Other-apart.Other, l.Human-apart.Human, l.Unknown-apart.Unknown, l.Removed-apart.Removed
	return l
}

// Generated is how many lines are in generated and vendored files.
func (p Page) Generated() int { return p.generated().All() }

// generated are the lines in generated and vendored files.
func (p Page) generated() (l Lines) {
	if p.Summary == nil {
		return l
	}
	for _, f := range p.Summary.Files {
		if f.Generated {
			l.Add(f.Lines)
		}
	}
	return l
}

// asked are the prompts, in the order of time.
func (t text) asked(p Page) {
	turns := slices.DeleteFunc(timeline(p.Sessions), func(m moment) bool { return !m.Here() })
	if len(turns) == 0 {
		return
	}
	t.heading("What was asked")
	for i, m := range turns {
		when := ""
		if !m.Began.IsZero() {
			when = m.Began.Local().Format("2006-01-02 15:04") + " "
		}
		number := fmt.Sprintf("  %d. ", i+1)
		if t.markdown {
			number = fmt.Sprintf("%d. ", i+1)
		}
		t.line("%s%s%s (%s)", number, when, t.quote(quoted(m.Prompt)), became(m))
	}
}

// became says what became of a turn.
func became(m moment) string {
	switch {
	case m.Dismissed != "", m.Gone:
		return m.Mark + ", dismissed"
	case m.Turn.Lines > 0:
		return m.Mark + ", " + amount.Of(m.Turn.Lines, "line")
	}
	return m.Mark + ", no lines"
}

// sessions says what each session did.
func (t text) sessions(p Page) {
	if len(p.Summary.Sessions) == 0 {
		return
	}
	t.heading("Sessions")
	for i, s := range p.Summary.Sessions {
		of := p.Sessions[i]
		who := cmp.Or(of.Agent, "agent")
		if of.Model != "" {
			who += " (" + of.Model + ")"
		}
		cost := ""
		if s.Cost.Known() {
			cost = ", " + usd(s.Cost)
		}
		t.item("%s: %s, session %s: %s in %s, %s in %s, %s tokens%s", letter(i), t.quote(who), t.quote(s.ID), amount.Of(s.Turns, "turn"), amount.Of(s.Commits, "commit"),
			amount.Of(s.Lines, "line"), amount.Of(s.Files, "file"), amount.Tokens(s.Tokens.All()), cost)
	}
}

// mostNamed is how many files of a kind a summary names.
const mostNamed = 50

// files lists the files, those first that only agents touched.
func (t text) files(p Page) {
	for _, kind := range []struct {
		title string
		is    func(FileSum) bool
	}{
		{"Files that only an agent touched", func(f FileSum) bool { return f.Only && !f.Generated }},
		{"Other files", func(f FileSum) bool { return !f.Only && !f.Generated }},
		{"Generated and vendored files", func(f FileSum) bool { return f.Generated }},
	} {
		n := 0
		for _, f := range p.Summary.Files {
			if !kind.is(f) {
				continue
			}
			if n++; n == 1 {
				t.heading(kind.title)
			}
			// All are counted, and only these named.
			if n <= mostNamed {
				l := f.Lines.anyAgents()
				t.item("%s: agent %d, human %d, unknown %d, removed %d", t.quote(f.Path), l.Agent, l.Human, l.Unknown, l.Removed)
			}
		}
		if n > mostNamed {
			t.item("and %s", amount.Of(n-mostNamed, "more file"))
		}
	}
}

// commits lists the commits with their checkpoints.
func (t text) commits(p Page) {
	n := 0
	for _, c := range p.Chapters {
		if c.Commit == nil {
			continue
		}
		if n++; n == 1 {
			t.heading("Commits")
		}
		links := "no link"
		if len(c.Checkpoints) > 0 {
			links = strings.Join(c.Checkpoints, ", ")
		}
		t.item("%s %s (%s; %s)", c.Commit.Short(), t.quote(c.Commit.Subject), c.Lines.sum().Share(), links)
	}
}

// CommitsOf are the commits of a page.
func CommitsOf(p Page) []CommitSum {
	all := []CommitSum{}
	for _, c := range p.Chapters {
		if c.Commit != nil {
			all = append(all, CommitSum{*c.Commit, c.Lines, c.Checkpoints})
		}
	}
	return all
}

// CommitSum is a commit with its lines.
type CommitSum struct {
	Commit
	Lines       Lines    `json:"lines"`
	Checkpoints []string `json:"checkpoints"`
}
