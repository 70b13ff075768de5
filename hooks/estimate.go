package hooks

import (
	"context"

	"entire-plumb/internal/autocommit"
	"entire-plumb/internal/session"
	"entire-plumb/internal/transcript"
	"entire-plumb/shadow"
)

// estimate is the turn whose start was not recorded, as after a command that the user ran in the
// agent's terminal, or where recording was enabled in the middle of it. The agent's part is what
// the transcript says that its tools wrote since it was recorded last, and nothing else: whatever
// else isn't committed may be the human's.
func (p *turns) estimate(ctx context.Context, s *session.State, t turn) (turn, error) {
	var wrote transcript.Wrote
	if s.TranscriptPath != "" {
		var err error
		if wrote, err = transcript.WrittenAfter(ctx, s.TranscriptPath, s.Recorded.Bytes); err != nil {
			p.Note("the transcript can't be read, so that nothing of the turn is known to be the agent's: " + err.Error())
		}
	}
	mine := map[string]bool{}
	for _, path := range p.allInWorktree(wrote.Files) {
		mine[string(path)] = true
	}
	var left autocommit.Commit
	for _, path := range t.touched {
		if mine[string(path)] {
			left.Left = append(left.Left, path)
		}
	}
	t, err := p.remainderOfTurn(t, left)
	t.estimated = len(t.touched) > 0
	if wrote.Prompt != "" && t.estimated {
		s.BeginTurn(p.NewID(), p.agent())
		s.Prompted(shadow.Describe(p.Store.Secrets.Text(wrote.Prompt)))
	}
	return t, err
}
