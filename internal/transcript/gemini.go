package transcript

import (
	"encoding/json"
	"strings"
)

// typeGemini is the type of the model's records.
const typeGemini = "gemini"

// geminiLine is what is needed of a line of Gemini CLI's. A record comes again, longer, with the
// same ID. Lines with "$set" repeat what was there.
type geminiLine struct {
	ID        string          `json:"id"`
	Timestamp stamp           `json:"timestamp"`
	Type      string          `json:"type"`
	Content   json.RawMessage `json:"content"`
	Model     string          `json:"model"`
	Tokens    *struct {
		Input    int `json:"input"` // with what the cache had
		Cached   int `json:"cached"`
		Output   int `json:"output"`
		Thoughts int `json:"thoughts"`
		Tool     int `json:"tool"`
	} `json:"tokens"`
	ToolCalls []struct {
		ID      loose           `json:"id"`
		Name    string          `json:"name"`
		Args    toolInput       `json:"args"`
		Status  status          `json:"status"`
		Display json.RawMessage `json:"resultDisplay"`
	} `json:"toolCalls"`
}

// status is how a use of a tool of Gemini CLI's, or of an agent's that is made like it, ended.
type status string

func (s status) failed() bool { return s == "error" || s == "cancelled" }

// geminiOutput reports whether a line has the results of tools of Gemini CLI's.
func geminiOutput(line []byte) bool {
	return names(head(line), typeUser) && names(head(line), "functionResponse") && !names(line, "toolCalls")
}

// geminiRecord reads a line of Gemini CLI's chat file (seen: 0.61.0).
// `{"id":"…","timestamp":"…","type":"gemini","content":"…","toolCalls":[{"name":"…","args":{…}}]}`
func geminiRecord(line []byte) (record, bool) {
	if !names(line, typeGemini) && !names(head(line), typeUser) || names(head(line), "$set") {
		return record{}, false
	}
	var l geminiLine
	if json.Unmarshal(line, &l) != nil || l.ID == "" || len(l.Content) == 0 {
		return record{}, false
	}
	rec := record{message: l.ID, when: l.Timestamp.Time, grows: true}
	text, answer := l.words()
	switch l.Type {
	case typeUser:
		rec.who = typeUser
		if !answer {
			rec.prompt = unwrapped(text)
		}
	case typeGemini:
		rec.who, rec.model, rec.stopped = typeAssistant, l.Model, len(l.ToolCalls) == 0
		rec.blocks = l.blocks(text)
		if t := l.Tokens; t != nil {
			// Thoughts are output, too, and what tools answered is input.
			rec.usage = counted(t.Input-t.Cached+t.Tool, 0, t.Cached, t.Output+t.Thoughts)
		}
	default:
		return record{}, false
	}
	return rec, true
}

func (l geminiLine) blocks(text string) (all []block) {
	if text != "" {
		all = append(all, block{text: text})
	}
	for _, call := range l.ToolCalls {
		used := call.Args.use(string(call.ID), call.Name, string(call.Args.File))
		used.failed = call.Status.failed()
		// Gemini CLI keeps the text before an edit beside its result.
		used.had = strings.Join(textsAt(call.Display, "originalContent"), "")
		all = append(all, used)
	}
	return all
}

// words is the text of a record, which is a string or a list of parts, and whether it is a tool's
// answer.
func (l geminiLine) words() (text string, answer bool) {
	if json.Unmarshal(l.Content, &text) == nil {
		return text, false
	}
	var parts []struct {
		Text     string          `json:"text"`
		Response json.RawMessage `json:"functionResponse"`
	}
	_ = json.Unmarshal(l.Content, &parts) // other shapes have no text
	var texts []string
	for _, p := range parts {
		answer = answer || len(p.Response) > 0
		if p.Text != "" {
			texts = append(texts, p.Text)
		}
	}
	return strings.Join(texts, "\n"), answer
}
