package transcript

import (
	"context"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Commands is what an agent's tools were told to run since the last prompt.
type Commands struct {
	// Prompt says that the transcript has a prompt, and Told that it has an answer to the last one,
	// with the commands in it.
	Prompt, Told bool
	// Commit says that one of them may have made a commit, by its words.
	Commit bool
}

// commits finds a command that makes a commit, such as `git -C dir commit` and `git commit-tree`.
var commits = regexp.MustCompile(`\bcommit(-tree)?\b`)

// CommandsRun looks for commands that make a commit, of the agent and its subagents. Errors are
// those of Read.
func CommandsRun(ctx context.Context, path string) (Commands, error) {
	c, began, err := commandsIn(ctx, path, true)
	if err != nil {
		return c, err
	}
	for _, file := range subagentsSince(path, began) {
		if sub, _, err := commandsIn(ctx, file, false); err == nil { // an unreadable one is no evidence
			c.Commit = c.Commit || sub.Commit
		}
	}
	return c, nil
}

// commandsIn reads one transcript, whole or since the last prompt.
func commandsIn(ctx context.Context, path string, sincePrompt bool) (c Commands, began time.Time, err error) {
	f, size, err := open(path)
	if err != nil {
		return c, began, failed(path, err)
	}
	defer f.Close()
	if size > maxNew {
		return c, began, failed(path, ErrTooLarge)
	}
	err = lines(f, func(line []byte) error {
		if toolOutput(line) {
			return ctx.Err()
		}
		rec, ok := decode(line)
		if !ok {
			return ctx.Err()
		}
		switch {
		case rec.Type == typeAssistant:
			c.Told = true
			c.Commit = c.Commit || names(line, blockToolUse) && commitIn(line)
		case sincePrompt && !rec.IsSidechain && rec.prompt() != "":
			c, began = Commands{Prompt: true}, timeOf(line)
		}
		return ctx.Err()
	})
	if err != nil {
		return Commands{}, began, failed(path, err)
	}
	return c, began, nil
}

// commitIn reports whether a tool that may run a command is told to commit.
func commitIn(line []byte) bool {
	var rec struct {
		Message struct {
			Content []struct {
				Type, Name string
				Input      map[string]json.RawMessage
			}
		}
	}
	if json.Unmarshal(line, &rec) != nil {
		return false
	}
	for _, block := range rec.Message.Content {
		if block.Type != blockToolUse || slices.Contains(readers, block.Name) || slices.Contains(writers, block.Name) ||
			slices.Contains(delegates, block.Name) {
			continue
		}
		for key, value := range block.Input {
			if !strings.EqualFold(key, "description") && commits.Match(value) {
				return true
			}
		}
	}
	return false
}
