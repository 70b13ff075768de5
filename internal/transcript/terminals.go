package transcript

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"time"
)

// Terminals are the commands that went on in the background, as Codex's rollout tells: by the ID
// that the agent is given, and that their end names.
type Terminals struct {
	Started  []string             // since the last prompt, in order
	Ended    map[string]time.Time // ever
	Commands map[string]string    // of those started since the last prompt, as far as they are known
}

// Running are those of some IDs, and of those started since the last prompt, that have not ended.
func (t Terminals) Running(known ...string) (ids []string) {
	for _, id := range slices.Concat(known, t.Started) {
		if _, ended := t.Ended[id]; !ended && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// AllEnded is when the last of some IDs ended; false where one has not.
func (t Terminals) AllEnded(ids []string) (last time.Time, ok bool) {
	for _, id := range ids {
		at, ended := t.Ended[id]
		if !ended || at.IsZero() {
			return last, false
		}
		if at.After(last) {
			last = at
		}
	}
	return last, len(ids) > 0
}

var (
	executes  = []byte(`"exec_command"`)
	goesOn    = []byte(`Process running with session ID `)
	completed = []byte(`"CommandExecution"`)
)

// ReadTerminals reads them. Errors are those of Read.
func ReadTerminals(ctx context.Context, path string) (Terminals, error) {
	t := Terminals{Ended: map[string]time.Time{}, Commands: map[string]string{}}
	commands := map[string]string{} // by call
	err := eachLine(ctx, path, 0, func(line []byte) {
		switch {
		// Codex alone tells of terminals.
		case !codexLine(line):
		case toolOutput(line):
			if id, call := startedTerminal(line); id != "" {
				t.Started, t.Commands[id] = append(t.Started, id), commands[call]
			}
		case bytes.Contains(line, executes):
			if call, command := executed(line); call != "" {
				commands[call] = command
			}
		case bytes.Contains(line, completed):
			if id, at := endedTerminal(line); id != "" {
				t.Ended[id] = at
			}
		// What was started before the last prompt is known to the caller, as far as it goes on: see
		// Running.
		case bytes.Contains(head(line), []byte(`"message"`)):
			if rec, ok := decode(line); ok && rec.prompt != "" {
				t.Started, t.Commands = nil, map[string]string{}
				clear(commands)
			}
		}
	})
	return t, err
}

// executed is a command, and the call in which it was started; empty: it is none.
func executed(line []byte) (call, command string) {
	var rec struct {
		Payload struct {
			Call      string `json:"call_id"`
			Arguments string
		}
	}
	var arguments struct{ Cmd string }
	if json.Unmarshal(line, &rec) != nil || json.Unmarshal([]byte(rec.Payload.Arguments), &arguments) != nil {
		return "", ""
	}
	return rec.Payload.Call, arguments.Cmd
}

// startedTerminal is the ID in the output of a tool whose command goes on, and the call; empty: it
// doesn't. Codex writes it before the command's own output.
func startedTerminal(line []byte) (id, call string) {
	if !bytes.Contains(line, goesOn) {
		return "", ""
	}
	var rec struct {
		Payload struct {
			Output string
			Call   string `json:"call_id"`
		}
	}
	if json.Unmarshal(line, &rec) != nil {
		return "", ""
	}
	before, _, _ := bytes.Cut([]byte(rec.Payload.Output), []byte("\nOutput:"))
	_, digits, ok := bytes.Cut(before, goesOn)
	if at := bytes.IndexFunc(digits, func(c rune) bool { return c < '0' || c > '9' }); at >= 0 {
		digits = digits[:at]
	}
	// What a command itself prints may have these words; Codex's own ID is short.
	if !ok || len(digits) > mostID {
		return "", ""
	}
	return string(digits), rec.Payload.Call
}

// mostID is how many digits the ID of a terminal may have.
const mostID = 20

// endedTerminal is the ID of a command that has ended, and when.
func endedTerminal(line []byte) (id string, at time.Time) {
	var rec struct {
		Timestamp stamp
		Payload   struct {
			Type string
			Item struct {
				Type    string
				Process string `json:"process_id"`
			}
		}
	}
	if json.Unmarshal(line, &rec) != nil || rec.Payload.Type != "item_completed" || rec.Payload.Item.Type != "CommandExecution" {
		return "", at
	}
	return rec.Payload.Item.Process, rec.Timestamp.Time
}
