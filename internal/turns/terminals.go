package turns

import (
	"context"
	"time"

	"entire-plumb/internal/agent"
	"entire-plumb/internal/session"
	"entire-plumb/internal/transcript"
)

// terminals adds to a stop the terminals in the background of which only the transcript tells.
func terminals(ctx context.Context, s *session.State, e *Event) {
	if s.TranscriptPath == "" {
		return
	}
	told, err := transcript.ReadTerminals(ctx, s.TranscriptPath)
	if err != nil {
		return // what cannot be read tells nothing
	}
	for _, id := range told.Running(s.Background.IDs()...) {
		e.Running, e.Background = append(e.Running, session.BackgroundTask{ID: id, Shell: true}), true
	}
}

// terminalsEnded is when the last of a session's terminals in the background ended; false where one
// goes on, or the transcript doesn't tell.
func terminalsEnded(ctx context.Context, s *session.State) (last time.Time, ok bool) {
	a, known := agent.ByTitle(s.AgentType)
	if !known || !a.Terminals || s.TranscriptPath == "" || len(s.Background) == 0 {
		return last, false
	}
	told, err := transcript.ReadTerminals(ctx, s.TranscriptPath)
	if err != nil {
		return last, false
	}
	return told.AllEnded(s.Background.IDs())
}
