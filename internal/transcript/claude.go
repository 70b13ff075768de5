package transcript

import (
	"bytes"
	"encoding/json"
	"strings"
)

const (
	blockText       = "text"
	blockToolResult = "tool_result"
	blockToolUse    = "tool_use"

	// modelSynthetic is on messages that the agent's program made up, such as "API Error": no model
	// wrote them.
	modelSynthetic = "<synthetic>"
)

// claudeLine is what is needed of a line of Claude Code's.
type claudeLine struct {
	Type             string  `json:"type"`
	Version          string  `json:"version"`          // of Claude Code, in each record that it writes
	Cwd              loose   `json:"cwd"`              // of the shell when the record was written
	IsSidechain      bool    `json:"isSidechain"`      // a subagent's
	IsMeta           bool    `json:"isMeta"`           // said by the agent's program in the user's name
	IsCompactSummary bool    `json:"isCompactSummary"` // likewise, after a compaction
	Timestamp        stamp   `json:"timestamp"`
	Message          message `json:"message"`
	Attachment       struct {
		Type   string  `json:"type"`
		Prompt content `json:"prompt"`
	} `json:"attachment"`
	CustomTitle string `json:"customTitle"`
	AITitle     string `json:"aiTitle"`
}

type message struct {
	ID         string          `json:"id"`
	Model      string          `json:"model"`
	StopReason string          `json:"stop_reason"`
	Content    content         `json:"content"`
	Usage      json.RawMessage `json:"usage"`
}

// content is a message's blocks. A plain string is one block of text.
type content []contentBlock

type contentBlock struct {
	Type  string    `json:"type"`
	Text  string    `json:"text"`
	ID    string    `json:"id"`
	Name  string    `json:"name"`
	Input toolInput `json:"input"`
	// Arguments are the input of a tool of pi's.
	Arguments toolInput `json:"arguments"`
}

// UnmarshalJSON never fails: blocks of unknown shape are kept as empty ones, other shapes as no
// blocks.
func (c *content) UnmarshalJSON(data []byte) error {
	*c = nil
	switch {
	case bytes.HasPrefix(data, []byte(`"`)):
		var text string
		if json.Unmarshal(data, &text) == nil {
			*c = content{{Type: blockText, Text: text}}
		}
	case bytes.HasPrefix(data, []byte(`[`)):
		// A block of another shape is an error, but the others are decoded.
		_ = json.Unmarshal(data, (*[]contentBlock)(c))
	}
	return nil
}

// claudeOutput reports whether a line has results of tools, and no answer.
func claudeOutput(line []byte) bool {
	return names(line, "tool_use_id") && !names(line, typeAssistant)
}

// queuedCommand is the attachment that holds a prompt entered while the agent was at work.
const queuedCommand = "queued_command"

// claudeRecord reads a line of Claude Code's (seen: 2.1.197).
// `{"parentUuid":"…",…,"type":"assistant","message":{"id":"…","content":[{"type":"text",…}]},…}`
func claudeRecord(line []byte) (record, bool) {
	said := claudeSaid(line)
	// Most of what is looked at here is of another format, or says nothing: it is not parsed.
	if !said && !claudeNoted(line) {
		return record{}, false
	}
	var l claudeLine
	if err := json.Unmarshal(line, &l); err != nil {
		return record{}, false
	}
	rec := record{subagent: l.IsSidechain, message: l.Message.ID, cwd: string(l.Cwd), when: l.Timestamp.Time}
	switch {
	// By the type: the words stand in other records, too, as keys of what a tool returned.
	case said && l.Type == typeUser:
		rec.who = typeUser
		rec.prompt = l.prompt()
		rec.notifies = notified(l.Message.Content.text())
		rec.interrupted = strings.HasPrefix(strings.TrimSpace(l.Message.Content.text()), interrupted)
	case said && l.Type == typeAssistant:
		rec.answer(l)
	// No event comes for such a prompt, and no record of type user.
	case l.Type == "attachment" && l.Attachment.Type == queuedCommand:
		rec.who, rec.queued = typeUser, true
		rec.prompt = unwrapped(l.Attachment.Prompt.text())
		rec.notifies = notified(l.Attachment.Prompt.text())
	case l.Type == "custom-title", l.Type == "ai-title":
		// Each record has one of them.
		rec.title = l.CustomTitle + l.AITitle
	default:
		return record{}, false
	}
	return rec, true
}

// claudeSaid reports quickly whether a line may be a message.
func claudeSaid(line []byte) bool {
	return names(line, "message") && (names(line, typeUser) || names(line, typeAssistant))
}

// claudeNoted reports whether it may be a queued prompt or a title.
func claudeNoted(line []byte) bool {
	return names(line, queuedCommand) || bytes.Contains(head(line), []byte(`-title"`))
}

// answer takes what an answer of the agent's has.
func (r *record) answer(l claudeLine) {
	// A record of another program's in the same format may leave tools out: only Claude Code is
	// known to write all of them.
	r.who, r.stopped, r.namesTools = typeAssistant, l.final(), l.Version != ""
	// No call is counted for what no model said.
	if r.madeUp = l.Message.Model == modelSynthetic; !r.madeUp {
		r.model, r.usage = l.Message.Model, l.usage()
	}
	for _, b := range l.Message.Content {
		r.blocks = append(r.blocks, b.block())
	}
}

// block is what is needed of a content block.
func (b contentBlock) block() block {
	switch b.Type {
	case blockText:
		return block{text: b.Text}
	case blockToolUse:
		// Not the other parameters: in Claude Code's tools path is a directory that is searched.
		return b.Input.use(b.ID, b.Name, string(b.Input.File), string(b.Input.Notebook))
	}
	return block{}
}

// text is the texts of all blocks, joined by newlines.
func (c content) text() string {
	var texts []string
	for _, b := range c {
		if b.Type == blockText {
			texts = append(texts, b.Text)
		}
	}
	return strings.Join(texts, "\n")
}

// prompt is what the user asked in this line, its blocks of text joined by newlines; empty if it is
// no prompt. Text beside a tool's result is the agent's program's.
func (l claudeLine) prompt() string {
	// In the user's name, and not the user's.
	if l.IsMeta || l.IsCompactSummary {
		return ""
	}
	var texts []string
	for _, b := range l.Message.Content {
		switch b.Type {
		case blockToolResult:
			return ""
		case blockText:
			if text := unwrapped(b.Text); text != "" {
				texts = append(texts, text)
			}
		}
	}
	return strings.Join(texts, "\n")
}

// final tells of a session's last message whether the agent has stopped. The stop reason is missing
// from lines written while the message still came in.
func (l claudeLine) final() bool {
	if l.Message.StopReason != "" {
		return l.Message.StopReason != blockToolUse // of the same name
	}
	blocks := l.Message.Content
	// Without a reason, a message that ends with text waits for the user.
	return len(blocks) > 0 && blocks[len(blocks)-1].Type == blockText
}

// usage is the tokens of an assistant's line; nil if it tells none, or nothing to tell its message
// by.
func (l claudeLine) usage() *Usage {
	if l.Message.ID == "" {
		return nil
	}
	var wire *struct {
		Input         int `json:"input_tokens"`
		CacheCreation int `json:"cache_creation_input_tokens"`
		CacheRead     int `json:"cache_read_input_tokens"`
		Output        int `json:"output_tokens"`
	}
	// Another shape tells no tokens, and the rest of the record counts.
	if len(l.Message.Usage) == 0 || json.Unmarshal(l.Message.Usage, &wire) != nil || wire == nil {
		return nil
	}
	return counted(wire.Input, wire.CacheCreation, wire.CacheRead, wire.Output)
}
