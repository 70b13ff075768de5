package transcript

import (
	"bytes"
	"encoding/json"
	"strings"
)

// openCodeTools are those whose effect is known.
var openCodeTools = map[string]effect{
	"write": writes, "edit": writes, "apply_patch": writes, "task": delegates,
	"read": reads, "grep": reads, "glob": reads, "list": reads, "webfetch": reads, "websearch": reads, "codesearch": reads, "lsp": reads,
	"todowrite": reads, "todoread": reads, "question": reads, "skill": reads, "plan_enter": reads, "plan_exit": reads,
}

// openCodeLine is what is needed of a message of OpenCode's, or of a part of one. Our plugin writes
// a line for each part as soon as it is there, and one for the message when it is finished.
type openCodeLine struct {
	Timestamp stamp  `json:"timestamp"` // of our plugin
	Cwd       string `json:"cwd"`       // likewise
	Parent    string `json:"parentID"`  // likewise: the session whose subagent's it is
	Info      struct {
		ID     string          `json:"id"`
		Role   string          `json:"role"`
		Model  string          `json:"modelID"`
		Finish string          `json:"finish"`
		Error  json.RawMessage `json:"error"` // an interruption is one
		Tokens struct {
			Input     int `json:"input"` // without what the cache had or got
			Output    int `json:"output"`
			Reasoning int `json:"reasoning"`
			Cache     struct {
				Read  int `json:"read"`
				Write int `json:"write"`
			} `json:"cache"`
		} `json:"tokens"`
	} `json:"info"`
	Parts []openCodePart `json:"parts"`
}

type openCodePart struct {
	Type      string `json:"type"`
	Text      string `json:"text"`
	Synthetic bool   `json:"synthetic"` // said by the program in the user's name
	Ignored   bool   `json:"ignored"`
	Tool      string `json:"tool"`
	Call      string `json:"callID"`
	State     struct {
		Input  json.RawMessage `json:"input"`
		Status status          `json:"status"`
	} `json:"state"`
}

// openCodeOutput reports whether a line has the result of a tool, as our plugin writes it.
func openCodeOutput(line []byte) bool {
	return bytes.HasPrefix(line, []byte(`{"timestamp":`)) && names(line, "tool_use_id") && names(line, "status")
}

// openCodeRecord reads a line of OpenCode's (seen: 1.18.33).
// `{"timestamp":"…","cwd":"…","info":{"id":"…","role":"assistant",…},"parts":[{"type":"text",…}]}`
func openCodeRecord(line []byte) (record, bool) {
	if !names(line, "info") || !names(line, "parts") || !names(line, "role") {
		return record{}, false
	}
	var l openCodeLine
	if json.Unmarshal(line, &l) != nil || l.Info.ID == "" {
		return record{}, false
	}
	rec := record{subagent: l.Parent != "", message: l.Info.ID, cwd: l.Cwd, when: l.Timestamp.Time}
	switch l.Info.Role {
	case typeUser:
		rec.who, rec.prompt = typeUser, l.prompt()
	case typeAssistant:
		l.answer(&rec)
	default:
		return record{}, false
	}
	return rec, true
}

// prompt is what the user asked; empty: nothing.
func (l openCodeLine) prompt() string {
	var texts []string
	for _, p := range l.Parts {
		if text := unwrapped(p.Text); p.Type == blockText && !p.Synthetic && !p.Ignored && text != "" {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, "\n")
}

func (l openCodeLine) answer(rec *record) {
	rec.who, rec.model, rec.usage = typeAssistant, l.Info.Model, l.usage()
	rec.interrupted = len(l.Info.Error) > 0 && string(l.Info.Error) != "null"
	// A line for a part comes before the message is finished, and has no reason yet.
	rec.stopped = rec.interrupted || l.Info.Finish != "" && l.Info.Finish != "tool-calls"
	for _, p := range l.Parts {
		switch p.Type {
		case blockText:
			rec.blocks = append(rec.blocks, block{text: p.Text})
		case "tool":
			rec.blocks = append(rec.blocks, p.use())
		}
	}
}

func (p openCodePart) use() block {
	var in toolInput
	_ = json.Unmarshal(p.State.Input, &in) // another shape says nothing
	var patch struct {
		Text loose `json:"patchText"`
	}
	_ = json.Unmarshal(p.State.Input, &patch)
	// apply_patch names its files in the patch alone.
	used := in.use(p.Call, p.Tool, append(patched(string(patch.Text)), string(in.Camel))...)
	used.failed = p.State.Status.failed()
	return used
}

// usage is nil before the message is finished.
func (l openCodeLine) usage() *Usage {
	t := l.Info.Tokens
	// Zeros would be one more call of the model.
	if t.Input == 0 && t.Output == 0 && t.Reasoning == 0 && t.Cache.Read == 0 && t.Cache.Write == 0 {
		return nil
	}
	return counted(t.Input, t.Cache.Write, t.Cache.Read, t.Output+t.Reasoning)
}
