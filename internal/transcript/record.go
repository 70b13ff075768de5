package transcript

import (
	"bytes"
	"encoding/json"
)

const (
	typeUser      = "user"
	typeAssistant = "assistant"

	blockText       = "text"
	blockToolResult = "tool_result"
	blockToolUse    = "tool_use"

	stopToolUse = "tool_use"

	// modelSynthetic is on messages that the agent's program made up, such as
	// "API Error": no model wrote them.
	modelSynthetic = "<synthetic>"
)

// record is what is needed of a user's or an assistant's line.
type record struct {
	Type             string  `json:"type"`
	IsSidechain      bool    `json:"isSidechain"`      // a subagent's
	IsMeta           bool    `json:"isMeta"`           // said by the agent's program in the user's name
	IsCompactSummary bool    `json:"isCompactSummary"` // likewise, after a compaction
	Message          message `json:"message"`
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
	Type string `json:"type"`
	Text string `json:"text"`
}

// UnmarshalJSON never fails: blocks of unknown shape are kept as empty ones,
// other shapes as no blocks.
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

// decode reads a line. It is false for a line that is not a user's or an
// assistant's record, among them those that are no JSON, or too long.
func decode(line []byte) (record, bool) {
	if len(line) > maxParse || !names(line, typeUser) && !names(line, typeAssistant) {
		return record{}, false
	}
	var rec record
	if err := json.Unmarshal(line, &rec); err != nil {
		return record{}, false
	}
	return rec, rec.Type == typeUser || rec.Type == typeAssistant
}

// toolOutput reports whether a line holds tools' results and no assistant's
// message. They are the most of a transcript, and nothing in them is counted.
func toolOutput(line []byte) bool {
	return names(line, "tool_use_id") && !names(line, typeAssistant)
}

// names reports whether word is a key or a value of the JSON in line, at any
// depth. Within a longer string its quotes would be escaped.
func names(line []byte, word string) bool {
	return bytes.Contains(line, []byte(`"`+word+`"`))
}

func (r record) synthetic() bool { return r.Message.Model == modelSynthetic }

// usage returns the tokens of an assistant's record; false if it tells none, or
// nothing to tell its message by.
func (r record) usage() (Usage, bool) {
	if r.Type != typeAssistant || r.Message.ID == "" || r.synthetic() {
		return Usage{}, false
	}
	var wire *struct {
		Input         int `json:"input_tokens"`
		CacheCreation int `json:"cache_creation_input_tokens"`
		CacheRead     int `json:"cache_read_input_tokens"`
		Output        int `json:"output_tokens"`
	}
	if len(r.Message.Usage) == 0 || json.Unmarshal(r.Message.Usage, &wire) != nil || wire == nil {
		return Usage{}, false
	}
	if min(wire.Input, wire.CacheCreation, wire.CacheRead, wire.Output) < 0 {
		return Usage{}, false
	}
	usage := Usage{
		InputTokens:         wire.Input,
		CacheCreationTokens: wire.CacheCreation,
		CacheReadTokens:     wire.CacheRead,
		OutputTokens:        wire.Output,
		APICallCount:        1,
	}
	if r.IsSidechain {
		return Usage{SubagentTokens: &usage}, true
	}
	return usage, true
}
