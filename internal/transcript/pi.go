package transcript

import (
	"encoding/json"
)

// piCall is the type of a block that uses a tool.
const piCall = "toolCall"

// piTools are those whose effect is known.
var piTools = map[string]effect{
	"write": writes, "edit": writes, "read": reads, "grep": reads, "find": reads, "ls": reads,
}

// piLine is what is needed of a line of pi's.
type piLine struct {
	Type      string `json:"type"`
	ID        string `json:"id"`
	Timestamp stamp  `json:"timestamp"`
	Cwd       string `json:"cwd"`  // of a session
	Name      string `json:"name"` // of a session's info
	Message   struct {
		Role    string  `json:"role"`
		Content content `json:"content"`
		Model   string  `json:"model"`
		Stop    string  `json:"stopReason"`
		Usage   *struct {
			Input      int `json:"input"` // without the cache's
			Output     int `json:"output"`
			CacheRead  int `json:"cacheRead"`
			CacheWrite int `json:"cacheWrite"`
		} `json:"usage"`
	} `json:"message"`
}

// piOutput reports whether a line is a tool's result.
func piOutput(line []byte) bool {
	return names(head(line), "toolResult") && names(head(line), "toolCallId")
}

// piRecord reads a line of pi's (seen: 0.73.1), or of Factory Droid's, which by its documents has
// tools as Claude Code has them.
// `{"type":"message","id":"…","timestamp":"…","message":{"role":"assistant","content":[…],…}}`
func piRecord(line []byte) (record, bool) {
	if !names(head(line), "id") || !names(head(line), "timestamp") || !names(head(line), "type") {
		return record{}, false
	}
	var l piLine
	if json.Unmarshal(line, &l) != nil || l.ID == "" {
		return record{}, false
	}
	rec := record{message: l.ID, when: l.Timestamp.Time}
	switch {
	case l.Type == "session", l.Type == "session_start":
		rec.cwd = l.Cwd
		return rec, rec.cwd != ""
	case l.Type == "session_info":
		rec.title = l.Name
		return rec, rec.title != ""
	case l.Type == "message" && l.Message.Role == typeUser:
		rec.who, rec.prompt = typeUser, unwrapped(l.Message.Content.text())
	case l.Type == "message" && l.Message.Role == typeAssistant:
		l.answer(&rec)
	default:
		return record{}, false
	}
	return rec, true
}

func (l piLine) answer(rec *record) {
	m := l.Message
	rec.who, rec.model = typeAssistant, m.Model
	// An error comes in place of an answer: the agent waits.
	rec.interrupted = m.Stop == "aborted" || m.Stop == "error"
	rec.stopped = m.Stop != "" && m.Stop != "toolUse"
	if u := m.Usage; u != nil {
		rec.usage = counted(u.Input, u.CacheWrite, u.CacheRead, u.Output)
	}
	// Factory Droid's lines have no reason: there an answer without a tool is the last one.
	if m.Stop == "" {
		rec.blocks, rec.stopped = usedIn(m.Content)
		return
	}
	for _, b := range m.Content {
		switch b.Type {
		case blockText:
			rec.blocks = append(rec.blocks, block{text: b.Text})
		case piCall:
			rec.blocks = append(rec.blocks, b.Arguments.use(b.ID, b.Name, string(b.Arguments.Path)))
		}
	}
}

func stringIn(v map[string]any, name string) string {
	text, _ := v[name].(string)
	return text
}
