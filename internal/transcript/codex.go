package transcript

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"
)

// codexLine reports whether a line may be one of Codex's: {"timestamp", "type", "payload"}.
func codexLine(line []byte) bool {
	return names(head(line), "payload") && names(head(line), "timestamp")
}

// codexOutput reports whether a line has the result of a tool of Codex's.
func codexOutput(line []byte) bool {
	return codexLine(line) && bytes.Contains(head(line), []byte(`call_output"`))
}

// codexRefusals begin the results of patches of which nothing was written. One that began may have
// written a part, whatever its exit code.
var codexRefusals = []string{`"apply_patch verification failed`, `"patch rejected`}

// codexPayload is what is needed of a line's payload.
type codexPayload struct {
	Type      string          `json:"type"`
	Role      string          `json:"role"`
	ID        string          `json:"id"`
	Call      string          `json:"call_id"`
	Name      string          `json:"name"`
	Input     string          `json:"input"`     // of apply_patch: the patch
	Arguments loose           `json:"arguments"` // of a function: JSON in a string
	Action    toolInput       `json:"action"`    // of a shell
	Model     string          `json:"model"`
	Cwd       string          `json:"cwd"`
	Response  string          `json:"response_id"`
	Content   json.RawMessage `json:"content"`
	Usage     *codexUsage     `json:"usage"`
	Internals struct {
		Kinds []string `json:"content_item_kinds"`
	} `json:"internal_chat_message_metadata_passthrough"`
}

// codexUsage is the tokens of one response. The input contains what the cache had and got.
type codexUsage struct {
	Input      int `json:"input_tokens"`
	Cached     int `json:"cached_input_tokens"`
	CacheWrite int `json:"cache_write_input_tokens"`
	Output     int `json:"output_tokens"`
}

// codexRecord reads a line of Codex's rollout file (seen: 0.169.0).
// `{"timestamp":"…","type":"response_item","payload":{"type":"function_call","name":"shell",…}}`
func codexRecord(line []byte) (record, bool) {
	if !codexLine(line) {
		return record{}, false
	}
	var l struct {
		Timestamp stamp        `json:"timestamp"`
		Type      string       `json:"type"`
		Payload   codexPayload `json:"payload"`
	}
	if json.Unmarshal(line, &l) != nil {
		return record{}, false
	}
	p := l.Payload
	rec := record{when: l.Timestamp.Time, message: p.ID}
	switch l.Type {
	case "response_item":
		return rec, p.item(&rec)
	// Of the events, which mostly repeat what the items say, this one alone counts.
	case "event_msg":
		rec.interrupted = p.Type == "turn_aborted"
		return rec, rec.interrupted
	case "turn_context", "session_meta":
		rec.cwd, rec.model = p.Cwd, p.Model
		return rec, rec.cwd != ""
	case "token_usage_record":
		// Without the response that they are of they might count twice.
		if p.Response == "" || p.Usage == nil {
			return rec, false
		}
		rec.message = p.Response
		// The input contains what the cache had and got, which count apart.
		rec.usage = counted(p.Usage.Input-p.Usage.Cached-p.Usage.CacheWrite, p.Usage.CacheWrite, p.Usage.Cached, p.Usage.Output)
		return rec, rec.usage != nil
	}
	return rec, false
}

// item reads an item of the conversation. It is false for one that says nothing.
func (p codexPayload) item(rec *record) bool {
	switch {
	case p.Type == "message" && p.Role == typeUser:
		rec.who, rec.prompt = typeUser, p.prompt()
	// Calls come in lines of their own: until one comes, the agent counts as stopped.
	case p.Type == "message" && p.Role == typeAssistant:
		rec.who, rec.stopped = typeAssistant, true
		for _, text := range p.texts() {
			rec.blocks = append(rec.blocks, block{text: text})
		}
	// Before the calls: `function_call_output` ends otherwise than `function_call`.
	case strings.HasSuffix(p.Type, "call_output"):
		rec.who = typeUser
	case strings.HasSuffix(p.Type, "_call"):
		tool := cmp.Or(p.Name, strings.TrimSuffix(p.Type, "_call")) // such as web_search
		rec.who, rec.blocks = typeAssistant, []block{p.asked().use(p.Call, tool, patched(p.Input)...)}
	default:
		return false
	}
	return true
}

// asked is what a tool was given.
func (p codexPayload) asked() (in toolInput) {
	_ = json.Unmarshal([]byte(p.Arguments), &in) // other shapes say nothing
	// A shell's call has an action in the place of arguments.
	in.Command = words(cmp.Or(in.command(), p.Action.command()))
	return in
}

// texts are the texts of a message, in order.
func (p codexPayload) texts() (texts []string) {
	var content []struct {
		Text string `json:"text"`
	}
	_ = json.Unmarshal(p.Content, &content) // other shapes have no text
	for _, c := range content {
		texts = append(texts, c.Text)
	}
	return texts
}

// prompt is what the user asked. Codex itself says what else is in the user's name: environment,
// instructions; older versions mark it by its first words alone.
func (p codexPayload) prompt() string {
	ofUser := func(kind string) bool { return strings.HasPrefix(kind, "user.") }
	if len(p.Internals.Kinds) > 0 && !slices.ContainsFunc(p.Internals.Kinds, ofUser) {
		return ""
	}
	var texts []string
	for _, text := range p.texts() {
		if text = unwrapped(text); text != "" && !strings.HasPrefix(text, "# AGENTS.md instructions") {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, "\n")
}
