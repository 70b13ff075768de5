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
var writers = []string{"Write", "Edit", "MultiEdit", "NotebookEdit"}

// readers are the tools that write no file.
var readers = []string{"Read", "NotebookRead", "Grep", "Glob", "LS", "TodoWrite", "TodoRead", "WebFetch", "WebSearch", "ExitPlanMode", "AskUserQuestion"}

// Wrote is what the agent's tools were told to write in a part of a transcript.
type Wrote struct {
	Files []string // by the names that stand there, sorted
	// All tells that there is nothing else: no shell command, and no tool of which nobody knows
	// whether it writes.
	All bool
	// Prompt is the last prompt in the part; empty: there is none.
	Prompt string
	// Last is when the agent last did something in it, or was interrupted; zero: no record tells.
	Last time.Time
}

// Written finds out what the agent's tools, its subagents' too, were told to write since the last
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

func written(ctx context.Context, path string, from int64, of portion) (Wrote, error) {
	f, size, err := open(path)
	if err != nil {
		return Wrote{}, failed(path, err)
	}
	defer f.Close()
	if from > size {
		from = 0
	}
	if size-from > MaxNew {
		return Wrote{}, failed(path, ErrTooLarge)
	}
	var last []byte                            // record of the agent's
	w, next := Wrote{All: true}, (*Wrote)(nil) // next begins with the next answer
	err = lines(io.NewSectionReader(f, from, size-from), func(line []byte) error {
		if names(line, typeAssistant) || names(line, "tool_use_id") || names(line, typeUser) && bytes.Contains(line, []byte(interrupted)) {
			last = append(last[:0], line[:min(len(line), maxParse)]...)
		}
		switch {
		case names(line, blockToolUse):
			if next != nil {
				w, next = *next, nil
			}
			files, known := writtenIn(line)
			w.Files, w.All = append(w.Files, files...), w.All && known
		case toolOutput(line):
		default:
			rec, ok := decode(line)
			if !ok || rec.IsSidechain {
				break
			}
			if next != nil && rec.Type == typeAssistant {
				w, next = *next, nil
			}
			if prompt := rec.prompt(); prompt != "" {
				switch now := (Wrote{All: true, Prompt: prompt}); of {
				case lastPrompt:
					w = now
				case lastAnswer:
					next = &now
				default:
					w.Prompt = prompt
				}
			}
		}
		return ctx.Err()
	})
	if err != nil {
		return Wrote{}, failed(path, err)
	}
	w.Last = timeOf(last)
	slices.Sort(w.Files)
	w.Files = slices.Compact(w.Files)
	return w, nil
}

// writtenIn lists the files that one record's tools write, and whether that is all that they may.
func writtenIn(line []byte) (files []string, all bool) {
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
		return nil, false
	}
	all = true
	for _, block := range rec.Message.Content {
		if block.Type != blockToolUse || slices.Contains(readers, block.Name) {
			continue
		}
		if !slices.Contains(writers, block.Name) {
			all = false
			continue
		}
		for _, name := range []string{block.Input.File, block.Input.Notebook} {
			if name != "" {
				files = append(files, name)
			}
		}
	}
	return files, all
}

// timeOf gives the time stamp of a record; zero if it has none.
func timeOf(line []byte) time.Time {
	var rec struct{ Timestamp string }
	_ = json.Unmarshal(line, &rec) // what has another shape tells nothing
	when, _ := time.Parse(time.RFC3339Nano, rec.Timestamp)
	return when
}
