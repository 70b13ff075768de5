package transcript

import (
	"bytes"
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
	// Named are those of the commits in question that one of them names, or its output does.
	Named []string
}

// commits finds a command that makes a commit, such as `git -C dir commit` and `git commit-tree`.
var commits = regexp.MustCompile(`\bcommit(-tree)?\b`)

// CommandsRun looks for commands that make a commit, of the agent and its subagents. Of the commits
// in question, with their subjects, it looks for the subject in such a command, and for the ID in
// what a tool printed, as git commit prints it: "[main 1a2b3c4] Subject". Errors are those of Read.
func CommandsRun(ctx context.Context, path string, inQuestion map[string]string) (Commands, error) {
	s := commandSearch{subjects: map[string][]byte{}}
	for id, subject := range inQuestion {
		s.subjects[id] = quoted(strings.TrimSpace(subject))
	}
	c, began, err := s.read(ctx, path, true)
	if err != nil {
		return c, err
	}
	for _, file := range subagentsSince(path, began) {
		if sub, _, err := s.read(ctx, file, false); err == nil { // an unreadable one is no evidence
			c.Commit, c.Named = c.Commit || sub.Commit, append(c.Named, sub.Named...)
		}
	}
	slices.Sort(c.Named)
	c.Named = slices.Compact(c.Named)
	return c, nil
}

// quoted is a text as JSON has it, without the quotes; nil: there is no text.
func quoted(text string) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if text == "" || enc.Encode(text) != nil {
		return nil
	}
	return bytes.Trim(bytes.TrimSpace(b.Bytes()), `"`)
}

// commandSearch looks for commits by their IDs, with their subjects as JSON has them.
type commandSearch struct{ subjects map[string][]byte }

// inCommand lists the commits whose subject is in a command.
func (s commandSearch) inCommand(command []byte) (ids []string) {
	for id, subject := range s.subjects {
		if len(subject) > 0 && bytes.Contains(command, subject) {
			ids = append(ids, id)
		}
	}
	return ids
}

// printed finds the ID in a line of git commit's.
var printed = regexp.MustCompile(`\[[^\[\]]{1,200} ([0-9a-f]{7,64})\] `)

// inOutput lists the commits that git commit printed.
func (s commandSearch) inOutput(line []byte) (ids []string) {
	if len(s.subjects) == 0 {
		return nil
	}
	for _, found := range printed.FindAllSubmatch(line, -1) {
		for id := range s.subjects {
			if strings.HasPrefix(id, string(found[1])) {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// read reads one transcript, whole or since the last prompt.
func (s commandSearch) read(ctx context.Context, path string, sincePrompt bool) (c Commands, began time.Time, err error) {
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
			c.Named = append(c.Named, s.inOutput(line)...)
			return ctx.Err()
		}
		rec, ok := decode(line)
		if !ok {
			return ctx.Err()
		}
		switch {
		case rec.Type == typeAssistant:
			c.Told = true
			for _, command := range commitsIn(line) {
				c.Commit, c.Named = true, append(c.Named, s.inCommand(command)...)
			}
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

// commitsIn lists what tools that may run a command are told, where it may make a commit.
func commitsIn(line []byte) (commands []json.RawMessage) {
	if !names(line, blockToolUse) {
		return nil
	}
	var rec struct {
		Message struct {
			Content []struct {
				Type, Name string
				Input      map[string]json.RawMessage
			}
		}
	}
	if json.Unmarshal(line, &rec) != nil {
		return nil
	}
	for _, block := range rec.Message.Content {
		if block.Type != blockToolUse || slices.Contains(readers, block.Name) || slices.Contains(writers, block.Name) ||
			slices.Contains(delegates, block.Name) {
			continue
		}
		for key, value := range block.Input {
			if !strings.EqualFold(key, "description") && commits.Match(value) {
				commands = append(commands, value)
			}
		}
	}
	return commands
}
