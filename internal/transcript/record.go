package transcript

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"time"
)

const (
	typeUser      = "user"
	typeAssistant = "assistant"
)

// record is what one line of a transcript says, whichever agent wrote it.
type record struct {
	who      string // user or assistant; empty: it has no words
	subagent bool
	// prompt is what the user asked; empty: the record is none, but a tool's result or the agent's
	// program's own.
	prompt string
	queued bool    // the prompt was entered while the agent was at work, and no event named it
	blocks []block // what the assistant said and did, in order
	// grows tells that the record of a message comes again with what was added to it.
	grows       bool
	madeUp      bool   // by the agent's program: no model said it
	message     string // its ID; records of one message have the same
	model       string
	usage       *Usage  // nil: the record doesn't tell, or no message that it is of; see decode
	stopped     bool    // of the assistant's: it waits for nobody but the user
	interrupted bool    // the user stopped the agent
	notifies    *string // the tool use whose task in the background has ended; nil: none
	title       string  // of the session
	cwd         string  // the agent's directory from here on; empty: as it was
	namesTools  bool    // of the assistant's: it has all tools that the message uses, if any
	when        time.Time
}

// block is a text of the assistant's, or a tool that it used.
type block struct {
	text string
	tool string
	id   string // of the use; empty: not said
	// files are those that the tool was asked to write, by the names that stand there.
	files   []string
	named   string // the file that the tool was given, whatever it does with it
	command string // that it was told to run
	dir     string // in which the command runs; empty: the agent's
	effect  effect
	failed  bool   // or was refused, as the record itself says
	had     string // the text that the file had before, likewise
}

// runs reports whether it is the use of a shell, or of a tool of which nobody knows what it does.
func (b block) runs() bool { return b.tool != "" && b.effect == unknownEffect }

// begins reports whether it begins a turn of the main agent's.
func (r record) begins() bool { return r.prompt != "" && !r.queued && !r.subagent }

// runs reports whether it has such a use.
func (r record) runs() bool { return slices.ContainsFunc(r.blocks, block.runs) }

// lastText is the last text that is not blank; empty if none.
func (r record) lastText() string {
	for _, b := range slices.Backward(r.blocks) {
		if text := strings.TrimSpace(b.text); text != "" {
			return text
		}
	}
	return ""
}

// failedUses are the IDs of its uses of tools that failed.
func (r record) failedUses() (failed []string) {
	for _, b := range r.blocks {
		if b.failed && b.id != "" {
			failed = append(failed, b.id)
		}
	}
	return failed
}

// byUse says, by the IDs of uses of tools, where in a list is what they were given.
type byUse map[string][]int

func (u *byUse) add(use string, at int) {
	if use == "" {
		return
	}
	if *u == nil {
		*u = byUse{}
	}
	(*u)[use] = append((*u)[use], at)
}

// take are the places of some uses, which it then has no more: a transcript may repeat their IDs.
func (u byUse) take(uses []string) (at []int) {
	for _, use := range uses {
		at = append(at, u[use]...)
		delete(u, use)
	}
	return at
}

// format is how an agent writes its lines.
type format struct {
	record func(line []byte) (record, bool)
	// output reports whether a line has results of tools, and no words; nil: the agent writes none.
	output  func(line []byte) bool
	results results
}

// formats are those that a line may have. Each reads its own lines, and is false for others: so a
// stored transcript can be read without knowing whose it is.
var formats = []format{
	{openCodeRecord, openCodeOutput, results{id: "tool_use_id", says: "status", failed: failedStatus}},
	{qwenRecord, qwenOutput, results{in: "toolCallResult", id: "callId", says: "status", failed: failedStatus, had: "toolCallResult.resultDisplay.originalContent"}},
	{claudeRecord, claudeOutput, results{each: `"type":"tool_result"`, in: "message.content", id: "tool_use_id", says: "is_error", failed: isTrue,
		had: "toolUseResult.originalFile", detached: []string{"backgroundTaskId", "isAsync", "async_launched"}}},
	{codexRecord, codexOutput, results{in: "payload", id: "call_id", says: "output", failed: codexRefusals}},
	{geminiRecord, geminiOutput, results{each: `"functionResponse":`}}, // the record that has the use says how it ended
	{copilotRecord, copilotOutput, results{in: "data", id: "toolCallId", says: "success", failed: []string{"false"}}},
	{piRecord, piOutput, results{in: "message", id: "toolCallId", says: "isError", failed: isTrue}},
	{kimiRecord, kimiOutput, results{in: "event", id: "toolCallId", says: "result.isError", failed: isTrue}},
	{record: antigravityRecord},
	// Cursor's and the generic format come last: they ask for little more than a role.
	{record: cursorRecord}, {record: plainRecord},
}

// decode reads a line. It is false for a line that says nothing of what a record holds, among them
// those that are no JSON, or too long.
func decode(line []byte) (record, bool) {
	// lines gives nil for these; a chunk that is parsed may have one.
	if len(line) > maxParse {
		return record{}, false
	}
	line = compacted(line)
	for _, format := range formats {
		if rec, ok := format.record(line); ok {
			// Tokens of subagents count apart, whichever format says so.
			if rec.subagent && rec.usage != nil {
				rec.usage = &Usage{SubagentTokens: rec.usage}
			}
			return rec, true
		}
	}
	return record{}, false
}

// records reads a transcript's records, each with the line that holds it, and the line's number,
// from 0.
func records(ctx context.Context, in io.Reader, each func(rec record, line []byte, at int) error) error {
	at := -1
	return lines(in, func(line []byte) error {
		at++
		line = compacted(bytes.TrimSpace(line))
		if toolOutput(line) {
			return ctx.Err()
		}
		if rec, ok := decode(line); ok {
			return each(rec, line, at)
		}
		return ctx.Err()
	})
}

// toolOutput reports whether a line holds tools' results and no assistant's message. They are the
// most of a transcript, and nothing in them is counted.
func toolOutput(line []byte) bool {
	_, found := outputFormat(line)
	return found
}

// outputFormat is the format of a line that holds tools' results.
func outputFormat(line []byte) (format, bool) {
	line = compacted(line)
	for _, f := range formats {
		if f.output != nil && f.output(line) {
			return f, true
		}
	}
	return format{}, false
}

// names reports whether word is a key or a value of the JSON in line, at any depth. Within a longer
// string its quotes would be escaped.
func names(line []byte, word string) bool {
	// `"say \"user\""` has no `"user"`: the line need not be parsed.
	return bytes.Contains(line, []byte(`"`+word+`"`))
}

// head is the beginning of a line, with the keys that stand first.
func head(line []byte) []byte { return line[:min(len(line), 400)] }

// stamp is a record's time, as a text or in milliseconds; zero where it has another shape.
type stamp struct{ time.Time }

// UnmarshalJSON never fails.
func (s *stamp) UnmarshalJSON(data []byte) error {
	var text string
	var milliseconds int64
	// A smaller number is in seconds, or no time: it is not guessed.
	if json.Unmarshal(data, &milliseconds) == nil && milliseconds > 1e12 { // since 2001
		s.Time = time.UnixMilli(milliseconds).UTC()
		return nil
	}
	_ = json.Unmarshal(data, &text) // no time is empty
	s.Time, _ = time.Parse(time.RFC3339Nano, text)
	return nil
}
