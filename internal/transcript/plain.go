package transcript

import "encoding/json"

// plainLine is a line of the format that any program can write (docs/generic.md).
type plainLine struct {
	Role  string `json:"role"` // user, assistant or tool
	Text  string `json:"text"`
	Time  stamp  `json:"time"` // RFC 3339
	Model string `json:"model"`
	Tool  string `json:"tool"` // of role tool: its name
	// Files are all that the tool was asked to write; missing: nobody knows.
	Files  *[]string `json:"files"`
	Input  toolInput `json:"input"` // of a shell: its command
	ID     string    `json:"id"`    // of the message; the tokens of each are counted once
	Tokens *struct {
		Input         int `json:"input"` // without the cache's
		CacheCreation int `json:"cache_creation"`
		CacheRead     int `json:"cache_read"`
		Output        int `json:"output"`
	} `json:"tokens"`
}

// plainRecord reads a line of the generic format.
// `{"role":"tool","tool":"edit","files":["a.go"]}`
func plainRecord(line []byte) (record, bool) {
	if !names(line, "role") {
		return record{}, false
	}
	var l plainLine
	if json.Unmarshal(line, &l) != nil {
		return record{}, false
	}
	rec := record{message: l.ID, when: l.Time.Time}
	switch l.Role {
	case typeUser:
		rec.who, rec.prompt = typeUser, unwrapped(l.Text)
	case typeAssistant:
		// Uses of tools come in lines of their own: until one comes, the agent counts as stopped.
		rec.who, rec.model, rec.stopped = typeAssistant, l.Model, true
		rec.blocks = []block{{text: l.Text}}
		// A message may have several lines: without an ID it would count with each.
		if t := l.Tokens; t != nil && l.ID != "" {
			rec.usage = counted(t.Input, t.CacheCreation, t.CacheRead, t.Output)
		}
	case "tool":
		used := block{tool: l.Tool, command: l.Input.command()}
		// An empty list says that it wrote none: only without the key the tool may have written any
		// file.
		if l.Files != nil {
			used.files, used.effect = *l.Files, writes
		} else if onlyReads(used.command) {
			used.effect = reads
		}
		rec.who, rec.blocks = typeAssistant, []block{used}
	default:
		return record{}, false
	}
	return rec, true
}
