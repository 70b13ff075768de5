package transcript

import (
	"encoding/json"
	"strconv"
	"strings"
)

// antigravityTools are the tools of Antigravity whose effect is known.
var antigravityTools = map[string]effect{
	"write_to_file": writes, "replace_file_content": writes, "multi_replace_file_content": writes,
	"view_file": reads, "view_file_outline": reads, "view_code_item": reads, "list_dir": reads, "find_by_name": reads,
	"codebase_search": reads, "search_web": reads, "read_url_content": reads, "command_status": reads,
	"invoke_subagent": delegates,
}

// antigravityLine is what is needed of a line of Antigravity's. A step may come again, longer.
type antigravityLine struct {
	Step    *int   `json:"step_index"`
	Type    string `json:"type"`
	Created stamp  `json:"created_at"`
	Content loose  `json:"content"`
	Calls   []struct {
		Name string           `json:"name"`
		Args antigravityInput `json:"args"`
	} `json:"tool_calls"`
}

// antigravityInput is what is read of what a tool is given.
type antigravityInput struct {
	File    encoded `json:"TargetFile"`
	Looked  encoded `json:"AbsolutePath"`
	Command encoded `json:"CommandLine"`
	Dir     encoded `json:"Cwd"`
}

// UnmarshalJSON never fails: another shape than an object says nothing.
func (in *antigravityInput) UnmarshalJSON(data []byte) error {
	type plain antigravityInput
	_ = json.Unmarshal(data, (*plain)(in))
	return nil
}

// antigravityRecord reads a line of a transcript.jsonl of Antigravity's, by its documents and what
// others captured: it was not seen.
// `{"step_index":0,"type":"USER_INPUT","content":"<USER_REQUEST>…</USER_REQUEST>"}`
func antigravityRecord(line []byte) (record, bool) {
	if !names(line, "step_index") {
		return record{}, false
	}
	var l antigravityLine
	if json.Unmarshal(line, &l) != nil || l.Step == nil {
		return record{}, false
	}
	rec := record{message: strconv.Itoa(*l.Step), when: l.Created.Time, grows: true}
	switch l.Type {
	case "USER_INPUT":
		text := string(l.Content)
		if asked := inside(text, "USER_REQUEST"); asked != "" {
			text = asked
		}
		rec.who, rec.prompt = typeUser, unwrapped(strings.TrimSpace(text))
	case "PLANNER_RESPONSE":
		rec.who, rec.stopped = typeAssistant, len(l.Calls) == 0
		if l.Content != "" {
			rec.blocks = append(rec.blocks, block{text: string(l.Content)})
		}
		for _, call := range l.Calls {
			in := toolInput{File: loose(call.Args.File), Path: loose(call.Args.Looked), Command: words(call.Args.Command), Workdir: loose(call.Args.Dir)}
			rec.blocks = append(rec.blocks, in.use("", call.Name, in.file()))
		}
	default:
		return record{}, false
	}
	return rec, true
}

// encoded is a string, which may be written as JSON once more; empty for any other shape.
type encoded string

// UnmarshalJSON never fails.
func (q *encoded) UnmarshalJSON(data []byte) error {
	var text loose
	_ = json.Unmarshal(data, &text)
	if json.Unmarshal([]byte(text), (*string)(q)) != nil {
		*q = encoded(text)
	}
	return nil
}

// decodedInput is what a tool is given, where the values may be written as JSON once more.
func decodedInput(in map[string]any) map[string]any {
	if !strings.HasPrefix(stringIn(in, "TargetFile"), `"`) {
		return in
	}
	decoded := map[string]any{}
	for key, value := range in {
		decoded[key] = value
		var inner any
		if text, ok := value.(string); ok && json.Unmarshal([]byte(text), &inner) == nil {
			decoded[key] = inner
		}
	}
	return decoded
}
