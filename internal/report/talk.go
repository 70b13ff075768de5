package report

import (
	"context"
	"fmt"
	"slices"

	"entire-plumb/internal/brief"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/query"
	"entire-plumb/internal/sets"
	"entire-plumb/internal/transcript"
	"entire-plumb/shadow"
)

// Limits of a conversation on a page.
const (
	mostTurns  = 1000     // the last ones
	mostPrompt = 16 << 10 // bytes of a prompt
	mostSaid   = 32 << 10 // bytes of the answers in one turn
	mostWords  = 2 << 20  // bytes of the answers in all turns of a session: the last ones are kept
	mostBefore = 600      // bytes of a prompt outside of the report's subject
)

// talk is an unfinished conversation of a session.
type talk struct {
	id, agent, model string
	spans            []span
	stored           transcript.Stored // the longest version of its transcript
	prompts          []string
	start            int // of that version's part

	turns []turnOn
}

// span is a chapter's part of a conversation: in lines of the transcript, and in prompts.
type span struct {
	of          string
	start, end  int
	first, last int // prompts before it, and with it
}

func (g *reporter) talk(id string) *talk {
	for _, t := range g.talks {
		if t.id == id {
			return t
		}
	}
	t := &talk{id: id}
	g.talks = append(g.talks, t)
	return t
}

// add adds a chapter's part of the transcript. Chapters are added in order.
func (t *talk) add(c *draft, start int, part query.ShownPart) {
	t.spans = append(t.spans, span{of: c.Name, start: start, first: min(part.CheckpointPromptStart, max(0, len(part.Prompts)-1)), last: len(part.Prompts)})
	if part.Agent != "" {
		t.agent = part.Agent
	}
	if part.Model != "" {
		t.model = part.Model
	}
	// Each checkpoint repeats the conversation up to it: the longest has all of the others'.
	longer := len(part.Prompts) > len(t.prompts) || len(part.Prompts) == len(t.prompts) && start >= t.start
	if part.Stored != nil && (t.stored == nil || longer) {
		t.stored, t.prompts, t.start = part.Stored, part.Prompts, start
	}
}

// close ends each span where the next one begins.
func (t *talk) close() {
	const open = int(^uint(0) >> 1)
	for i := range t.spans {
		end := open
		for _, s := range t.spans {
			if s.start > t.spans[i].start {
				end = min(end, s.start)
			}
		}
		t.spans[i].end = end
	}
}

// chapters names the chapters of some lines of the transcript.
func (t *talk) chapters(first, last int) []string {
	names := []string{}
	for _, s := range t.spans {
		if last >= s.start && first < s.end && !slices.Contains(names, s.of) {
			names = append(names, s.of)
		}
	}
	return names
}

// trim takes turns from chapters whose part of the conversation ended before them: so many turns
// before the last one as there are prompts after it.
func (t *talk) trim(turns int) {
	for i := range t.turns {
		one := &t.turns[i]
		one.Of = slices.DeleteFunc(one.Of, func(name string) bool {
			return !slices.ContainsFunc(t.spans, func(s span) bool { return s.of == name && one.Number <= turns-(len(t.prompts)-s.last) })
		})
		one.shorten()
	}
}

// asked names the chapters that a prompt is of, counted from 1.
func (t *talk) asked(number int) []string {
	names := []string{}
	for _, s := range t.spans {
		if number > s.first && number <= s.last {
			names = sets.With(names, s.of)
		}
	}
	return names
}

// converse reads a conversation.
func (g *reporter) converse(ctx context.Context, index int, t *talk) (Session, error) {
	s := Session{ID: t.id, Agent: oneLine(t.agent), Model: oneLine(t.model), Turns: []Turn{}, Notes: []string{}}
	t.close()
	number, words, stripped := 0, 0, 0
	if t.stored != nil {
		err := turnsOf(t.stored, func(one transcript.Turn) error {
			number++
			turn := turnOf(one)
			turn.Number, turn.Of = number, t.chapters(one.First, one.Last)
			turn.shorten()
			t.turns = append(t.turns, turn)
			// The earliest turns lose their answers first: the last ones are what the page is
			// mostly read for.
			for words += turn.words(); words > mostWords; {
				if stripped == len(t.turns) {
					break
				}
				words -= t.turns[stripped].strip()
				stripped++
			}
			if len(t.turns) > mostTurns {
				words -= t.turns[0].strip()
				t.turns, s.Dropped, stripped = t.turns[1:], s.Dropped+1, max(0, stripped-1)
			}
			return ctx.Err()
		})
		if ctx.Err() != nil {
			return s, ctx.Err()
		}
		// It counts from the last turn, and only now it is known how many there are.
		t.trim(number)
		if why := checkpoints.Withheld(err); why != "" {
			s.Notes, s.Withheld = append(s.Notes, clean(why)), true
		} else if err != nil {
			g.damaged(err)
			s.Notes = append(s.Notes, clean(fmt.Sprintf("The transcript is damaged: %v", err)))
		}
	}
	alone := len(t.turns) == 0
	if alone {
		t.fromPrompts()
		if len(t.turns) > 0 {
			s.Notes = append(s.Notes, "The transcript is missing, or its format is unknown: only the prompts are shown.")
		} else {
			s.Notes = append(s.Notes, "Nothing of the conversation is recorded.")
		}
	}
	for i := range t.turns {
		t.turns[i].ID = fmt.Sprintf("s%d-t%d", index+1, t.turns[i].Number)
	}
	g.locate(t, alone)
	t.mark(g.fates)
	for i := range t.turns {
		one := &t.turns[i]
		one.work(g.changedIn(one.Of), g.reader.Repo.Top)
		one.Gone = !alone && one.Dismissed == "" && g.gone(t.id, *one)
	}
	for _, turn := range t.turns {
		s.Turns = append(s.Turns, turn.Turn)
	}
	return s, nil
}

// fromPrompts makes turns of the prompts, if the transcript cannot be read.
func (t *talk) fromPrompts() {
	skipped := max(0, len(t.prompts)-mostTurns)
	for i, p := range t.prompts[skipped:] {
		text, more := brief.Truncate(p, mostPrompt)
		t.turns = append(t.turns, turnOn{described: shadow.Describe(p), Turn: Turn{Number: skipped + i + 1,
			Prompt: clean(text), LeftOut: more, Of: t.asked(skipped + i + 1), Said: []Words{}, Tools: []transcript.Tool{}, Files: []TurnFile{}, Uses: []transcript.ToolUse{}}})
	}
}

// locate finds the turns of the chapters' owners on the page by their prompts. With prompts alone,
// the turns that are found become the chapter's, too.
func (g *reporter) locate(t *talk, alone bool) {
	by := byPrompt(t.turns)
	for _, c := range g.chapters {
		for line, o := range c.owners {
			if line.Session == t.id {
				found := t.inChapter(by[line.Prompt], c.Name)
				t.own(o, c.Name, found, alone)
				for _, i := range found {
					t.turns[i].committed = t.turns[i].committed || c.Commit != nil && !o.moved
				}
			}
		}
	}
}

// byPrompt are the turns by the description of their prompts. Prompts that were queued are of one
// turn of the agent's: the description of all of them up to each is all of theirs, too.
func byPrompt(turns []turnOn) map[string][]int {
	by := map[string][]int{}
	together, first := "", 0
	for i, turn := range turns {
		by[turn.described] = append(by[turn.described], i)
		if !turn.queued || i == 0 {
			first, together = i, turn.described
			continue
		}
		together = shadow.DescribeBoth(together, turn.described)
		for j := first; j <= i; j++ {
			by[together] = append(by[together], j)
		}
	}
	return by
}

// inChapter are those of some turns with equal prompts that are a chapter's, or all of them if none
// is.
func (t *talk) inChapter(found []int, chapter string) []int {
	here := slices.DeleteFunc(slices.Clone(found), func(i int) bool { return !slices.Contains(t.turns[i].Of, chapter) })
	if len(here) > 0 {
		return here
	}
	return found
}

// own notes the turns that an owner's lines may be of; a turn has them if it is the only one.
func (t *talk) own(o *Owner, chapter string, found []int, alone bool) {
	for _, i := range found {
		o.On = append(o.On, t.turns[i].ID)
		o.Numbers = append(o.Numbers, t.turns[i].Number)
		// Prompts alone don't say in which lines of the transcript they are.
		if alone && !slices.Contains(t.turns[i].Of, chapter) {
			t.turns[i].Of = append(t.turns[i].Of, chapter)
		}
		if len(found) == 1 {
			// Of several turns with equal prompts it is not known which has the lines.
			t.turns[i].Turn.Turn = o.Turn
		}
		if o.moved {
			continue
		}
		t.turns[i].owns(o, len(found) == 1)
		if len(found) == 1 {
			t.turns[i].Lines += o.once()
		}
	}
}

// owns adds the files in which a turn has lines. If other turns may have them, their number is not
// known.
func (t *turnOn) owns(o *Owner, alone bool) {
	if t.touched == nil {
		t.touched = map[string]int{}
	}
	for name, lines := range o.in {
		if lines -= o.again[name]; !alone {
			lines = 0
		}
		t.touched[name] += lines
	}
}
