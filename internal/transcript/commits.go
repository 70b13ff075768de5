package transcript

import (
	"bytes"
	"context"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// Commands is what an agent's tools were told to run since the last prompt.
type Commands struct {
	// Prompt says that the transcript has a prompt, and Told that it has an answer to the last one,
	// with the commands in it.
	Prompt, Told bool
	// Commit says that one of them may have made a commit, by its words, or because the transcript
	// does not say what a tool was told.
	Commit bool
	// Replay says that one of them, by its words, may have had git make commits of others.
	Replay bool
	// Named are those of the commits in question that one of them names, or its output does.
	Named []string
}

// commits finds a command that makes a commit, such as `git -C dir commit` and `git commit-tree`,
// and replays one that makes commits of others, which `git merge-base` and `git log --merge` don't.
var (
	commits = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\bcommit(-tree)?\b`) })
	replays = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(^|[^\w-])(cherry-pick|merge|pull|rebase)($|[^\w-])`)
	})
)

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
		return Commands{}, err
	}
	theirs, _ := subagentsSince(path, began)
	// A subagent's own commands are in its transcript.
	for _, file := range theirs {
		if sub, _, err := s.read(ctx, file, false); err == nil { // an unreadable one is no evidence
			c.Commit, c.Replay, c.Named = c.Commit || sub.Commit, c.Replay || sub.Replay, append(c.Named, sub.Named...)
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
	// Agents write < and & as they are.
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

// inOutput lists the commits that git commit printed. Outputs are the most of a transcript, and
// commands wait for this: no regular expression reads them.
func (s commandSearch) inOutput(line []byte) (ids []string) {
	// Without commits in question no line is searched.
	for len(s.subjects) > 0 {
		end := bytes.Index(line, []byte("] "))
		if end < 0 {
			break
		}
		// git prints an abbreviated ID, as long as the repository's size asks for.
		if printed := printedID(line[:end]); printed != "" {
			for id := range s.subjects {
				if strings.HasPrefix(id, printed) {
					ids = append(ids, id)
				}
			}
		}
		line = line[end+1:]
	}
	return ids
}

// printedID is the ID at the end of "[main 1a2b3c4"; empty: there is none.
func printedID(text []byte) string {
	// git prints seven digits, or more where the repository is large; a whole SHA-256 has 64.
	const shortest, longest, mostBefore = 7, 64, 200
	before := bytes.TrimRight(text, "0123456789abcdef")
	id := text[len(before):]
	if len(id) < shortest || len(id) > longest {
		return ""
	}
	branch, ok := bytes.CutSuffix(before[max(0, len(before)-mostBefore):], []byte(" "))
	// A bracket that opens, with a name behind it: [main 1a2b3c4], and no index or slice of code.
	if open := bytes.LastIndexAny(branch, "[]"); !ok || open < 0 || branch[open] == ']' || open == len(branch)-1 {
		return ""
	}
	return string(id)
}

// read reads one transcript, whole or since the last prompt.
func (s commandSearch) read(ctx context.Context, path string, sincePrompt bool) (c Commands, began time.Time, err error) {
	err = eachLine(ctx, path, 0, func(line []byte) {
		if toolOutput(line) {
			c.Named = append(c.Named, s.inOutput(line)...)
			return
		}
		rec, ok := decode(line)
		switch {
		case !ok:
		case rec.who == typeAssistant:
			c.Told = true
			// A tool that is known to read or write runs no command, whatever words it was given.
			if !rec.runs() {
				return
			}
			// The record may leave out what the tool was told: then it may have been to commit.
			commands, known := commandsIn(line)
			c.Commit = c.Commit || !known
			for _, command := range commands {
				c.Replay = c.Replay || replays().Match(command)
				if commits().Match(command) {
					c.Commit, c.Named = true, append(c.Named, s.inCommand(command)...)
				}
			}
		// What was run before the last prompt is of earlier turns.
		case sincePrompt && rec.begins():
			c, began = Commands{Prompt: true}, rec.when
		}
	})
	return c, began, err
}

// told says where agents write down what tools are told: the path to the uses in a record, and in
// each of them the key of the tool's name, and the paths to its input.
var told = []struct {
	uses, tool string
	inputs     []string
}{
	{"message.content", "name", []string{"input", "arguments"}},   // Claude Code's, and pi's
	{"message.parts.functionCall", "name", []string{"args"}},      // Qwen Code's
	{"payload", "name", []string{"arguments", "input", "action"}}, // Codex's
	{"toolCalls", "name", []string{"args"}},                       // Gemini CLI's
	{"parts", "tool", []string{"state.input"}},                    // OpenCode's
	{"event", "name", []string{"args"}},                           // Kimi Code's
	{"data.toolRequests", "name", []string{"arguments"}},          // Copilot CLI's
}

// commandsIn lists what a record's tools are told to run. known is false where the record does not
// say what they are told.
func commandsIn(line []byte) (commands []json.RawMessage, known bool) {
	for _, at := range told {
		if first, _, _ := strings.Cut(at.uses, "."); !names(line, first) {
			continue // without parsing it
		}
		for _, use := range valuesAt(line, at.uses) {
			// One record may use several tools, some of which are known to run nothing.
			if effects[strings.Join(textsAt(use, at.tool), "")] != unknownEffect {
				continue
			}
			for key, value := range inputOf(use, at.inputs) {
				known = true
				// Agents describe commands in words, and "commit" is often among them.
				if !strings.EqualFold(key, "description") {
					commands = append(commands, value)
				}
			}
		}
	}
	return commands, known
}

// inputOf is what the use of a tool has at some paths: the fields of an object by their keys, and
// what else there is by the path, as all items of a list in a row.
func inputOf(use json.RawMessage, paths []string) map[string]json.RawMessage {
	input := map[string]json.RawMessage{}
	for _, path := range paths {
		values := valuesAt(use, path)
		// An object's fields are looked at one by one. A list, as Codex has for a shell, is one
		// command.
		if len(values) == 0 || len(values) == 1 && json.Unmarshal(values[0], &input) == nil {
			continue
		}
		input[path] = slices.Concat(values...)
	}
	return input
}
