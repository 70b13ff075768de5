package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// conversation is a session's transcript as Claude Code writes it: text and calls of tools by the
// assistant, their results, with file contents in them, by the user, each record with its keys of
// bookkeeping.
type conversation struct {
	session string
	path    string
	n       int // records so far
}

type object = map[string]any

// newConversation begins a session's transcript, in a directory of its repository's: each has the
// same sessions.
func newConversation(r *repository, session string) (*conversation, error) {
	dir := filepath.Join(r.home, "transcripts", filepath.Base(r.dir))
	return &conversation{session: session, path: filepath.Join(dir, session+".jsonl")}, os.MkdirAll(dir, 0o700)
}

// grow adds records of about size bytes, the last of which says that the agent has stopped.
func (c *conversation) grow(size int) error {
	f, err := os.OpenFile(c.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	b := &counting{Writer: bufio.NewWriterSize(f, 1<<20)}
	encode := json.NewEncoder(b)
	if err := encode.Encode(c.record("user", object{"role": "user", "content": "Please go on with part " + fmt.Sprint(c.n)})); err != nil {
		return err
	}
	for made := false; !made || b.n < size; made = true {
		call := fmt.Sprintf("toolu_%s_%d", c.session, c.n)
		use := object{"type": "tool_use", "id": call, "name": "Edit", "input": object{
			"file_path": "/home/ada/project/main.txt", "old_string": text(c.n, 300), "new_string": text(c.n+1, 400)}}
		if !made { // it writes the files of the turn
			use["name"], use["input"] = "Bash", object{"command": "make all"}
		}
		said := c.said("tool_use", object{"type": "text", "text": text(c.n, 200)}, use)
		result := c.record("user", object{"role": "user", "content": []any{
			object{"type": "tool_result", "tool_use_id": call, "content": text(c.n+2, 1000+c.n%7*900)}}})
		for _, record := range []object{said, result} {
			if err := encode.Encode(record); err != nil {
				return err
			}
		}
	}
	if err := encode.Encode(c.said("end_turn", object{"type": "text", "text": "Part " + fmt.Sprint(c.n) + " is done."})); err != nil {
		return err
	}
	return b.Flush()
}

// counting counts what is written.
type counting struct {
	*bufio.Writer
	n int
}

func (c *counting) Write(data []byte) (int, error) {
	c.n += len(data)
	return c.Writer.Write(data)
}

func (c *conversation) said(why string, blocks ...any) object {
	return c.record("assistant", object{"id": fmt.Sprintf("msg_%s_%d", c.session, c.n), "type": "message", "role": "assistant",
		"model": "claude-bench", "stop_reason": why, "content": blocks,
		"usage": object{"input_tokens": 12, "cache_creation_input_tokens": 900, "cache_read_input_tokens": 40_000, "output_tokens": 310}})
}

func (c *conversation) record(kind string, message object) object {
	c.n++
	return object{"parentUuid": c.uuid(c.n - 1), "uuid": c.uuid(c.n), "isSidechain": false, "userType": "external",
		"cwd":       "/home/ada/project",
		"sessionId": c.session, "version": "2.0.0", "gitBranch": "main", "type": kind, "message": message, "timestamp": "2026-01-02T03:04:05.678Z"}
}

func (c *conversation) uuid(n int) string { return fmt.Sprintf("%08x-0000-4000-8000-%s", n, c.session) }
