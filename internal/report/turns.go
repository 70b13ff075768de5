package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"sort"
	"strings"

	"entire-plumb/internal/transcript"
	"entire-plumb/shadow"
)

// turnOn is a turn on the page, with its prompt as checkpoints describe it.
type turnOn struct {
	Turn
	described string
	queued    bool // entered while the agent was at work on the one before
}

// turnsOf reads a transcript turn by turn.
func turnsOf(from transcript.Stored, each func(transcript.Turn) error) error {
	return transcript.ReadStored(from, func(in io.Reader) error {
		_, err := transcript.Turns(in, transcript.Limits{Prompt: mostPrompt, Said: mostSaid}, each)
		return err
	})
}

func turnOf(one transcript.Turn) turnOn {
	t := turnOn{described: shadow.Describe(one.Prompt), queued: one.Queued}
	t.Turn = Turn{Prompt: clean(one.Prompt), Began: one.Began, Tokens: one.Usage, LeftOut: one.LeftOut,
		Said: []Words{}, Tools: []transcript.Tool{}}
	if !one.Began.IsZero() && one.Ended.After(one.Began) {
		t.Seconds = one.Ended.Sub(one.Began).Seconds()
	}
	for _, w := range one.Said {
		t.Said = append(t.Said, Words{Who: w.Who, Text: clean(w.Text)})
	}
	for _, tool := range one.Tools {
		t.Tools = append(t.Tools, transcript.Tool{Name: oneLine(tool.Name), Times: tool.Times})
	}
	return t
}

// shorten shortens a turn outside of the page's subject to the beginning of its prompt.
func (t *turnOn) shorten() {
	if t.Here() {
		return
	}
	t.strip()
	t.LeftOut = 0
	if cut, more := truncate(t.Prompt, mostBefore); more > 0 {
		t.Prompt = cut + "…"
	}
}

func (t *turnOn) words() int {
	n := 0
	for _, w := range t.Said {
		n += len(w.Text)
	}
	return n
}

// strip drops the answers, and returns their size in bytes.
func (t *turnOn) strip() int {
	n := t.words()
	t.LeftOut += n
	t.Said = []Words{}
	return n
}

// assign sorts a chapter's owners, and gives them their marks.
func (g *reporter) assign(c *draft) {
	letters := "ABCDEFGIJKLMNOPQRSTUVWXYZ" // H is the human
	place := map[string]int{}
	for _, t := range g.talks {
		place[t.id] = len(place)
	}
	for _, k := range c.parts { // sessions of this chapter only
		if _, ok := place[k.SessionID]; !ok {
			place[k.SessionID] = len(place)
		}
	}
	var others []string // whose lines the commit moves, or formats
	for _, o := range c.owners {
		if _, ok := place[o.Session]; !ok && (o.Kind == Agent || o.Kind == Other) && !slices.Contains(others, o.Session) {
			others = append(others, o.Session)
		}
	}
	slices.Sort(others)
	for _, session := range others {
		place[session] = len(place)
	}
	for _, o := range c.owners {
		sort.Ints(o.Numbers)
		if o.Kind == Agent || o.Kind == Other {
			o.Mark = letters[min(place[o.Session], len(letters)-1):][:1] + numbers(o.Numbers)
		}
		c.Owners = append(c.Owners, o)
	}
	for i := range c.Files {
		for j := range c.Files[i].Hunks {
			for k := range c.Files[i].Hunks[j].Rows {
				rows := c.Files[i].Hunks[j].Rows
				if o := rows[k].Owner; o != nil {
					rows[k].Mark, rows[k].Leads = o.Mark, k == 0 || rows[k-1].Owner != o
				}
			}
		}
	}
	first := func(o *Owner) int {
		if len(o.Numbers) > 0 {
			return o.Numbers[0]
		}
		return mostTurns
	}
	slices.SortFunc(c.Owners, func(a, b *Owner) int {
		return cmp.Or(cmp.Compare(rank(a.Kind), rank(b.Kind)), cmp.Compare(place[a.Session], place[b.Session]),
			cmp.Compare(first(a), first(b)), strings.Compare(a.Turn, b.Turn))
	})
}

// rank sorts agents before the human.
func rank(kind string) int {
	return slices.Index([]string{Agent, Other, Human, Unknown}, kind)
}

// numbers formats the turns that lines may be of.
func numbers(turns []int) string {
	var all []string
	for _, n := range turns {
		all = append(all, fmt.Sprint(n))
	}
	if len(all) > 2 {
		return all[0] + "…"
	}
	return strings.Join(all, ",")
}
