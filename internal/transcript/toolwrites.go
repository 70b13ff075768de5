package transcript

import (
	"context"
	"encoding/json"
	"io"
	"slices"
)

// writers are the tools that write a file which they are given by name.
var writers = []string{"Write", "Edit", "MultiEdit", "NotebookEdit"}

// readers are the tools that write no file.
var readers = []string{"Read", "NotebookRead", "Grep", "Glob", "LS", "TodoWrite", "TodoRead", "WebFetch", "WebSearch", "ExitPlanMode",
	"AskUserQuestion"}

// Wrote is what the agent's tools were told to write since the last prompt.
type Wrote struct {
	Files []string // by the names that stand there, sorted
	// All tells that there is nothing else: no shell command, and no tool of which nobody knows
	// whether it writes.
	All bool
}

// Written finds out what the agent's tools, its subagents' too, were told to write since the last
// prompt. Files that a shell command wrote are not among them. Errors are those of Read.
func Written(ctx context.Context, path string) (Wrote, error) { return written(ctx, path, false) }

// WrittenEver is Written for all of the transcript.
func WrittenEver(ctx context.Context, path string) (Wrote, error) { return written(ctx, path, true) }

func written(ctx context.Context, path string, ever bool) (Wrote, error) {
	f, size, err := open(path)
	if err != nil {
		return Wrote{}, failed(path, err)
	}
	defer f.Close()
	if size > maxNew {
		return Wrote{}, failed(path, ErrTooLarge)
	}
	w := Wrote{All: true}
	err = lines(io.LimitReader(f, size), func(line []byte) error {
		switch {
		case names(line, blockToolUse):
			files, all := writtenIn(line)
			w.Files, w.All = append(w.Files, files...), w.All && all
		case toolOutput(line):
		default:
			if rec, ok := decode(line); ok && !ever && !rec.IsSidechain && rec.prompt() != "" {
				w = Wrote{All: true}
			}
		}
		return ctx.Err()
	})
	if err != nil {
		return Wrote{}, failed(path, err)
	}
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
