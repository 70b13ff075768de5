package transcript

import (
	"context"
	"io"
	"slices"
	"strings"
	"time"
)

// Turn is what a transcript tells from one prompt to the next.
type Turn struct {
	First, Last  int // lines of the transcript, counted from 0: the prompt's, and the last one that says something
	Prompt       string
	Queued       bool      // the prompt was entered while the agent was at work on the one before
	Began, Ended time.Time // zero where the records have no time
	Said         []Words   // the assistant's and its subagents' words, in their order
	Tools        []Tool    // by first use
	Uses         []ToolUse // in their order
	UsesLeftOut  int       // that Limits kept out
	Usage        Usage
	LeftOut      int // bytes of the prompt, and of what was said, that Limits kept out
}

// Tool is how often a turn used a tool.
type Tool struct {
	Name  string `json:"name"`
	Times int    `json:"times"`
}

// Limits bounds, in bytes and uses, what Turns keeps of a turn. Figures are not bounded: they count
// everything.
type Limits struct {
	Prompt int // of one prompt
	Said   int // of what is said in one turn
	Uses   int // of tools in one turn: how many; 0: none is kept
}

const (
	mostTools    = 40 // of different names that a turn lists
	mostToolName = 80 // bytes
)

// Turns reads a transcript, turn by turn, and gives each one when it is over. Lines that are no
// records are passed over, as is what comes before the first prompt.
func Turns(in io.Reader, bound Limits, each func(Turn) error) error {
	w := turnWriter{bound: bound, each: each}
	err := records(context.Background(), in, func(rec record, _ []byte, at int) error {
		w.record(rec, at)
		return w.err
	})
	if err != nil {
		return err
	}
	return w.end()
}

type turnWriter struct {
	bound Limits
	each  func(Turn) error
	turn  *Turn
	said  int // bytes, in this turn
	count *tally
	once  once
	err   error
}

func (w *turnWriter) record(rec record, at int) {
	rec = w.once.first(rec)
	if rec.who == typeUser {
		if rec.prompt != "" && !rec.subagent {
			// A result of a tool, or what the program says in the user's name, ends no turn.
			w.begin(rec, at)
		}
		return
	}
	if w.turn == nil {
		return
	}
	w.count.note(rec)
	// A record of tokens alone says nothing: the turn doesn't last until it.
	if rec.who == "" {
		return
	}
	w.turn.Last = at
	if rec.when.After(w.turn.Ended) {
		w.turn.Ended = rec.when
	}
	for _, b := range rec.blocks {
		if text := w.turn.take(strings.TrimSpace(b.text), w.bound.Said-w.said); text != "" {
			w.said += len(text)
			w.turn.Said = append(w.turn.Said, Words{Who: rec.speaker(), Text: text})
		}
		w.turn.counts(b.tool)
		w.uses(b)
	}
}

// begin begins a turn with a prompt.
func (w *turnWriter) begin(rec record, at int) {
	if w.err = w.end(); w.err != nil {
		return
	}
	w.turn, w.said, w.count = &Turn{First: at, Last: at, Queued: rec.queued, Began: rec.when, Ended: rec.when}, 0, newTally(nil)
	w.turn.Prompt = w.turn.take(rec.prompt, w.bound.Prompt)
}

// take returns the beginning of a text, as far as there is room for it.
func (t *Turn) take(text string, room int) string {
	cut := beginning(text, room)
	t.LeftOut += len(text) - len(cut)
	return cut
}

// uses keeps what a tool was given.
func (w *turnWriter) uses(b block) {
	for _, one := range b.uses() {
		switch {
		case w.bound.Uses == 0:
		case len(w.turn.Uses) < w.bound.Uses:
			w.turn.Uses = append(w.turn.Uses, one)
		default:
			w.turn.UsesLeftOut++
		}
	}
}

func (t *Turn) counts(tool string) {
	if tool == "" {
		return
	}
	if len(tool) > mostToolName {
		// The cut may be within a character.
		tool = strings.ToValidUTF8(tool[:mostToolName], "")
	}
	if i := slices.IndexFunc(t.Tools, func(known Tool) bool { return known.Name == tool }); i >= 0 {
		t.Tools[i].Times++
	} else if len(t.Tools) < mostTools {
		t.Tools = append(t.Tools, Tool{tool, 1})
	}
}

func (w *turnWriter) end() error {
	if w.turn == nil {
		return nil
	}
	t := *w.turn
	t.Usage, w.turn = w.count.total, nil
	return w.each(t)
}
