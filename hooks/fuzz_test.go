package hooks

import (
	"bytes"
	"testing"

	"entire-plumb/internal/agent"
)

// FuzzPayload: an event of any form is refused, or is of a session.
func FuzzPayload(f *testing.F) {
	f.Add([]byte(`{"session_id":"s1","cwd":"/r","prompt":[{"type":"text","text":"x"}],"tool_response":{"agentId":"a"}}`), uint8(0))
	f.Add([]byte(`{"sessionId":"s1","toolArgs":"{\"path\":1}","parentAgentId":"s1","background_tasks":[{"id":"1"}]}`), uint8(3))
	f.Fuzz(func(t *testing.T, data []byte, of uint8) {
		a := agent.All[int(of)%len(agent.All)]
		p, err := readPayload(t.Context(), bytes.NewReader(data), a)
		if err != nil {
			return
		}
		if p.SessionID == "" {
			t.Errorf("%q is of no session", data)
		}
		sender, _ := p.sender(a, func(string) string { return "" })
		p.event(sender, "/r")
	})
}
