package hooks

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"entire-plumb/internal/agent"
	"entire-plumb/internal/jsonfault"
	"entire-plumb/internal/session"
	"entire-plumb/internal/turns"
	"entire-plumb/shadow"
)

// largestPayload is how many bytes an agent may send a hook. A prompt with a pasted file is
// kilobytes.
const largestPayload = 32 << 20

// agentPayload holds the keys of an event that are read. Most agents use the same names.
type agentPayload struct {
	SessionID      string `json:"session_id"`
	TranscriptPath string `json:"transcript_path"`
	Cwd            string `json:"cwd"`
	Prompt         prompt `json:"prompt"`
	PromptID       string `json:"prompt_id"`
	Event          string `json:"hook_event_name"`
	Title          string `json:"session_title"`
	Agent          string `json:"agent"` // of a generic event: the agent's name for people
	Model          string `json:"model"`
	StopHookActive bool   `json:"stop_hook_active"`
	// Tasks that go on after the agent has stopped.
	Background []backgroundTask `json:"background_tasks"`

	ToolName  string          `json:"tool_name"`
	ToolUseID string          `json:"tool_use_id"`
	ToolInput json.RawMessage `json:"tool_input"`
	// What a tool gives back may be of any shape.
	ToolResponse json.RawMessage `json:"tool_response"`
	// The subagent that the event comes from. Not all versions name it.
	AgentID   string `json:"agent_id"`
	AgentType string `json:"agent_type"`
	Parent    string `json:"parent_tool_use_id"`
	// The transcript of the subagent that ended.
	AgentTranscript string `json:"agent_transcript_path"`

	raw []byte // the whole event
	// What tells that it is another agent's: see agent.Sender.
	ofCursor, otherID bool
	// A subagent's turn has a session ID of its own.
	subagents bool
	steer     bool // the prompt was typed into the turn
	request   bool // of a prompt: it may be a further request of the turn
	goesOn    bool // of a stop: tasks do that are not named
	answer    string
}

type backgroundTask struct {
	ID      string `json:"id"`
	Type    string `json:"type"`
	Status  string `json:"status"`
	Command string `json:"command"`
}

// prompt is what the user asked: a text, or a list of parts that have texts, as Kimi Code sends it.
type prompt string

// UnmarshalJSON fails for other shapes.
func (p *prompt) UnmarshalJSON(data []byte) error {
	var parts []struct {
		Text string `json:"text"`
	}
	err := json.Unmarshal(data, (*string)(p))
	if err == nil || json.Unmarshal(data, &parts) != nil {
		return err
	}
	var texts []string
	for _, part := range parts {
		if part.Text != "" { // an image has none
			texts = append(texts, part.Text)
		}
	}
	*p = prompt(strings.Join(texts, "\n"))
	return nil
}

// otherNames are names of the same keys: Copilot CLI's, Kimi Code's, and those of agents for which
// there is no row in the table, which can call the generic hooks; and keys that an event can do
// without.
type otherNames struct {
	SessionID      string   `json:"sessionId"`
	ConversationID string   `json:"conversation_id"`
	TranscriptPath string   `json:"transcriptPath"`
	Roots          []string `json:"workspace_roots"`
	// Antigravity's.
	Conversation string   `json:"conversationId"`
	Workspaces   []string `json:"workspacePaths"`
	ModelName    string   `json:"modelName"`
	Invocation   int      `json:"invocationNum"`
	Idle         *bool    `json:"fullyIdle"`

	CursorVersion json.RawMessage `json:"cursor_version"`
	AgentID       string          `json:"agentId"`
	AgentType     string          `json:"agentType"`
	ParentAgent   string          `json:"parentAgentId"`
	ParentAgentID string          `json:"parent_agent_id"`
	ToolCallID    string          `json:"tool_call_id"`
	Steer         bool            `json:"is_steer"`

	Answer  string `json:"last_assistant_message"`
	Answers string `json:"prompt_response"` // Gemini CLI's: all texts of the turn
}

// over are the states of tasks in the background that have ended. Qwen Code names such, too.
var over = []string{"completed", "failed", "cancelled", "killed"}

// fill sets what has another name, and leaves out tasks that have ended.
func (p *agentPayload) fill(data []byte) {
	p.Background = slices.DeleteFunc(p.Background, func(t backgroundTask) bool { return slices.Contains(over, t.Status) })
	var other otherNames
	_ = json.Unmarshal(data, &other) // another shape is ignored
	p.ofCursor, p.otherID = other.CursorVersion != nil, p.SessionID == ""
	p.SessionID = cmp.Or(p.SessionID, other.SessionID, other.ConversationID, other.Conversation)
	p.AgentID, p.AgentType = cmp.Or(p.AgentID, other.AgentID), cmp.Or(p.AgentType, other.AgentType)
	p.subagents = cmp.Or(other.ParentAgent, other.ParentAgentID) != "" && p.AgentID == p.SessionID
	p.TranscriptPath = cmp.Or(p.TranscriptPath, other.TranscriptPath)
	p.ToolUseID, p.steer = cmp.Or(p.ToolUseID, other.ToolCallID), other.Steer
	p.answer = cmp.Or(other.Answer, other.Answers)
	p.Model = cmp.Or(p.Model, other.ModelName)
	p.request, p.goesOn = other.Invocation > 0, other.Idle != nil && !*other.Idle
	if roots := append(other.Roots, other.Workspaces...); len(roots) > 0 {
		p.Cwd = cmp.Or(p.Cwd, roots[0])
	}
}

// event is the event as any agent's. dir is the directory from which paths are relative.
func (p agentPayload) event(sender agent.Agent, dir string) turns.Event {
	e := turns.Event{SessionID: p.SessionID, TranscriptPath: p.TranscriptPath,
		Prompt: string(p.Prompt), Answer: p.answer, Model: p.Model, Agent: p.title(sender), Title: p.Title,
		Terminals: sender.Terminals, Continues: p.StopHookActive, Background: len(p.Background) > 0 || p.goesOn, Request: p.request,
		Unmarked: sender.Unmarked && p.Event != "Interrupt"}
	if sender.PromptIDs {
		e.PromptID = p.PromptID
	}
	p.task(&e)
	for _, path := range []*string{&e.TranscriptPath, &e.AgentTranscript} {
		if *path != "" && !filepath.IsAbs(*path) {
			*path = filepath.Join(dir, *path)
		}
	}
	return e
}

// task reads the fields about a tool's use.
func (p agentPayload) task(e *turns.Event) {
	var input struct {
		AgentType   string          `json:"subagent_type"`
		Description string          `json:"description"`
		Background  bool            `json:"run_in_background"`
		Todos       json.RawMessage `json:"todos"`
		Isolation   string          `json:"isolation"`
		// Of tools that change one entry of the list.
		Doing   string `json:"activeForm"`
		Subject string `json:"subject"`
	}
	var response struct {
		AgentID string `json:"agentId"`
	}
	_ = json.Unmarshal(p.ToolInput, &input) // another shape is ignored
	_ = json.Unmarshal(p.ToolResponse, &response)
	e.ToolUseID, e.Input, e.AgentID = p.ToolUseID, p.ToolInput, response.AgentID
	e.Background = e.Background || input.Background
	for _, task := range p.Background {
		shell := strings.Contains(task.Type, "shell") || strings.Contains(task.Type, "bash")
		e.Running = append(e.Running, session.BackgroundTask{ID: task.ID, Shell: shell, Command: task.Command})
	}
	e.AgentType, e.Description, e.Tool = input.AgentType, input.Description, p.ToolName
	e.Todo = cmp.Or(shadow.CurrentTodo(input.Todos), input.Doing, input.Subject)
	if p.AgentTranscript != "" { // of an event about the subagent
		e.AgentTranscript, e.AgentID, e.AgentType = p.AgentTranscript, cmp.Or(e.AgentID, p.AgentID), cmp.Or(e.AgentType, p.AgentType)
	}
	if e.ToolUseID == "" {
		e.ToolUseID, e.AgentID, e.AgentType = p.AgentID, p.AgentID, p.AgentType
	}
	e.Isolated = input.Isolation == "worktree"
	e.By = session.By{AgentID: p.AgentID, AgentType: p.AgentType, ToolUseID: p.Parent}
}

// sender is the agent that sent the event to a hook of a's settings.
func (p agentPayload) sender(a agent.Agent, getenv func(string) string) (sender agent.Agent, known bool) {
	return a.Sender(agent.Sent{Getenv: getenv, Transcript: p.TranscriptPath, Cursor: p.ofCursor, Camel: p.otherID})
}

// title is the agent's name for people. A generic agent names itself, in the event or when it calls
// the hook.
func (p agentPayload) title(a agent.Agent) string {
	if a.Name != agent.Generic.Name {
		return a.Title
	}
	const longest = 40
	name := strings.Map(func(c rune) rune {
		if unicode.IsPrint(c) {
			return c
		}
		return -1
	}, cmp.Or(p.Agent, a.Title))
	if name == "" || len(name) > longest {
		return agent.Generic.Title
	}
	return name
}

// readEvent reads the event on stdin; verb must be one of the agent's.
func (e Env) readEvent(ctx context.Context, a agent.Agent, verb string) (agentPayload, error) {
	if !slices.Contains(a.Verbs(), verb) {
		return agentPayload{}, fmt.Errorf("%w %q of %s\nhint: one of %s", ErrUnknownEvent, verb, a.Title, strings.Join(a.Verbs(), ", "))
	}
	payload, err := readPayload(ctx, e.Stdin, a)
	if err != nil {
		err = fmt.Errorf("%s: %w", verb, err)
	}
	return payload, err
}

func readPayload(ctx context.Context, in io.Reader, a agent.Agent) (agentPayload, error) {
	var p agentPayload
	hint := "\nhint: " + a.Title + " calls this with the event's JSON on stdin; to try by hand: " +
		"echo '{\"session_id\":\"test\"}' | entire-plumb hooks " + a.Name + " …"
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
	err = json.Unmarshal(data, &p)
	p.fill(data)
	if err != nil && (p.SessionID == "" || !dispensable(err)) {
		return p, fmt.Errorf("stdin is not the JSON expected: %w%s", jsonfault.Explain(err), hint)
	}
	p.raw = data
	if p.SessionID == "" {
		return p, errors.New("the JSON on stdin has no session_id" + hint)
	}
	return p, session.CheckID(p.SessionID)
}

// dispensable reports whether an error is that a key has another shape, perhaps in another version
// of the agent, without which the event says enough.
func dispensable(err error) bool {
	var shape *json.UnmarshalTypeError
	return errors.As(err, &shape) && !slices.Contains([]string{"session_id", "transcript_path", "cwd", "prompt"}, shape.Field)
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
// complain.
func readAll(ctx context.Context, in io.Reader) ([]byte, error) {
	in = endingWith(ctx, in)
	data, err := io.ReadAll(io.LimitReader(in, largestPayload+1))
	if len(data) > largestPayload {
		io.Copy(io.Discard, in)
	}
	return data, err
}

// mostOfGit is how many bytes of git's lines a hook reads: those of half a million refs.
const mostOfGit = 128 << 20

// fromGit reads git's lines, until the context ends. It fails after mostOfGit: whoever calls the
// hook may send lines without end.
func fromGit(ctx context.Context, in io.Reader) io.Reader {
	return &ending{endingWith(ctx, in), mostOfGit}
}

// ending is a reader that fails after so many bytes.
type ending struct {
	io.Reader
	left int
}

func (r *ending) Read(part []byte) (n int, err error) {
	if r.left <= 0 {
		return 0, fmt.Errorf("stdin holds more than %d MiB", mostOfGit>>20)
	}
	n, err = r.Reader.Read(part[:min(len(part), r.left)])
	r.left -= n
	return n, err
}

// endingWith reads in until the context ends, with its error: nothing else can interrupt a read.
func endingWith(ctx context.Context, in io.Reader) io.Reader {
	r, w := io.Pipe()
	context.AfterFunc(ctx, func() { w.CloseWithError(ctx.Err()) })
	go func() {
		_, err := io.Copy(w, in)
		w.CloseWithError(err)
	}()
	return r
}
