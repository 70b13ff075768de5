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
	"entire-plumb/internal/workspace"
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
	// The subagent that the event comes from. Not all versions say it.
	AgentID   string `json:"agent_id"`
	AgentType string `json:"agent_type"`
	Parent    string `json:"parent_tool_use_id"`
}

// task reads what the event says of a tool's use.
func (p claudePayload) task(e *TurnEvent) {
	var input struct {
		AgentType   string          `json:"subagent_type"`
		Description string          `json:"description"`
		Todos       json.RawMessage `json:"todos"`
	}
	var response struct {
		AgentID string `json:"agentId"`
	}
	_ = json.Unmarshal(p.ToolInput, &input) // what is of another shape says nothing
	_ = json.Unmarshal(p.ToolResponse, &response)
	e.ToolUseID, e.Input, e.AgentID = p.ToolUseID, p.ToolInput, response.AgentID
	e.AgentType, e.Description, e.Todos = input.AgentType, input.Description, input.Todos
	e.By = session.By{AgentID: p.AgentID, AgentType: p.AgentType, ToolUseID: p.Parent}
}

// session.ClaudeCode runs one of Claude Code's hooks, which reads the event on stdin. On stdout,
// which the agent reads, there is nothing but what is meant for the user, in the agent's JSON.
// Where this program isn't enabled the error says so and the agent isn't disturbed: see
// Undisturbing.
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
		dir = project // the agent may have changed its directory meanwhile, into a submodule even
	}
	begun := time.Now()
	p, err := e.open(ctx, dir)
	if err != nil {
		return explain.Error(ctx, err)
	}
	event := TurnEvent{SessionID: payload.SessionID, TranscriptPath: payload.TranscriptPath, Prompt: payload.Prompt, Model: payload.Model, Agent: session.ClaudeCode, Continues: payload.StopHookActive,
		Background: len(payload.Background) > 0}
	if event.TranscriptPath != "" && !filepath.IsAbs(event.TranscriptPath) {
		event.TranscriptPath = filepath.Join(e.Dir, event.TranscriptPath)
	}
	payload.task(&event)
	outcome, err := p.Repeat(ctx, func() (string, error) {
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
	if err2 := p.sayWords(); err == nil {
		err = err2
	}
	err = p.Finish(journal.Entry{Hook: "claude-code " + verb, Session: payload.SessionID, Outcome: outcome}, begun, err)
	return explain.Error(ctx, err)
}

// Undisturbing reports whether an agent's hook failed for a reason that is none of the agent's
// business: the hooks are installed for all of a user's projects, and this one has no use for them.
func Undisturbing(err error) bool { return workspace.NotRecorded(err) }

func readPayload(ctx context.Context, in io.Reader) (claudePayload, error) {
	var p claudePayload
	const hint = "\nhint: Claude Code calls this with the event's JSON on stdin; to try by hand: echo '{\"session_id\":\"test\"}' | entire-plumb hooks claude-code …"
	if device(in) {
		return p, errors.New("stdin is a terminal" + hint)
	}
	data, err := readAll(ctx, in)
	switch {
	case err != nil:
		return p, fmt.Errorf("stdin cannot be read: %w", err)
	case len(data) > largestPayload:
		return p, fmt.Errorf("stdin holds more than %d MiB\nhint: so long a prompt is not recorded; what the agent's tools write is, when its turn ends", largestPayload>>20)
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

// device reports whether nothing can be expected from in: a terminal, where it would be waited for
// a person. Nothing at all, /dev/null, is no terminal.
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

// readAll reads to the end, but keeps no more than tells that it was too much: a sender that is cut
// off would complain. It returns when the context ends, too; nothing else could interrupt a read.
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
