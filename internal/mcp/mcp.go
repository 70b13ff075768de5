// Package mcp serves tools by the Model Context Protocol: JSON-RPC 2.0, a message a line.
package mcp

// It has what a server needs whose tools only read: initialize, ping, tools/list and tools/call.
// What a client sends is hostile until checked: a message has a limit, and so has each call's time.

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"time"
)

// Limits of a message, in bytes, and of a call.
const (
	mostMessage = 1 << 20
	mostTime    = 2 * time.Minute
)

// versions are those of the protocol that this server speaks; they don't differ in what it uses.
// The last one is offered to a client that asks for another.
var versions = []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"}

// Codes of errors.
const (
	parseError     = -32700
	invalidRequest = -32600
	unknownMethod  = -32601
	invalidParams  = -32602
)

// Server is what a client sees.
type Server struct {
	Name, Version, Instructions string
	Tools                       []Tool
}

// Tool answers one kind of question.
type Tool struct {
	Name, Description string
	Params            []Param
	// Call answers; failed: the text says why not. Params without a value are not in the arguments.
	Call func(ctx context.Context, args Args) (text string, failed bool)
}

// Param is an argument of a tool: a text, or a number from Least to Most.
type Param struct {
	Name, Description string
	Number            bool
	Optional          bool
	Least, Most       int
}

// Args are the arguments of a call, as the tool's parameters have them.
type Args struct {
	Texts   map[string]string
	Numbers map[string]int
}

// request is a message of a client.
type request struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
}

// response answers a request.
type response struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  any             `json:"result,omitempty"`
	Error   *fault          `json:"error,omitempty"`
}

// fault is an error of the protocol.
type fault struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// message is a line that a client sent.
type message struct {
	line    []byte
	tooLong bool
	err     error // of reading, after the line
}

// Serve answers requests until there are no more, one after the other. Errors are those of reading
// and writing, and of the context: a read that waits for the client doesn't hold it up.
func (s Server) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	messages, answers := make(chan message), json.NewEncoder(out)
	answers.SetEscapeHTML(false)
	go read(ctx, in, messages)
	for {
		var m message
		select {
		case <-ctx.Done():
			return ctx.Err()
		case m = <-messages:
		}
		if answer := s.answer(ctx, m); answer != nil {
			if err := answers.Encode(answer); err != nil {
				return err
			}
		}
		if errors.Is(m.err, io.EOF) {
			return nil
		}
		if m.err != nil {
			return m.err
		}
	}
}

// read reads messages up to the first error.
func read(ctx context.Context, in io.Reader, messages chan<- message) {
	lines := bufio.NewReaderSize(in, 64<<10)
	for {
		var m message
		m.line, m.tooLong, m.err = readLine(lines)
		select {
		case <-ctx.Done():
			return
		case messages <- m:
		}
		if m.err != nil {
			return
		}
	}
}

// readLine reads a line; of one that is too long nothing is kept.
func readLine(in *bufio.Reader) (line []byte, tooLong bool, err error) {
	for {
		part, err := in.ReadSlice('\n')
		if tooLong = tooLong || len(line)+len(part) > mostMessage; tooLong {
			line = nil
		} else {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, tooLong, err
		}
	}
}

func failure(id json.RawMessage, code int, message string) *response {
	if id == nil {
		id = json.RawMessage("null")
	}
	return &response{Version: "2.0", ID: id, Error: &fault{code, message}}
}

// answer answers a message; nil: it wants no answer, as a notification.
func (s Server) answer(ctx context.Context, m message) *response {
	var q request
	switch {
	case m.tooLong:
		return failure(nil, invalidRequest, "the message is too long")
	case len(bytes.TrimSpace(m.line)) == 0:
		return nil
	case !json.Valid(m.line):
		return failure(nil, parseError, "the message is no JSON")
	}
	if err := json.Unmarshal(m.line, &q); err != nil || q.Version != "2.0" || !isID(q.ID) {
		return failure(nil, invalidRequest, "the message is no request")
	}
	if q.ID == nil || q.Method == "" {
		return nil
	}
	result, bad := s.result(ctx, q)
	if bad != nil {
		return failure(q.ID, bad.Code, bad.Message)
	}
	return &response{Version: "2.0", ID: q.ID, Result: result}
}

// isID reports whether a request may have this ID: a text, a number, or none.
func isID(id json.RawMessage) bool {
	return id == nil || len(id) <= 1000 && (id[0] == '"' || id[0] == '-' || id[0] >= '0' && id[0] <= '9')
}

type object = map[string]any

func (s Server) result(ctx context.Context, q request) (any, *fault) {
	switch q.Method {
	case "initialize":
		return s.initialize(q.Params), nil
	case "ping":
		return object{}, nil
	case "tools/list":
		tools := []object{}
		for _, t := range s.Tools {
			tools = append(tools, t.describe())
		}
		return object{"tools": tools}, nil
	case "tools/call":
		return s.call(ctx, q.Params)
	}
	return nil, &fault{unknownMethod, "the method is not known"}
}

func (s Server) initialize(params json.RawMessage) object {
	var asked struct {
		Version string `json:"protocolVersion"`
	}
	_ = json.Unmarshal(params, &asked)
	version := versions[len(versions)-1]
	if slices.Contains(versions, asked.Version) {
		version = asked.Version
	}
	return object{"protocolVersion": version, "capabilities": object{"tools": object{}},
		"serverInfo": object{"name": s.Name, "version": s.Version}, "instructions": s.Instructions}
}

// call calls a tool.
func (s Server) call(ctx context.Context, params json.RawMessage) (any, *fault) {
	var asked struct {
		Name      string                     `json:"name"`
		Arguments map[string]json.RawMessage `json:"arguments"`
	}
	if err := json.Unmarshal(params, &asked); err != nil {
		return nil, &fault{invalidParams, "the parameters are not those of a call"}
	}
	at := slices.IndexFunc(s.Tools, func(t Tool) bool { return t.Name == asked.Name })
	if at < 0 {
		return nil, &fault{invalidParams, "the tool is not known"}
	}
	args, err := s.Tools[at].arguments(asked.Arguments)
	if err != nil {
		return nil, &fault{invalidParams, err.Error()}
	}
	ctx, stop := context.WithTimeout(ctx, mostTime)
	defer stop()
	text, failed := s.Tools[at].Call(ctx, args)
	return object{"content": []object{{"type": "text", "text": text}}, "isError": failed}, nil
}
