package transcript

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"slices"
	"time"
)

// writers are the tools that write a file which they are given by name.
var writers = []string{"Write", "Edit", "MultiEdit", "NotebookEdit", "mcp__acp__Write", "mcp__acp__Edit"}

// delegates are the tools that call a subagent.
var delegates = []string{"Agent", "Task"}

// readers are the tools that write no file.
var readers = []string{"Read", "NotebookRead", "Grep", "Glob", "LS", "TodoWrite", "TodoRead", "WebFetch", "WebSearch", "TaskCreate", "TaskUpdate",
	"TaskList", "TaskGet", "ExitPlanMode", "AskUserQuestion"}

// Wrote is what the agent's tools wrote in a part of a transcript, by their names.
type Wrote struct {
	Files []string // by the names that stand there, sorted
	// All tells that there is nothing else: no shell command, and no tool of which nobody knows
	// whether it writes.
	All bool
	// Prompt is the last prompt in the part; empty: there is none.
	Prompt string
	// Last is when the agent last did something in it, or was interrupted; zero: no record tells.
	Last time.Time

	delegated bool // to subagents, whose transcripts may tell the rest
}

// Written finds out what the tools of the agent and its subagents were asked to write since the last
// prompt. Files that a shell command wrote are not among them. Errors are those of Read.
func Written(ctx context.Context, path string) (Wrote, error) {
	return written(ctx, path, 0, lastPrompt)
}

// WrittenEver is Written for all of the transcript.
func WrittenEver(ctx context.Context, path string) (Wrote, error) {
	return written(ctx, path, 0, all)
}

// WrittenInAnswer is Written since the last prompt that the agent has begun to answer.
func WrittenInAnswer(ctx context.Context, path string) (Wrote, error) {
	return written(ctx, path, 0, lastAnswer)
}

// portion is the part of a transcript that counts.
type portion int

const (
	all portion = iota
	lastPrompt
	lastAnswer
)

// WrittenAfter is Written for what comes after so many bytes of the transcript, whatever prompts
// are in it. A transcript that has become shorter is read as a whole.
func WrittenAfter(ctx context.Context, path string, bytes int64) (Wrote, error) {
	return written(ctx, path, bytes, all)
}

// written reads a session's transcript, and those of the subagents that were at work in the part.
func written(ctx context.Context, path string, from int64, of portion) (Wrote, error) {
	w, began, err := writtenTo(ctx, path, from, of)
	if err != nil {
		return w, err
	}
	theirs := subagentsSince(path, began)
	for _, file := range theirs {
		sub, _, err := writtenTo(ctx, file, 0, all)
		if err != nil {
			w.All = false
			continue
		}
		w.Files, w.All = append(w.Files, sub.Files...), w.All && sub.All
		if sub.Last.After(w.Last) {
			w.Last = sub.Last
		}
	}
	w.All = w.All && (!w.delegated || len(theirs) > 0)
	slices.Sort(w.Files)
	w.Files = slices.Compact(w.Files)
	return w, nil
}

// writtenTo reads one transcript. began is when the part begins; zero: no record tells.
func writtenTo(ctx context.Context, path string, from int64, of portion) (w Wrote, began time.Time, err error) {
	f, size, err := open(path)
	if err != nil {
		return w, began, failed(path, err)
	}
	defer f.Close()
	if from > size {
		from = 0
	}
	if size-from > maxNew {
		return w, began, failed(path, ErrTooLarge)
	}
	w.All = true
	var prompt time.Time // of next
	var last []byte      // record of the agent's
	var next *Wrote      // begins with the next answer
	err = lines(io.NewSectionReader(f, from, size-from), func(line []byte) error {
		if names(line, typeAssistant) || names(line, "tool_use_id") || names(line, typeUser) && bytes.Contains(line, []byte(interrupted)) {
			last = append(last[:0], line[:min(len(line), maxParse)]...)
		}
		switch {
		case names(line, blockToolUse):
			if next != nil {
				w, next, began = *next, nil, prompt
			}
			files, known, delegated := writtenIn(line)
			w.Files, w.All, w.delegated = append(w.Files, files...), w.All && known, w.delegated || delegated
		case toolOutput(line):
		default:
			rec, ok := decode(line)
			if !ok || rec.IsSidechain {
				break
			}
			if next != nil && rec.Type == typeAssistant {
				w, next, began = *next, nil, prompt
			}
			if text := rec.prompt(); text != "" {
				switch now := (Wrote{All: true, Prompt: text}); of {
				case lastPrompt:
					w, began = now, timeOf(line)
				case lastAnswer:
					next, prompt = &now, timeOf(line)
				default:
					w.Prompt = text
				}
			}
			if began.IsZero() {
				began = timeOf(line)
			}
		}
		return ctx.Err()
	})
	if err != nil {
		return Wrote{}, began, failed(path, err)
	}
	w.Last = timeOf(last)
	return w, began, nil
}

// writtenIn lists the files that one record's tools write, and whether that is all that they may,
// but for subagents that they call.
func writtenIn(line []byte) (files []string, all, delegated bool) {
	var rec struct {
		Message struct {
			Content []struct {
				Type  string
				Name  string
				Input struct {
					File     string `json:"file_path"`
					Notebook string `json:"notebook_path"`
				}
			}
		}
	}
	if len(line) > maxParse || json.Unmarshal(line, &rec) != nil {
		return nil, false, false
	}
	all = true
	for _, block := range rec.Message.Content {
		if block.Type != blockToolUse || slices.Contains(readers, block.Name) {
			continue
		}
		switch {
		case slices.Contains(delegates, block.Name):
			delegated = true
			continue
		case !slices.Contains(writers, block.Name):
			all = false
			continue
		}
		for _, name := range []string{block.Input.File, block.Input.Notebook} {
			if name != "" {
				files = append(files, name)
			}
		}
	}
	return files, all, delegated
}

// timeOf gives the time stamp of a record; zero if it has none.
func timeOf(line []byte) time.Time {
	var rec struct{ Timestamp string }
	_ = json.Unmarshal(line, &rec) // what has another shape tells nothing
	when, _ := time.Parse(time.RFC3339Nano, rec.Timestamp)
	return when
}
