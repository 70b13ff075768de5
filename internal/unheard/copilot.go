package unheard

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"time"
)

// copilotFiles finds session-state/ID/events.jsonl.
func copilotFiles(_ Request, dir string) []candidate {
	var found []candidate
	sessions := filepath.Join(dir, "session-state")
	for _, e := range entries(sessions) {
		found = append(found, transcripts(filepath.Join(sessions, e.Name()), "events.")...)
	}
	return found
}

// copilotHead reads the first record. A session without an answer of the model's has done nothing
// yet.
func copilotHead(_ candidate, head []byte) (s Session, ok bool) {
	line, rest, _ := bytes.Cut(head, []byte("\n"))
	var record struct {
		Type string `json:"type"`
		Data struct {
			ID      string    `json:"sessionId"`
			Begun   time.Time `json:"startTime"`
			Context struct {
				Cwd string `json:"cwd"`
			} `json:"context"`
		} `json:"data"`
	}
	if json.Unmarshal(line, &record) != nil || record.Type != "session.start" {
		return s, false
	}
	s.ID, s.Begun, s.Dir = record.Data.ID, record.Data.Begun, record.Data.Context.Cwd
	return s, s.ID != "" && (bytes.Contains(rest, []byte(`"type":"assistant.message"`)) || len(head) == mostHead)
}
