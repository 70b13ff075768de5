package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// A session is one conversation with an agent. nil is the human.
type session struct {
	id     string
	agent  string // as entire-plumb names it
	begun  bool
	active bool // its turn is in progress
	turns  int
	said   int   // lines of its transcript
	from   files // the worktree when its turn began
}

func (s *session) name() string {
	if s == nil {
		return human
	}
	return s.id
}

// marks are the variables of what an agent runs, or the human.
func (s *session) marks() []string {
	switch {
	case s == nil:
		return []string{"ENTIRE_TEST_TTY=1"}
	case s.agent == "claude-code":
		return []string{"ENTIRE_TEST_TTY=0", "CLAUDECODE=1", "CLAUDE_CODE_SESSION_ID=" + s.id}
	}
	return []string{"ENTIRE_TEST_TTY=0"}
}

// stopped is the end of a turn: what was in the worktree then, on which commit.
type stopped struct {
	tree   *worktree
	head   string
	prompt string
	files  files
}

type object map[string]any

func (w *world) transcript(s *session) string {
	return filepath.Join(w.dir, "home", "transcripts", s.id+".jsonl")
}

// record appends to a session's transcript, in the form of its agent.
func (w *world) record(s *session, claude, generic object) {
	r := generic
	if s.agent == "claude-code" {
		r = claude
		r["timestamp"] = w.clock.Format(time.RFC3339)
	}
	line, err := json.Marshal(r)
	must(err)
	f, err := os.OpenFile(w.transcript(s), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	must(err)
	_, err = f.Write(append(line, '\n'))
	must(err)
	must(f.Close())
	s.said++
	name := w.script.file(w.portable(string(line)))
	w.script.say("exec sh -c 'mkdir -p $HOME/transcripts; sed \"s,@WORK@,$WORK,g\" $WORK/%s >>$HOME/transcripts/%s.jsonl'", name, s.id)
}

// portable is text that names no directory of this run's.
func (w *world) portable(text string) string { return strings.ReplaceAll(text, w.dir, "@WORK@") }

// event calls the agent's hook.
func (w *world) event(s *session, event string, more object) {
	payload := object{"session_id": s.id, "transcript_path": w.transcript(s), "cwd": w.at.dir, "hook_event_name": event}
	maps.Copy(payload, more)
	data, err := json.Marshal(payload)
	must(err)
	w.tick()
	res := w.untouched(s.id+" "+event, func() result {
		return w.exec(nil, string(data), "entire-plumb", "hooks", s.agent, event)
	})
	if res.failed || strings.Contains(res.errs, "; the agent is not affected\n") {
		w.fail(complaints, "%s of %s failed: %s", event, s.id, res.errs)
	}
	name := w.script.file(w.portable(string(data)))
	w.script.say("exec sh -c 'sed \"s,@WORK@,$WORK,g\" $WORK/%s | entire-plumb hooks %s %s'", name, s.agent, event)
}

// prompt begins a turn.
func (w *world) prompt(s *session) {
	if !s.begun && w.chance(2) {
		w.event(s, "session-start", object{"source": "startup"})
	}
	// Of two turns at once it is known which began first: the clock of real ones has nanoseconds.
	if len(w.idle()) < len(w.sessions) {
		w.second()
	}
	s.begun, s.active, s.turns, s.from = true, true, s.turns+1, read(w.at.dir)
	text := w.prompted(s)
	w.record(s, object{"type": "user", "message": object{"role": "user", "content": text}}, object{"role": "user", "text": text})
	w.event(s, "user-prompt-submit", object{"prompt": text})
}

// prompted is the present turn's prompt. No two are the same.
func (w *world) prompted(s *session) string {
	return fmt.Sprintf("Prompt %d of %s", s.turns, s.id)
}

// stop ends the turn.
func (w *world) stop(s *session) {
	w.record(s, object{"type": "assistant", "message": object{"id": fmt.Sprintf("msg_%s_%d", s.id, s.said), "role": "assistant",
		"model": "claude-test", "stop_reason": "end_turn", "content": []any{object{"type": "text", "text": "Done."}},
		"usage": object{"input_tokens": 10, "output_tokens": 5}}},
		object{"role": "assistant", "text": "Done.", "id": fmt.Sprint(s.said), "model": "m-1", "tokens": object{"input": 3, "output": 4}})
	w.event(s, "stop", object{"stop_hook_active": false})
	s.active = false
	w.stops = append(w.stops, stopped{w.at, w.ask("rev-parse", "HEAD"), w.prompted(s), read(w.at.dir)})
}

// uses says in the transcript that the agent's tool wrote a file.
func (w *world) uses(s *session, file string) { w.tool(s, "Write", object{"file_path": w.path(file)}) }

// edited says what the agent's tool put into a file.
func (w *world) edited(s *session, file string, lines []string) {
	w.tool(s, "Edit", object{"file_path": w.path(file), "old_string": "", "new_string": string(join(lines))})
}

// runs says that the agent ran a shell command.
func (w *world) runs(s *session, command string) { w.tool(s, "Bash", object{"command": command}) }

// tool says that the agent used a tool. The human has no transcript.
func (w *world) tool(s *session, name string, input object) {
	if s == nil {
		return
	}
	generic := object{"role": "tool", "tool": "shell"}
	if file, ok := input["file_path"]; ok {
		generic = object{"role": "tool", "tool": "edit", "files": []any{file}}
	}
	w.record(s, object{"type": "assistant", "message": object{"role": "assistant", "content": []any{
		object{"type": "tool_use", "id": fmt.Sprintf("toolu_%s_%d", s.id, s.said), "name": name, "input": input}}}}, generic)
}

// interrupt says in the transcript that the user interrupted the turn: no hook is called.
func (w *world) interrupt(s *session) {
	w.record(s, object{"type": "user", "message": object{"role": "user", "content": "[Request interrupted by user]"}}, nil)
}
