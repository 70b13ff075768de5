package transcript

import (
	"context"
	"io"
	"strings"
)

// Words are what somebody said, or did, in one record of a transcript.
type Words struct {
	Who  string // user, assistant, tool; or agent, for a subagent's
	Text string
	Line int // of the transcript, counted from 0
}

// Spoken reads a transcript and gives what was said in it, in its order: prompts and answers whole,
// tools by their names, with the file or the command that each was given. Records that are no JSON
// are passed over.
func Spoken(in io.Reader, each func(Words) error) error {
	var said once
	return records(context.Background(), in, func(rec record, _ []byte, at int) error {
		for _, w := range said.first(rec).words() {
			w.Line = at
			if err := each(w); err != nil {
				return err
			}
		}
		return nil
	})
}

// words are what a record says, in its order.
func (r record) words() (words []Words) {
	if r.prompt != "" && !r.subagent {
		return []Words{{Who: typeUser, Text: r.prompt}}
	}
	for _, b := range r.blocks {
		switch text := strings.TrimSpace(b.text); {
		case text != "":
			words = append(words, Words{Who: r.speaker(), Text: text})
		default:
			for _, use := range b.uses() {
				words = append(words, Words{Who: "tool", Text: use.String()})
			}
		}
	}
	return words
}

// speaker is who says the words of an assistant's record.
func (r record) speaker() string {
	if r.subagent {
		return "agent"
	}
	return typeAssistant
}

// once passes on what a message adds, where its record comes again with more.
type once struct{ blocks map[string]int }

func (o *once) first(rec record) record {
	if !rec.grows || rec.who != typeAssistant {
		return rec
	}
	if o.blocks == nil {
		o.blocks = map[string]int{}
	}
	// A record may come again shorter, as after a rewrite: nothing of it is new then.
	before := min(o.blocks[rec.message], len(rec.blocks))
	o.blocks[rec.message] = max(before, len(rec.blocks))
	rec.blocks = rec.blocks[before:]
	return rec
}
