package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"entire-plumb/internal/amount"
	"entire-plumb/internal/brief"
)

// BriefOfLog is BriefByCommit after the turns whose work was dismissed last, and those of other
// pages: no commit has these, and git's own log says nothing of them.
func BriefOfLog(p Page, others []brief.Item) []brief.Item {
	const first = 5
	b := briefing{page: p, turns: timeline(p.Sessions), said: map[string]bool{}}
	for _, m := range slices.Backward(b.turns) {
		// The latest of them; byCommit has the others at its end.
		if m.Dismissed != "" && len(b.items) < first {
			b.turn(m)
		}
	}
	top, all := len(b.items), b.byCommit()
	for _, one := range others {
		if !slices.ContainsFunc(all, func(o brief.Item) bool { return slices.Equal(o.Quotes, one.Quotes) }) {
			all = slices.Insert(all, top, one)
			top++
		}
	}
	return all
}

// BriefOfDismissed says for a model a turn of a page, by its session's ID and its number there, if
// its work was dismissed.
func BriefOfDismissed(p Page, session string, number int) []brief.Item {
	b := briefing{page: p, turns: timeline(p.Sessions), said: map[string]bool{}}
	for _, m := range b.turns {
		if m.Number == number && p.Sessions[m.Session].ID == session && outcome(m) == dismissed {
			b.turn(m)
		}
	}
	return b.items
}

// BriefByCommit says for a model what a page adds up to, commit by commit, the latest first, each
// with the turns whose work it has; turns whose work was dismissed come last. Of a turn that was
// named, by its recorded ID, the page says that one alone.
func BriefByCommit(p Page, turn string) []brief.Item {
	b := briefing{page: p, turns: timeline(p.Sessions), said: map[string]bool{}, only: turn}
	return b.byCommit()
}

func (b *briefing) byCommit() []brief.Item {
	for _, c := range slices.Backward(b.page.Chapters) {
		b.chapter(c)
		for _, m := range b.turns {
			if slices.Contains(m.Of, c.Name) {
				b.turn(m)
			}
		}
	}
	for _, m := range b.turns {
		if m.Dismissed != "" {
			b.turn(m)
		}
	}
	return b.items
}

// BriefOfSum says for a model what a page adds up to: the lines, the turns, those first that were
// dismissed and then those with most lines, the files, and the commits.
func BriefOfSum(p Page) []brief.Item {
	b := briefing{page: p, turns: timeline(p.Sessions), said: map[string]bool{}}
	sum := p.Share()
	b.add(fmt.Sprintf("%s: agents %d, humans %d, unknown %d lines", amount.Of(len(p.Chapters), "commit"), sum.Agent, sum.Human, sum.Unknown),
		brief.Quote{Label: "asked", Text: p.Title})
	slices.SortStableFunc(b.turns, func(x, y moment) int { return cmp.Compare(standing(y), standing(x)) })
	for _, m := range b.turns {
		if m.Here() {
			b.turn(m)
		}
	}
	b.files()
	for _, c := range slices.Backward(p.Chapters) {
		b.chapter(c)
	}
	return b.items
}

// standing sorts turns: those that were dismissed, of which the files say nothing, then the others
// by their lines.
func standing(m moment) int {
	if m.Gone || m.Dismissed != "" {
		return math.MaxInt
	}
	return m.Turn.Lines
}

// briefing collects what is said of a page.
type briefing struct {
	page  Page
	turns []moment
	said  map[string]bool // turns that are there, by their IDs on the page
	only  string          // the turn that was named; empty: all
	items []brief.Item
}

func (b *briefing) add(facts string, quotes ...brief.Quote) {
	b.items = append(b.items, brief.Item{Facts: facts, Quotes: quotes})
}

// chapter says what a commit, or uncommitted work, is.
func (b *briefing) chapter(c Chapter) {
	sum := c.Lines.sum()
	lines := fmt.Sprintf("agents %d, humans %d, unknown %d lines", sum.Agent, sum.Human, sum.Unknown)
	switch {
	// Of a turn alone the commits' sums would say what others did.
	case b.only != "":
	case c.Commit == nil && len(c.Checkpoints) > 0:
		b.add(fmt.Sprintf("checkpoint %s, which no commit here links", brief.Name(c.Checkpoints[0])))
	case c.Commit == nil:
		b.add("work that is not committed: " + lines)
	default:
		b.add(fmt.Sprintf("commit %s, %s%s: %s", brief.Name(c.Commit.Short()), c.Commit.When.Local().Format("2006-01-02"), linkNames(c.Checkpoints), lines),
			brief.Quote{Label: "subject", Text: c.Commit.Subject}, brief.Quote{Label: "author", Text: c.Commit.Author})
	}
}

func linkNames(checkpoints []string) (text string) {
	for _, id := range checkpoints {
		text += ", checkpoint " + brief.Name(id)
	}
	return text
}

// mostTurnFiles is how many files of a turn are named.
const mostTurnFiles = 5

// turn says what was asked and answered in a turn, and what became of it, each once.
func (b *briefing) turn(m moment) {
	id := m.Turn.Turn
	// A turn whose work is in several commits comes with the latest one.
	if b.said[m.ID] || b.only != "" && id != b.only {
		return
	}
	b.said[m.ID] = true
	of := b.page.Sessions[m.Session]
	facts := "turn"
	if id != "" {
		facts += " " + brief.Name(id)
	}
	if !m.Began.IsZero() {
		facts += m.Began.Local().Format(", 2006-01-02 15:04")
	}
	quotes := []brief.Quote{{Label: "prompt", Text: m.Prompt}}
	for _, said := range slices.Backward(m.Said) {
		if said.Who == "assistant" {
			quotes = append(quotes, brief.Quote{Label: "answer", Text: said.Text})
			break
		}
	}
	for _, f := range m.Turn.Files[:min(mostTurnFiles, len(m.Turn.Files))] {
		quotes = append(quotes, brief.Quote{Label: "file", Text: f.Path})
	}
	by := of.Agent
	if of.Model != "" {
		by += " (" + of.Model + ")"
	}
	b.add(facts+": "+outcome(m), append(quotes, brief.Quote{Label: "by", Text: by + ", session " + of.ID})...)
}

const dismissed = "dismissed"

// outcome says what became of a turn.
func outcome(m moment) string {
	switch {
	case m.Dismissed != "", m.Gone:
		return dismissed
	case m.Turn.Lines > 0:
		return amount.Of(m.Turn.Lines, "line")
	}
	return "no lines"
}

// files names the files, those first that only agents touched.
func (b *briefing) files() {
	var quotes []brief.Quote
	for _, f := range b.page.Summary.Files[:min(mostNamed, len(b.page.Summary.Files))] {
		quotes = append(quotes, brief.Quote{Label: "file", Text: fmt.Sprintf("%s: agents %d, humans %d, unknown %d", f.Path, f.Lines.sum().Agent, f.Lines.Human, f.Lines.Unknown)})
	}
	if len(quotes) > 0 {
		b.add(amount.Of(len(b.page.Summary.Files), "file"), quotes...)
	}
}
