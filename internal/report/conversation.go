package report

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"

	"entire-plumb/internal/amount"
	"entire-plumb/internal/brief"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/query"
	"entire-plumb/internal/transcript"
)

// Conversation is what was said, to be written.
type Conversation struct {
	Of     []query.Shown
	Redact func(string) string // removes secrets
	Paths  *strings.Replacer   // shortens what tools were given: names of files and commands
}

// Write writes it as Markdown: prompts, answers, and the tools with what each was given. Words of
// others are code, inline or between fences longer than any in them, so that nothing in them is
// markup, HTML, or a name to notify. What is damaged is noted in what it writes, and in Of.
func (v Conversation) Write(w io.Writer) error {
	out := bufio.NewWriter(w)
	c := converser{text: text{Writer: out, markdown: true}, redact: v.Redact, paths: v.Paths}
	all := v.Of
	for i := range all {
		for _, part := range all[i].Sessions {
			if len(part.Prompts) == 0 && !part.HasTranscript() {
				continue // the human's part on a stream
			}
			if c.parts++; c.parts > 1 {
				c.line("")
			}
			if err := c.part(&all[i], part); err != nil {
				return err
			}
		}
	}
	if c.parts == 0 {
		c.line("Nothing of the conversation is recorded.")
	}
	return out.Flush()
}

// converser writes conversations.
type converser struct {
	text
	redact func(string) string
	paths  *strings.Replacer
	parts  int
	listed bool // the last line is of a list
}

// code is a text of others in a line.
func (c *converser) code(s string) string { return c.quote(brief.Harmless(s, c.redact)) }

// part writes a session's part in a checkpoint.
func (c *converser) part(one *query.Shown, p query.ShownPart) error {
	who := cmp.Or(p.Agent, "agent")
	if p.Model != "" {
		who += " (" + p.Model + ")"
	}
	c.line("# Session %s, %s\n", c.code(cmp.Or(p.SessionID, "unknown")), c.code(who))
	c.facts(one, p)
	said := 0
	err := query.Spoken(p, func(words transcript.Words) error {
		said++
		c.words(words)
		return nil
	})
	why := checkpoints.Withheld(err)
	switch {
	case why != "":
		c.line("\n%s", c.code(why))
	// What was read before the damage has been written.
	case errors.Is(err, checkpoints.ErrDamaged):
		one.Note(err)
		c.line("\nThe transcript is damaged: %s", c.code(err.Error()))
	case err != nil:
		return err
	}
	if said > 0 {
		return nil
	}
	if why == "" {
		c.line("\nOnly the prompts are recorded.")
	}
	// The prompts are stored apart, and may be readable where the transcript isn't.
	for _, prompt := range p.Prompts {
		c.words(transcript.Words{Who: "user", Text: prompt})
	}
	return nil
}

// facts lists what the conversation belongs to.
func (c *converser) facts(one *query.Shown, p query.ShownPart) {
	if one.Checkpoint != "" {
		c.item("checkpoint %s", c.code(one.Checkpoint))
	} else {
		c.item("not committed")
	}
	for _, k := range one.Commits {
		c.item("commit %s %s (%s, %s)", k.Commit.Short(), c.code(k.Subject), c.code(k.Author), k.When.UTC().Format("2006-01-02 15:04 MST"))
	}
	for i, path := range p.FilesTouched {
		if i == mostNamed {
			c.item("and %s", amount.Of(len(p.FilesTouched)-mostNamed, "more file"))
			break
		}
		c.item("file %s", c.code(path.Display()))
	}
	if one.Error != "" {
		c.item("not complete: %s", c.code(one.Error))
	}
}

// speakers are the headings above what each says.
var speakers = map[string]string{"user": "Prompt", "assistant": "Answer", "agent": "Subagent"}

// words writes what was said, or the use of a tool.
func (c *converser) words(w transcript.Words) {
	title, said := speakers[w.Who]
	if !said {
		if !c.listed {
			c.line("")
		}
		c.item("%s", c.code(c.paths.Replace(w.Text)))
		c.listed = true
		return
	}
	body := brief.Harmless(w.Text, c.redact)
	fence := brief.Fence(3, body)
	c.listed = false
	c.line("\n## %s\n", title)
	fmt.Fprintf(c, "%stext\n%s\n%s\n", fence, body, fence)
}
