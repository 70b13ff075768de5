package report

import (
	"cmp"
	"fmt"
	"html/template"
	"strconv"
	"strings"
	"time"

	"entire-plumb/internal/amount"
	"entire-plumb/internal/brief"
	"entire-plumb/internal/ledger"
)

func functions() template.FuncMap {
	return template.FuncMap{
		"kind": kind, "short": short, "by": byline, "words": words, "shares": shares, "percent": percent, "count": strconv.Itoa, "brief": amount.Tokens,
		"calls": func(n int) string { return amount.Of(n, "call") }, "lines": func(n int) string { return amount.Of(n, "line") },
		"files": files, "turns": turns, "one": func(p Page) bool { return len(p.Chapters) == 1 }, "inc": func(i int) int { return i + 1 },
		"timeline": func(p Page) []moment { return timeline(p.Sessions) }, "turnIndex": turnIndex, "fileIndex": fileIndex,
		"lanes": lanes, "sessionWeeks": sessionWeeks, "weekRows": weekRows,
		"turnsOf": func(n int) string { return amount.Of(n, "turn") }, "commits": func(n int) string { return amount.Of(n, "commit") },
		"rejected": rejected, "usd": usd, "add": func(a, b int) int { return a + b }, "sum": func(p Page) bool { return p.Summary != nil && (p.Kind == "range" || len(p.Chapters) > 1) },
		"few":    func(all []FileSum) indexed[FileSum] { return few(all, mostListedFiles) },
		"moment": momentAt, "letter": letter, "line": preview, "uses": uses, "tint": tint, "long": long, "runs": runs, "with2": func(r run, p Page) onPage { return onPage{r, p} }, "steps": steps, "facts": facts,
		"chapter": chapter, "chapterName": chapterName, "head": head, "small": func(f File) bool { return rowsOf(f) <= mostOpen }, "rows": rows,
		"chunks": chunks, "widest": widest, "broad": broad,
	}
}

// mostOpen is how many rows a file may have to be unfolded.
const mostOpen = 400

func kind(k string) string {
	return map[string]string{"commit": "Commit", "checkpoint": "Checkpoint", "stream": "Checkpoint on a stream", "session": "Session", "range": "Commits"}[k]
}

func short(id string) string {
	if cut, more := brief.Truncate(id, 12); more > 0 {
		return cut + "…"
	}
	return id
}

// byline lists the page's branch, agents, author and date.
func byline(p Page) []string {
	var facts []string
	add := func(s string) {
		if s != "" {
			facts = append(facts, s)
		}
	}
	if p.Branch != "" {
		add("on " + p.Branch)
	}
	// A session whose agent is not known names none.
	seen := map[string]bool{"": true}
	for _, s := range p.Sessions {
		agent := s.Agent
		if s.Model != "" {
			agent = strings.TrimSpace(agent + " (" + s.Model + ")")
		}
		if !seen[agent] {
			seen[agent] = true
			add(agent)
		}
	}
	if len(p.Chapters) == 1 && p.Chapters[0].Commit != nil {
		c := p.Chapters[0].Commit
		add(c.Author)
		add(c.When.UTC().Format("2006-01-02 15:04 UTC"))
	} else if n := len(p.Chapters); n > 1 {
		add(amount.Of(n, "part"))
	}
	return facts
}

// share is one kind of author's share of lines: in percent of those with a known author. From and
// Width are its part of the bar, which has all lines.
type share struct {
	Kind, Mark, Label, Percent string
	From, Width                float64
	Lines                      int
}

func shares(l Lines) []share {
	var all []share
	l = l.brought()
	from := 0.0
	for _, s := range []share{
		{Kind: Agent, Mark: "A", Label: "agent", Lines: l.Agent},
		{Kind: Other, Mark: "B", Label: "other sessions", Lines: l.Other},
		{Kind: Human, Mark: "H", Label: "human", Lines: l.Human},
		{Kind: Unknown, Mark: "?", Label: "unknown", Lines: l.Unknown},
	} {
		if s.Lines > 0 {
			s.From, s.Width = from, 100*float64(s.Lines)/float64(l.All())
			// Percents are of the lines whose author is known.
			if s.Kind != Unknown {
				s.Percent = fmt.Sprintf("%.0f %%", ledger.Percent(s.Lines, l.All()-l.Unknown))
			}
			from += s.Width
			all = append(all, s)
		}
	}
	return all
}

func words(l Lines) string {
	var all []string
	for _, s := range shares(l) {
		all = append(all, s.Label+" "+cmp.Or(s.Percent, amount.Of(s.Lines, "line")))
	}
	return "New lines: " + strings.Join(all, ", ")
}

// percent is the share of all agents.
func percent(l Lines) string { return l.sum().Share() }

// files counts the files of all chapters, each once. Files that are not shown have no name here,
// and may count twice.
func files(p Page) int {
	n := 0
	seen := map[string]bool{}
	for _, c := range p.Chapters {
		for _, f := range c.Files {
			seen[f.Path] = true
		}
		n += c.MoreFiles
	}
	return n + len(seen)
}

func turns(p Page) int {
	n := 0
	for _, s := range p.Sessions {
		for _, t := range s.Turns {
			if t.Here() {
				n++
			}
		}
	}
	return n
}

// onPage is a run with its page.
type onPage struct {
	run
	Page Page
}

func chapter(p Page, name string) string {
	for i, c := range p.Chapters {
		if c.Name == name {
			return fmt.Sprintf("c%d", i+1)
		}
	}
	return "main"
}

// chapterName is what a reader knows a chapter by.
func chapterName(p Page, name string) string {
	for _, c := range p.Chapters {
		if c.Name == name && c.Commit != nil {
			return c.Commit.Short() + " " + c.Commit.Subject
		}
	}
	return name
}

// fact is a short text on a turn, with a tooltip.
type fact struct{ Text, Title string }

func facts(t Turn) []fact {
	var all []fact
	if !t.Began.IsZero() {
		all = append(all, fact{t.Began.UTC().Format("2006-01-02 15:04 UTC"), ""})
	}
	if t.Seconds > 0 {
		all = append(all, fact{seconds(t.Seconds), "from the prompt to the last answer"})
	}
	if u := t.Tokens; u.APICallCount > 0 {
		text := fmt.Sprintf("tokens: %s in, %s out", amount.Tokens(u.InputTokens), amount.Tokens(u.OutputTokens))
		if u.CacheReadTokens > 0 {
			text += ", " + amount.Tokens(u.CacheReadTokens) + " cached"
		}
		all = append(all, fact{text, u.Text()})
	}
	if t.Lines > 0 {
		all = append(all, fact{amount.Of(t.Lines, "line"), "of this turn"})
	}
	return all
}

func seconds(s float64) string {
	d := time.Duration(s * float64(time.Second))
	if d > 10*time.Minute {
		return strings.TrimSuffix(d.Round(time.Minute).String(), "0s")
	}
	return d.Round(time.Second).String()
}

// Longer texts are folded.
const (
	mostText  = 700 // bytes
	mostLines = 12
	headText  = 280
	headLines = 4
)

func long(text string) bool { return len(text) > mostText || strings.Count(text, "\n") > mostLines }

// head is the beginning of a long text.
func head(text string) string {
	text, _ = brief.Truncate(brief.FirstLines(text, headLines), headText)
	return strings.TrimSpace(text)
}

func rowsOf(f File) int {
	n := 0
	for _, h := range f.Hunks {
		n += len(h.Rows)
	}
	return n
}

func rows(f File) string { return amount.Of(rowsOf(f), "line") + " shown" }

// preview is the beginning of a text in one line, for an index.
func preview(text string) string {
	const most = 80
	// A prompt may be long: only what can be in the line is made one.
	text, _ = brief.Truncate(text, 4*most)
	cut, more := brief.Truncate(oneLine(text), most)
	if more > 0 {
		return cut + "…"
	}
	return cut
}

// uses says how often a turn used tools.
func uses(t Turn) string {
	text := amount.Of(len(t.Uses)+t.MoreUses, "use") + " of tools"
	if t.MoreUses > 0 {
		text += fmt.Sprintf(", %d not shown", t.MoreUses)
	}
	return text
}

// usd is what something cost.
func usd(c Cost) string {
	if c.USD == 0 {
		return "–"
	}
	return amount.USD(c.USD)
}

// momentAt is the turn of a place on the page.
func momentAt(all []moment, place string) *moment {
	for i := range all {
		if all[i].ID == place {
			return &all[i]
		}
	}
	return nil
}
