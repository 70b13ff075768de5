package hooks

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"entire-plumb/internal/explain"
	"entire-plumb/internal/journal"
	"entire-plumb/internal/jsonfault"
	"entire-plumb/internal/session"
)

// ClaudeCodeVerbs are the events of Claude Code that this program listens to.
var ClaudeCodeVerbs = []string{"session-start", "user-prompt-submit", "stop", "pre-task", "post-task", "post-todo", "session-end"}

// largestPayload is how many bytes an agent may send a hook. A prompt with a pasted file is
// kilobytes.
const largestPayload = 32 << 20

// claudePayload holds the keys of Claude Code's JSON that are read.
type claudePayload struct {
	SessionID      string `json:"session_id"`
	TranscriptPath string `json:"transcript_path"`
	Source         string `json:"source"`
	Prompt         string `json:"prompt"`
	Model          string `json:"model"`
	StopHookActive bool   `json:"stop_hook_active"`
	// Tasks that go on after the agent has stopped.
	Background []json.RawMessage `json:"background_tasks"`

	ToolUseID string          `json:"tool_use_id"`
	ToolInput json.RawMessage `json:"tool_input"`
	// What a tool gives back may be of any shape.
	ToolResponse json.RawMessage `json:"tool_response"`
	// The subagent that the event comes from. Not all versions name it.
	AgentID   string `json:"agent_id"`
	AgentType string `json:"agent_type"`
	Parent    string `json:"parent_tool_use_id"`
}

// task reads the fields about a tool's use.
func (p claudePayload) task(e *TurnEvent) {
	var input struct {
		AgentType   string          `json:"subagent_type"`
		Description string          `json:"description"`
		Todos       json.RawMessage `json:"todos"`
	}
	var response struct {
		AgentID string `json:"agentId"`
	}
	_ = json.Unmarshal(p.ToolInput, &input) // another shape is ignored
	_ = json.Unmarshal(p.ToolResponse, &response)
	e.ToolUseID, e.Input, e.AgentID = p.ToolUseID, p.ToolInput, response.AgentID
	e.AgentType, e.Description, e.Todos = input.AgentType, input.Description, input.Todos
	e.By = session.By{AgentID: p.AgentID, AgentType: p.AgentType, ToolUseID: p.Parent}
}

// ClaudeCode runs one of Claude Code's hooks, which reads the event on stdin. The agent reads
// stdout: it holds only notices for the user, in the agent's JSON. Where this program is not
// enabled the error says so, and the agent is not disturbed: see workspace.NotRecorded.
func (e Env) ClaudeCode(ctx context.Context, verb string) error {
	return e.Guard(ctx, "claude-code "+verb, func() error { return e.claudeCode(ctx, verb) })
}

func (e Env) claudeCode(ctx context.Context, verb string) error {
	if !slices.Contains(ClaudeCodeVerbs, verb) {
		return fmt.Errorf("unknown event %q of Claude Code\nhint: one of %s", verb, strings.Join(ClaudeCodeVerbs, ", "))
	}
	payload, err := readPayload(ctx, e.Stdin)
	if err != nil {
		return fmt.Errorf("%s: %w", verb, err)
	}
	dir := e.Dir
	if project := e.Getenv("CLAUDE_PROJECT_DIR"); project != "" {
		dir = project // the agent may have changed its directory, even into a submodule
	}
	begun := time.Now()
	p, err := e.open(ctx, dir)
	if err != nil {
		return explain.Error(ctx, err)
	}
	event := TurnEvent{SessionID: payload.SessionID, TranscriptPath: payload.TranscriptPath,
		Prompt: payload.Prompt, Model: payload.Model, Agent: session.ClaudeCode,
		Continues: payload.StopHookActive, Background: len(payload.Background) > 0}
	if event.TranscriptPath != "" && !filepath.IsAbs(event.TranscriptPath) {
		event.TranscriptPath = filepath.Join(e.Dir, event.TranscriptPath)
	}
	payload.task(&event)
	outcome, err := p.Retry(ctx, func() (string, error) {
		switch verb {
		case "session-start":
			return p.sessionStart(ctx, event)
		case "user-prompt-submit":
			return p.turnStart(ctx, event)
		case "stop":
			return p.turnEnd(ctx, event, session.TurnEnd)
		case "pre-task":
			return p.taskStart(ctx, event)
		case "post-task":
			return p.taskEnd(ctx, event)
		case "post-todo":
			return p.taskStep(ctx, event)
		}
		return p.sessionEnd(ctx, event)
	})
	if err2 := p.printNotices(); err == nil {
		err = err2
	}
	err = p.Finish(journal.Entry{Hook: "claude-code " + verb, Session: payload.SessionID, Outcome: outcome}, begun, err)
	return explain.Error(ctx, err)
}

func readPayload(ctx context.Context, in io.Reader) (claudePayload, error) {
	var p claudePayload
	const hint = "\nhint: Claude Code calls this with the event's JSON on stdin; to try by hand: " +
		"echo '{\"session_id\":\"test\"}' | entire-plumb hooks claude-code …"
	if device(in) {
		return p, errors.New("stdin is a terminal" + hint)
	}
	data, err := readAll(ctx, in)
	switch {
	case err != nil:
		return p, fmt.Errorf("stdin cannot be read: %w", err)
	case len(data) > largestPayload:
		return p, fmt.Errorf("stdin holds more than %d MiB\n"+
			"hint: so long a prompt is not recorded; what the agent's tools write is, when its turn ends", largestPayload>>20)
	case len(bytes.TrimSpace(data)) == 0:
		return p, errors.New("stdin is empty" + hint)
	}
	if err := json.Unmarshal(data, &p); err != nil {
		return p, fmt.Errorf("stdin is not the JSON expected: %w%s", jsonfault.Explain(err), hint)
	}
	if p.SessionID == "" {
		return p, errors.New("the JSON on stdin has no session_id" + hint)
	}
	return p, session.CheckID(p.SessionID)
}

// device reports whether reading in would wait for a person: it is a terminal. /dev/null is not
// one.
func device(in io.Reader) bool {
	f, ok := in.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	none, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, none)
}

// readAll reads to the end, but keeps one byte more than the limit: a sender that is cut off would
// complain. It also returns when the context ends; nothing else can interrupt a read.
func readAll(ctx context.Context, in io.Reader) ([]byte, error) {
	type result struct {
		data []byte
		err  error
	}
	done := make(chan result, 1)
	go func() {
		data, err := io.ReadAll(io.LimitReader(in, largestPayload+1))
		if len(data) > largestPayload {
			io.Copy(io.Discard, in)
		}
		done <- result{data, err}
	}()
	select {
	case r := <-done:
		return r.data, r.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
