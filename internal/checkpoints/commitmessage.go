package checkpoints

import (
	"fmt"
	"strings"

	"entire-plumb/condense"
	"entire-plumb/internal/session"
	"entire-plumb/internal/sets"
	"entire-plumb/shadow"
)

// streamKey is the trailer that names a stream from which a checkpoint was made.
const streamKey = "Ephemeral-branch"

// Message is the commit message of a condensation.
func Message(r Request) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Checkpoint: %s\n\n", r.ID)
	for _, m := range r.Matches {
		fmt.Fprintf(&b, "Entire-Session: %s\n", m.Session.SessionID)
	}
	fmt.Fprintf(&b, "Entire-Strategy: %s\n", r.strategy())
	for _, agent := range agents(r.Matches) {
		fmt.Fprintf(&b, "Entire-Agent: %s\n", agent)
	}
	for _, m := range r.Matches {
		for _, s := range m.Streams {
			fmt.Fprintf(&b, "%s: %s\n", streamKey, s.Name)
		}
	}
	return b.String()
}

// FinalizeMessage is the commit message of a finalisation.
func FinalizeMessage(s *session.State, ids []string) string {
	return fmt.Sprintf("Finalize transcript for Checkpoint: %s\n\nEntire-Session: %s\nEntire-Strategy: %s\n",
		strings.Join(ids, ", "), s.SessionID, shadow.Strategy)
}

func agents(matches []condense.Matched) []string {
	var names []string
	for _, m := range matches {
		if a := m.Session.AgentType; a != "" {
			names = sets.With(names, a)
		}
	}
	return names
}
