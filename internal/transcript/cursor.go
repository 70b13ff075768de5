package transcript

import (
	"encoding/json"
	"strings"
)

// documentedTools are the tools of Cursor and Factory Droid whose effect is known, beside those
// that they share with Claude Code.
var documentedTools = map[string]effect{
	"StrReplace": writes, "Create": writes,
}

// cursorLine is what is needed of a line of Cursor's, which has no time, no ID and no tokens.
type cursorLine struct {
	Role    string `json:"role"`
	Message struct {
		Content content `json:"content"`
	} `json:"message"`
}

// cursorRecord reads a line of Cursor's agent-transcripts, by its documents: it was not seen.
// `{"role":"user","message":{"content":[{"type":"text","text":"<user_query>…</user_query>"}]}}`
func cursorRecord(line []byte) (record, bool) {
	if !names(head(line), "role") || !names(head(line), "message") {
		return record{}, false
	}
	var l cursorLine
	if json.Unmarshal(line, &l) != nil || l.Message.Content == nil {
		return record{}, false
	}
	rec := record{who: l.Role}
	switch l.Role {
	case typeUser:
		text := l.Message.Content.text()
		if asked := inside(text, "user_query"); asked != "" {
			text = asked
		}
		rec.prompt = unwrapped(strings.TrimSpace(text))
	case typeAssistant:
		rec.blocks, rec.stopped = usedIn(l.Message.Content)
	default:
		return record{}, false
	}
	return rec, true
}

// usedIn are the blocks of an answer with uses of tools as Claude Code has them; stopped: there are
// none.
func usedIn(c content) (blocks []block, stopped bool) {
	stopped = true
	for _, b := range c {
		switch b.Type {
		case blockText:
			blocks = append(blocks, block{text: b.Text})
		case blockToolUse:
			blocks, stopped = append(blocks, b.Input.use(b.ID, b.Name, b.Input.file())), false
		}
	}
	return blocks, stopped
}
