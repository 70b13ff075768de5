package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"sort"
	"strings"

	"entire-plumb/internal/brief"
	"entire-plumb/internal/transcript"
	"entire-plumb/shadow"
)

// turnOn is a turn on the page, with its prompt as checkpoints describe it.
type turnOn struct {
	Turn
	described string
	queued    bool           // entered while the agent was at work on the one before
	touched   map[string]int // its lines by file
	committed bool           // a commit may have lines of it
	wrote     bool           // its tools wrote files
}

// turnsOf reads a transcript turn by turn.
func turnsOf(from transcript.Stored, each func(transcript.Turn) error) error {
	return transcript.ReadStored(from, func(in io.Reader) error {
		return transcript.Turns(in, transcript.Limits{Prompt: mostPrompt, Said: mostSaid, Uses: mostUses}, each)
	})
}

func turnOf(one transcript.Turn) turnOn {
	t := turnOn{described: shadow.Describe(one.Prompt), queued: one.Queued}
	t.Turn = Turn{Prompt: clean(one.Prompt), Began: one.Began, Tokens: one.Usage, LeftOut: one.LeftOut,
		Said: []Words{}, Tools: []transcript.Tool{}, Files: []TurnFile{}}
	if !one.Began.IsZero() && one.Ended.After(one.Began) {
		t.Seconds = one.Ended.Sub(one.Began).Seconds()
	}
	for _, w := range one.Said {
		t.Said = append(t.Said, Words{Who: w.Who, Text: clean(w.Text)})
	}
	t.Uses, t.MoreUses = asked(one.Uses)
	t.MoreUses += one.UsesLeftOut
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
	// Nothing was left out for want of room: it is not the page's subject.
	t.LeftOut, t.MoreUses = 0, 0
	if cut, more := brief.Truncate(t.Prompt, mostBefore); more > 0 {
		t.Prompt = cut + "…"
	}
}

func (t *turnOn) words() int {
	n := 0
	for _, w := range t.Said {
		n += len(w.Text)
	}
	for _, u := range t.Uses {
		n += len(u.Name) + len(u.File) + len(u.Command)
	}
	return n
}

// strip drops the answers and the uses of tools, and returns their size in bytes.
func (t *turnOn) strip() int {
	n := t.words()
	t.LeftOut += n
	t.MoreUses += len(t.Uses)
	t.Said, t.Uses = []Words{}, []transcript.ToolUse{}
	return n
}

// assign sorts a chapter's owners, and gives them their marks.
func (g *reporter) assign(c *draft) {
	place := places(g.talks, c)
	for _, o := range c.owners {
		sort.Ints(o.Numbers)
		if o.isAgent() {
			o.Mark, o.Tint = letter(place[o.Session])+numbers(o.Numbers), tint(place[o.Session])
		}
		c.Owners = append(c.Owners, o)
	}
	slices.SortFunc(c.Owners, func(a, b *Owner) int {
		return cmp.Or(cmp.Compare(rank(a.Kind), rank(b.Kind)), cmp.Compare(place[a.Session], place[b.Session]),
			cmp.Compare(a.first(), b.first()), strings.Compare(a.Turn, b.Turn))
	})
	for _, f := range c.Files {
		for _, h := range f.Hunks {
			markRows(h.Rows)
		}
	}
}

// places numbers the sessions: those of the page, those of this chapter only, and then those whose
// lines the commit moves, or formats.
func places(talks []*talk, c *draft) map[string]int {
	place := map[string]int{}
	add := func(session string) {
		if _, ok := place[session]; !ok {
			place[session] = len(place)
		}
	}
	for _, t := range talks {
		add(t.id)
	}
	for _, k := range c.parts {
		add(k.SessionID)
	}
	var others []string
	for _, o := range c.owners {
		if o.isAgent() {
			others = append(others, o.Session)
		}
	}
	slices.Sort(others)
	for _, session := range others {
		add(session)
	}
	return place
}

func (o *Owner) isAgent() bool { return o.Kind == Agent || o.Kind == Other }

// once is how many of an owner's lines no older chapter brings, without those that are counted
// apart.
func (o *Owner) once() int {
	n := o.Lines - o.apart
	for _, again := range o.again {
		n -= again
	}
	return n
}

// first is the number of the first turn that an owner's lines may be of.
func (o *Owner) first() int {
	if len(o.Numbers) > 0 {
		return o.Numbers[0]
	}
	return mostTurns
}

// markRows gives rows the marks of their owners. A row leads where the one before has another
// owner.
func markRows(rows []Row) {
	for i := range rows {
		if o := rows[i].Owner; o != nil {
			rows[i].Mark, rows[i].Leads = o.Mark, i == 0 || rows[i-1].Owner != o
		}
	}
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
		// A mark stands beside each line, where there is room for a few characters.
		return all[0] + "…"
	}
	return strings.Join(all, ",")
}
