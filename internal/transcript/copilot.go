package transcript

import (
	"bytes"
	"encoding/json"
	"slices"
)

// copilotTools are the tools of Copilot CLI whose effect is known. What its subagents do is in the
// session's own transcript.
var copilotTools = map[string]effect{
	"create": writes, "edit": writes,
	"task": delegates,
	"view": reads, "grep": reads, "rg": reads, "show_file": reads, "read_bash": reads, "stop_bash": reads, "list_bash": reads,
	"read_powershell": reads, "stop_powershell": reads, "list_powershell": reads, "read_agent": reads, "list_agents": reads,
	"sql": reads, "skill": reads, "report_intent": reads, "update_todo": reads, "exit_plan_mode": reads, "task_complete": reads,
	"fetch_copilot_cli_documentation": reads,
}

const (
	copilotStart   = "session.start"
	copilotResume  = "session.resume"
	copilotContext = "session.context_changed"
	copilotTitle   = "session.title_changed"
	copilotError   = "session.error"
	copilotUsage   = "session.usage_record"
	copilotPrompt  = "user.message"
	copilotAnswer  = "assistant.message"
	copilotAbort   = "abort"
)

// copilotTypes are those of the lines that count. Most others repeat what hooks were sent.
var copilotTypes = []string{copilotAnswer, copilotUsage, copilotPrompt, copilotAbort, copilotStart, copilotResume, copilotContext,
	copilotTitle, copilotError}

// copilotLine is what is needed of a line of Copilot CLI's.
type copilotLine struct {
	Type      string      `json:"type"`
	ID        string      `json:"id"`
	Agent     loose       `json:"agentId"` // the subagent whose it is
	Timestamp stamp       `json:"timestamp"`
	Data      copilotData `json:"data"`
}

type copilotData struct {
	Content  loose        `json:"content"`
	Source   loose        `json:"source"`   // who sent a user's message, if not the user
	Delivery loose        `json:"delivery"` // whether the agent was at work then
	Goes     bool         `json:"isAutopilotContinuation"`
	Message  loose        `json:"messageId"`
	Model    loose        `json:"model"`
	Requests []copilotUse `json:"toolRequests"`
	Cwd      loose        `json:"cwd"`
	Title    loose        `json:"title"`
	Context  struct {
		Cwd loose `json:"cwd"`
	} `json:"context"`
	// Of one response. The input contains what the cache had and got.
	Usage struct {
		Input      int `json:"inputTokens"`
		CacheRead  int `json:"cacheReadTokens"`
		CacheWrite int `json:"cacheWriteTokens"`
		Output     int `json:"outputTokens"`
	} `json:"usage"`
}

// copilotUse is a tool that an answer asks for. Its arguments are an object, or a patch.
type copilotUse struct {
	ID        loose           `json:"toolCallId"`
	Name      loose           `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

// copilotOutput reports whether a line has the result of a tool of Copilot CLI's.
func copilotOutput(line []byte) bool {
	return bytes.HasPrefix(line, []byte(`{"type":"tool.execution_complete",`))
}

// copilotRepeats reports whether a line has the input of a tool once more: as it begins, or as a
// hook was sent it.
func copilotRepeats(line []byte) bool {
	return bytes.HasPrefix(line, []byte(`{"type":"tool.`)) || bytes.HasPrefix(line, []byte(`{"type":"hook.`))
}

// copilotRecord reads a line of Copilot CLI's events.jsonl (seen: 1.0.102).
// `{"type":"assistant.message","data":{"messageId":"…","content":"…","toolRequests":[…]},…}`
func copilotRecord(line []byte) (record, bool) {
	if !copilotSays(head(line)) {
		return record{}, false
	}
	var l copilotLine
	if json.Unmarshal(line, &l) != nil || l.ID == "" {
		return record{}, false
	}
	rec := record{message: l.ID, when: l.Timestamp.Time, subagent: l.Agent != ""}
	d := l.Data
	switch l.Type {
	case copilotPrompt:
		// A prompt that was delivered to an idle agent begins a turn.
		rec.who, rec.prompt, rec.queued = typeUser, l.prompt(), d.Delivery != "" && d.Delivery != "idle"
	case copilotAnswer:
		rec.who, rec.message, rec.model, rec.stopped = typeAssistant, string(d.Message), string(d.Model), len(d.Requests) == 0
		rec.blocks = d.blocks()
	case copilotUsage:
		u := d.Usage
		// The input contains what the cache had and got, which count apart.
		rec.usage = counted(u.Input-u.CacheRead-u.CacheWrite, u.CacheWrite, u.CacheRead, u.Output)
		return rec, rec.usage != nil
	case copilotAbort:
		rec.interrupted = true
	case copilotError:
		rec.madeUp = true // in place of an answer
	case copilotStart, copilotResume:
		rec.cwd = string(d.Context.Cwd)
	case copilotContext:
		rec.cwd = string(d.Cwd)
	case copilotTitle:
		rec.title = string(d.Title)
	default:
		return record{}, false
	}
	return rec, true
}

// copilotSays reports quickly, by its beginning, whether a line may be one that counts.
func copilotSays(head []byte) bool {
	return names(head, "data") && names(head, "type") &&
		slices.ContainsFunc(copilotTypes, func(t string) bool { return names(head, t) })
}

// prompt is what the user asked. What subagents are asked, and what the program itself says in the
// user's name, has a source.
func (l copilotLine) prompt() string {
	// Autopilot goes on by itself: nobody asked for that.
	if l.Agent != "" || l.Data.Goes || l.Data.Source != "" && l.Data.Source != typeUser {
		return ""
	}
	return unwrapped(string(l.Data.Content))
}

func (d copilotData) blocks() (all []block) {
	if d.Content != "" {
		all = append(all, block{text: string(d.Content)})
	}
	for _, use := range d.Requests {
		var in toolInput
		var patch string
		_ = json.Unmarshal(use.Arguments, &in) // either is empty in another shape
		_ = json.Unmarshal(use.Arguments, &patch)
		used := in.use(string(use.ID), string(use.Name), append(patched(patch), in.file())...)
		if used.effect == delegates {
			used.effect = reads // what it does follows, in this transcript
		}
		all = append(all, used)
	}
	return all
}
