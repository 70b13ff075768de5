package hooks

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"entire-plumb/internal/agent"
	"entire-plumb/internal/session"
	"entire-plumb/internal/testdir"
)

func TestReadPayload(t *testing.T) {
	p, err := readPayload(context.Background(), strings.NewReader("\n {\"session_id\": \"s1\", \"prompt\": \"a\\nb\", \"new\": [1]}\n"), agent.ClaudeCode)
	if err != nil || p.SessionID != "s1" || p.Prompt != "a\nb" || p.TranscriptPath != "" {
		t.Errorf("%+v, %v", p, err)
	}
	// A key whose shape another version changed costs no event.
	p, err = readPayload(context.Background(), strings.NewReader(
		`{"model": {"id": "m"}, "agent": {}, "background_tasks": "none", "conversation_id": "s1", "stop_hook_active": "no", "prompt": "a"}`), agent.Generic)
	if err != nil || p.SessionID != "s1" || p.Prompt != "a" || p.Model != "" {
		t.Errorf("%+v, %v", p, err)
	}
	for text, want := range map[string]string{
		"":                               "stdin is empty",
		" \r\n\t":                        "stdin is empty",
		"x":                              "not the JSON expected",
		"{":                              "not the JSON expected",
		"{} x":                           "not the JSON expected",
		"[]":                             "the top level is an array, not an object",
		"null":                           "has no session_id",
		`{"session_id": ""}`:             "has no session_id",
		`{"session_id": []}`:             `"session_id" is an array, not a string`,
		`{"session_id": "s1", "cwd": 1}`: `"cwd" is a number, not a string`,
		`{"session_id": "/"}`:            "not a session ID",
		strings.Repeat("[", 1_000_000):   "not the JSON expected",
	} {
		_, err := readPayload(context.Background(), strings.NewReader(text), agent.ClaudeCode)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Count(err.Error(), "\nhint: ") != 1 {
			t.Errorf("of %.20q: %v, want %s with a hint", text, err, want)
		}
	}
	if _, err := readPayload(context.Background(), strings.NewReader(`{"session_id": "../x"}`), agent.ClaudeCode); !errors.Is(err, session.ErrBadID) {
		t.Errorf("of an ID that walks: %v", err)
	}
}

// What is too much is read to its end all the same, so that the sender isn't cut off.
func TestReadPayloadTooMuch(t *testing.T) {
	in := &counted{unread: largestPayload + 5<<20}
	if _, err := readPayload(context.Background(), in, agent.ClaudeCode); err == nil || !strings.Contains(err.Error(), "more than 32 MiB") || in.unread != 0 {
		t.Errorf("%v, %d bytes are unread", err, in.unread)
	}
}

// counted gives so many blanks.
type counted struct{ unread int }

func (c *counted) Read(p []byte) (int, error) {
	if c.unread == 0 {
		return 0, io.EOF
	}
	n := min(len(p), c.unread)
	for i := range p[:n] {
		p[i] = ' '
	}
	c.unread -= n
	return n, nil
}

// Nothing comes, and the hook is asked to end.
func TestReadPayloadCanBeInterrupted(t *testing.T) {
	in, out := io.Pipe()
	defer out.Close()
	ctx, stop := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer stop()
	if _, err := readPayload(ctx, in, agent.ClaudeCode); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("interrupted: %v", err)
	}
}

func TestDevice(t *testing.T) {
	nothing, err := os.Open(os.DevNull)
	testdir.Must(t, err)
	defer nothing.Close()
	if device(nothing) || device(strings.NewReader("")) {
		t.Error("nothing at all is taken for a terminal")
	}
	zero, err := os.Open("/dev/zero")
	if err != nil {
		t.Skip(err)
	}
	defer zero.Close()
	if !device(zero) {
		t.Error("a device is taken for an agent")
	}
}
