package hooks

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"entire-plumb/internal/agent"
	"entire-plumb/internal/jsonfault"
	"entire-plumb/internal/session"
	"entire-plumb/internal/transcript"
)

// CheckedEvent is what would be recorded of an event of a plugin's, or what is wrong with it, or
// with a line of the transcript that it names.
type CheckedEvent struct {
	// in the file, from 1
	Line int `json:"line"`
	// whose line it is; absent: the events' file
	Transcript string `json:"transcript,omitempty"`
	// the event
	Verb string `json:"verb,omitempty"`
	// of the event
	SessionID string `json:"session_id,omitempty"`
	// in words; absent: nothing
	Recorded string `json:"recorded,omitempty"`
	// in words; absent: nothing
	Wrong string `json:"wrong,omitempty"`
}

// checker follows the sessions of a file of events.
type checker struct {
	all         []CheckedEvent
	sessions    map[string]*checkedSession
	transcripts map[string]int // the first line that names each
}

type checkedSession struct {
	turn     int            // the line of the prompt in progress; 0: none
	prompted bool           // ever
	tasks    map[string]int // in progress, by the line that began each
}

// Check says, event by event, what the generic hooks would record of a file in which each line is
// an event of one session or several, with its "verb". The error says why the file can't be read.
func Check(ctx context.Context, in io.Reader) ([]CheckedEvent, error) {
	c := checker{sessions: map[string]*checkedSession{}, transcripts: map[string]int{}}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, largestPayload)
	at := 0
	for lines.Scan() {
		if at++; len(bytes.TrimSpace(lines.Bytes())) > 0 {
			c.event(at, lines.Bytes())
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return nil, fmt.Errorf("line %d has more than %d MiB", at+1, largestPayload>>20)
	}
	if len(c.all) == 0 && lines.Err() == nil {
		return nil, errors.New("there is no event in it\nhint: write one a line, such as {\"verb\":\"stop\",\"session_id\":\"s1\"}")
	}
	c.unfinished()
	slices.SortStableFunc(c.all, func(a, b CheckedEvent) int { return cmp.Compare(a.Line, b.Line) })
	c.readTranscripts(ctx)
	return c.all, lines.Err()
}

// event reads one line.
func (c *checker) event(at int, line []byte) {
	var named struct {
		Verb string `json:"verb"`
	}
	var p agentPayload
	err := json.Unmarshal(line, &p)
	p.fill(line)
	_ = json.Unmarshal(line, &named) // a verb that is no text is no event
	one := CheckedEvent{Line: at, Verb: named.Verb, SessionID: p.SessionID}
	switch {
	case !json.Valid(line):
		one.Wrong = "this is no JSON"
	case err != nil:
		one.Wrong = "this is not the JSON expected: " + jsonfault.Explain(err).Error()
	case !slices.Contains(agent.Generic.Verbs(), named.Verb):
		one.Wrong = fmt.Sprintf("%q is no event: \"verb\" is one of %s", named.Verb, strings.Join(agent.Generic.Verbs(), ", "))
	case p.SessionID == "":
		one.Wrong = "it has no session_id"
	case session.CheckID(p.SessionID) != nil:
		one.Wrong, _, _ = strings.Cut(session.CheckID(p.SessionID).Error(), "\n")
	case p.subagents:
		one.Recorded = "nothing: a subagent's turn is its caller's"
	default:
		one.Recorded, one.Wrong = c.follow(at, named.Verb, p)
	}
	for _, path := range []string{p.TranscriptPath, p.AgentTranscript} {
		if c.transcripts[path] == 0 && filepath.IsAbs(path) {
			c.transcripts[path] = at
		}
	}
	c.all = append(c.all, one)
	for _, wrong := range []string{wrongPath("cwd", p.Cwd), wrongPath("transcript_path", p.TranscriptPath), wrongPath("agent_transcript_path", p.AgentTranscript)} {
		if wrong != "" {
			c.all = append(c.all, CheckedEvent{Line: at, Verb: named.Verb, SessionID: p.SessionID, Wrong: wrong})
		}
	}
}

func wrongPath(key, path string) string {
	if path == "" || filepath.IsAbs(path) {
		return ""
	}
	return fmt.Sprintf("%s is %q, which is not absolute: it depends on the directory that the hook is called in", key, path)
}

// follow says what an event does to its session.
func (c *checker) follow(at int, verb string, p agentPayload) (recorded, wrong string) {
	s := c.sessions[p.SessionID]
	if s == nil {
		s = &checkedSession{tasks: map[string]int{}}
		c.sessions[p.SessionID] = s
	}
	switch verb {
	case agent.SessionStart:
		return "the session begins, or goes on", ""
	case agent.Prompt:
		return s.prompt(at, string(p.Prompt))
	case agent.Stop:
		return s.stop(p)
	case agent.SessionEnd:
		recorded = "the session ends"
		if s.turn > 0 {
			recorded += ", and its turn"
		}
		s.turn = 0
		return recorded, ""
	}
	return s.task(at, verb, p)
}

func (s *checkedSession) prompt(at int, prompt string) (recorded, wrong string) {
	recorded = "a turn begins"
	if s.turn > 0 {
		recorded = fmt.Sprintf("the turn of line %d ends, as if interrupted, and another begins", s.turn)
	}
	if prompt == "" {
		wrong = "it has no prompt: nothing tells what the user asked"
	}
	s.turn, s.prompted = at, true
	return recorded, wrong
}

func (s *checkedSession) stop(p agentPayload) (recorded, wrong string) {
	switch {
	case s.turn > 0:
		s.turn = 0
		return "the turn ends: what changed in it is the agent's", ""
	case p.StopHookActive:
		return "the turn that ended before went on, and ends again", ""
	case s.prompted:
		return "nothing but what the transcript names: the turn has ended before", ""
	}
	return "what the transcript names", "no user-prompt-submit came before it: when the turn began is not known"
}

// task follows the events of subagents.
func (s *checkedSession) task(at int, verb string, p agentPayload) (recorded, wrong string) {
	id := cmp.Or(p.ToolUseID, p.AgentID)
	began, known := s.tasks[id]
	switch {
	case session.CheckID(id) != nil && (verb != agent.TaskStep || len(s.tasks) > 0):
		return "", fmt.Sprintf("tool_use_id is %q: it has letters, digits, '.', '_' and '-'", id)
	case verb == agent.TaskStart && known:
		return "", fmt.Sprintf("the task %s began already, in line %d", id, began)
	case verb == agent.TaskStart:
		s.tasks[id] = at
		return "a subagent's task begins", ""
	case verb == agent.TaskStep && len(s.tasks) == 0:
		return "nothing: no subagent is at work", ""
	case verb == agent.TaskStep:
		return "a checkpoint of a task, if a file changed", ""
	case !known:
		return "a checkpoint of a task, if a file changed", fmt.Sprintf("no pre-task of %s came before it", id)
	}
	delete(s.tasks, id)
	return "the task ends: a checkpoint, if a file changed", ""
}

// unfinished adds what has not ended.
func (c *checker) unfinished() {
	for _, id := range slices.Sorted(maps.Keys(c.sessions)) {
		s := c.sessions[id]
		if s.turn > 0 {
			c.all = append(c.all, CheckedEvent{Line: s.turn, Verb: agent.Prompt, SessionID: id,
				Wrong: "no stop ends this turn: send one also when it is aborted or fails"})
		}
		for _, task := range slices.Sorted(maps.Keys(s.tasks)) {
			c.all = append(c.all, CheckedEvent{Line: s.tasks[task], Verb: agent.TaskStart, SessionID: id, Wrong: "no post-task ends the task " + task})
		}
	}
}

// readTranscripts adds what the transcripts hold, as they are now.
func (c *checker) readTranscripts(ctx context.Context) {
	for _, path := range slices.Sorted(maps.Keys(c.transcripts)) {
		one := CheckedEvent{Line: c.transcripts[path]}
		held, bad, err := transcript.Check(ctx, path)
		if err != nil {
			one.Wrong = err.Error()
		} else {
			u := held.Usage
			one.Recorded = fmt.Sprintf("transcript %s: prompts %d, answers %d, uses of tools %d, files named %d; tokens: input %d, cache %d, output %d", path,
				held.Prompts, held.Answers, held.Uses, len(held.Files), u.InputTokens, u.CacheCreationTokens+u.CacheReadTokens, u.OutputTokens)
		}
		c.all = append(c.all, one)
		for _, b := range bad {
			c.all = append(c.all, CheckedEvent{Line: b.Line, Transcript: path, Wrong: "the line " + b.What})
		}
	}
}
