package transcript

import (
	"context"
	"encoding/json"
	"io"
	"slices"
)

// writers are the tools that write a file which they are given by name.
var writers = []string{"Write", "Edit", "MultiEdit", "NotebookEdit"}

// Written lists the files that the agent's tools, its subagents' too, were told to write since the last prompt, by the
// names that stand there, sorted. Files that a shell command wrote are not among them. Errors are those of Read.
func Written(ctx context.Context, path string) ([]string, error) {
	f, size, err := open(path)
	if err != nil {
		return nil, failed(path, err)
	}
	defer f.Close()
	if size > MaxNew {
		return nil, failed(path, ErrTooLarge)
	}
	var files []string
	err = lines(io.LimitReader(f, size), func(line []byte) error {
		switch {
		case names(line, blockToolUse):
			files = append(files, writtenIn(line)...)
		case toolOutput(line):
		default:
			if rec, ok := decode(line); ok && !rec.IsSidechain && rec.prompt() != "" {
				files = nil
			}
		}
		return ctx.Err()
	})
	if err != nil {
		return nil, failed(path, err)
	}
	slices.Sort(files)
	return slices.Compact(files), nil
}

// writtenIn lists the files that one record's tools write.
func writtenIn(line []byte) []string {
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
		return nil
	}
	var files []string
	for _, block := range rec.Message.Content {
		if block.Type != blockToolUse || !slices.Contains(writers, block.Name) {
			continue
		}
		for _, name := range []string{block.Input.File, block.Input.Notebook} {
			if name != "" {
				files = append(files, name)
			}
		}
	}
	return files
}
