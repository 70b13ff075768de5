package turns

import (
	"context"
	"time"

	"entire-plumb/internal/agent"
	"entire-plumb/internal/session"
	"entire-plumb/internal/transcript"
)

// runningTerminals are the terminals in the background, at a stop, of which only the transcript
// says that they go on.
func runningTerminals(ctx context.Context, s *session.State) (running []session.BackgroundTask) {
	if s.TranscriptPath == "" {
		return nil
	}
	known, err := transcript.ReadTerminals(ctx, s.TranscriptPath)
	if err != nil {
		return nil // what cannot be read tells nothing
	}
	for _, id := range known.Running(s.Background.IDs()...) {
		running = append(running, session.BackgroundTask{ID: id, Shell: true, Command: known.Commands[id]})
	}
	return running
}

// terminalsEnded is when the last of a session's terminals in the background ended; false where one
// goes on, or the transcript doesn't tell.
func terminalsEnded(ctx context.Context, s *session.State) (last time.Time, ended bool) {
	byTitle, ok := agent.ByTitle(s.AgentType)
	if !ok || !byTitle.Terminals || s.TranscriptPath == "" || len(s.Background) == 0 {
		return last, false
	}
	known, err := transcript.ReadTerminals(ctx, s.TranscriptPath)
	if err != nil {
		return last, false
	}
	return known.AllEnded(s.Background.IDs())
}
