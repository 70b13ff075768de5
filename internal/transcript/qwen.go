package transcript

import (
	"bytes"
	"encoding/json"
	"strings"
)

// qwenTools are the tools of Qwen Code whose effect is known, beside those that it shares with
// Gemini CLI.
var qwenTools = map[string]effect{
	"edit": writes, "agent": delegates, "task": delegates,
	"todo_write": reads, "save_memory": reads, "exit_plan_mode": reads, "skill": reads, "ask_user_question": reads,
}

// qwenLine is what is needed of a line of Qwen Code's.
type qwenLine struct {
	ID         string `json:"uuid"`
	Type       string `json:"type"`
	Provenance loose  `json:"provenance"`
	Subagent   loose  `json:"agentId"`
	Sidechain  bool   `json:"isSidechain"`
	Cwd        loose  `json:"cwd"`
	Timestamp  stamp  `json:"timestamp"`
	Model      loose  `json:"model"`
	Message    struct {
		Parts []qwenPart `json:"parts"`
	} `json:"message"`
	// Of one response. The prompt contains what the cache had.
	Usage *struct {
		Prompt    int `json:"promptTokenCount"`
		Cached    int `json:"cachedContentTokenCount"`
		Candidate int `json:"candidatesTokenCount"`
	} `json:"usageMetadata"`
}

type qwenPart struct {
	Text    string `json:"text"`
	Thought bool   `json:"thought"`
	Call    *struct {
		ID   loose     `json:"id"`
		Name string    `json:"name"`
		Args toolInput `json:"args"`
	} `json:"functionCall"`
}

// qwenOutput reports whether a line has the result of a tool of Qwen Code's.
func qwenOutput(line []byte) bool {
	return bytes.Contains(head(line), []byte(`"type":"tool_result","provenance":"`))
}

// qwenRecord reads a line of Qwen Code's chat file (seen: 0.24.4).
// `{"uuid":"…","parentUuid":"…",…,"type":"assistant","message":{"role":"model","parts":[…]}}`
func qwenRecord(line []byte) (record, bool) {
	if !names(head(line), "parentUuid") || !names(line, "parts") {
		return record{}, false
	}
	var l qwenLine
	if json.Unmarshal(line, &l) != nil || l.ID == "" || len(l.Message.Parts) == 0 {
		return record{}, false
	}
	rec := record{message: l.ID, when: l.Timestamp.Time, cwd: string(l.Cwd), subagent: l.Sidechain || l.Subagent != ""}
	switch l.Type {
	case typeUser:
		rec.who, rec.notifies = typeUser, notified(l.text())
		// Where nothing says who submitted it, it is the user's.
		if l.Provenance == "" || l.Provenance == "real_user" {
			rec.prompt = unwrapped(l.text())
		}
	case typeAssistant:
		rec.who, rec.model, rec.stopped = typeAssistant, string(l.Model), true
		for _, p := range l.Message.Parts {
			rec.blocks = append(rec.blocks, p.blocks()...)
			rec.stopped = rec.stopped && p.Call == nil
		}
		if u := l.Usage; u != nil {
			// The prompt contains what the cache had, which counts apart.
			rec.usage = counted(u.Prompt-u.Cached, 0, u.Cached, u.Candidate)
		}
	default:
		return record{}, false
	}
	return rec, true
}

func (l qwenLine) text() string {
	var texts []string
	for _, p := range l.Message.Parts {
		if p.Text != "" {
			texts = append(texts, p.Text)
		}
	}
	return strings.Join(texts, "\n")
}

// blocks are what a part says, thoughts apart.
func (p qwenPart) blocks() []block {
	switch {
	case p.Call != nil:
		return []block{p.Call.Args.use(string(p.Call.ID), p.Call.Name, p.Call.Args.file())}
	case p.Text != "" && !p.Thought:
		return []block{{text: p.Text}}
	}
	return nil
}
