package query

import (
	"context"
	"slices"

	"entire-plumb/internal/attribution"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/transcript"
	"entire-plumb/shadow"
)

// exchange is what a conversation says of the turn that wrote a line.
type exchange struct {
	Prompt string // whole; the description that the line records, where it is not found
	Answer string // the agent's last words of the turn; empty: not found
	Model  string
}

// mostAnswer limits the agent's words of a turn, in bytes.
const mostAnswer = 1 << 20

// exchangeOf finds the conversation behind an agent's line.
func exchangeOf(ctx context.Context, r *Reader, a attribution.Author, answer bool) exchange {
	part, ok := partOf(ctx, r, a)
	t := exchange{Prompt: a.Prompt, Model: part.Model}
	if !ok {
		return t
	}
	for i, prompt := range slices.Backward(part.Prompts) {
		if shadow.Describe(prompt) == a.Prompt {
			t.Prompt = prompt
			if answer {
				t.Answer = part.answer(ShownTurn{Number: i + 1, Prompt: prompt})
			}
			return t
		}
	}
	return t
}

// partOf is the part of a checkpoint, or of a checkpoint on a stream, that records an agent's line.
func partOf(ctx context.Context, r *Reader, a attribution.Author) (part ShownPart, ok bool) {
	// Without one the line is not committed: a stream has the conversation.
	if a.Checkpoint != "" {
		parts, _ := checkpoints.ReadSessions(r.DB, r.Branch, a.Checkpoint) // what is damaged is not found
		for _, content := range parts {
			if content.Metadata.SessionID == a.Session {
				return PartOf(content), true
			}
		}
		return part, false
	}
	// Where no stream has it, the prompt is shown as the line records it.
	_ = Histories(ctx, r.Repo, r.DB, func(history []shadow.Checkpoint) {
		for _, k := range slices.Backward(history) {
			if !ok && k.Part == shadow.Agent && k.Session == a.Session && k.Turn == a.Turn {
				on, err := OnStream(r.DB, k, k.Session)
				part, ok = on, err == nil
			}
		}
	})
	return part, ok
}

// answer is what the agent said last in a turn.
func (p ShownPart) answer(t ShownTurn) string {
	last := ""
	for _, w := range p.inTranscript(t, transcript.Limits{Said: mostAnswer}).Said {
		if w.Who == "assistant" {
			last = w.Text
		}
	}
	return last
}

// setPrompts fills in the whole prompts of agents' lines, and the models.
func setPrompts(ctx context.Context, r *Reader, lines []BlamedLine) {
	known := map[attribution.Author]exchange{}
	for i := range lines {
		l := &lines[i]
		if l.Owner.Kind != attribution.Agent {
			continue
		}
		t, ok := known[l.Owner]
		if !ok {
			t = exchangeOf(ctx, r, l.Owner, false)
			known[l.Owner] = t
		}
		l.Prompt, l.Model = t.Prompt, t.Model
	}
}
