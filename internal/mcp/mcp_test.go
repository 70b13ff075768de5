package mcp

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
)

func server() Server {
	return Server{Name: "n", Version: "1", Instructions: "i", Tools: []Tool{{Name: "why", Description: "d",
		Params: []Param{{Name: "file"}, {Name: "line", Number: true, Least: 1, Most: 9, Optional: true}},
		Call: func(ctx context.Context, a Args) (string, bool) {
			if _, limited := ctx.Deadline(); !limited {
				return "no limit", true
			}
			return fmt.Sprint(a.Texts["file"], ":", a.Numbers["line"]), a.Texts["file"] == "bad"
		}}}}
}

// exchange sends lines, and returns the answers.
func exchange(t *testing.T, in string) (answers []string) {
	t.Helper()
	var out strings.Builder
	if err := server().Serve(context.Background(), strings.NewReader(in), &out); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(strings.NewReader(out.String()))
	for lines.Scan() {
		if !json.Valid(lines.Bytes()) {
			t.Errorf("no JSON: %s", lines.Text())
		}
		answers = append(answers, lines.Text())
	}
	return answers
}

func call(arguments string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"why","arguments":` + arguments + `}}`
}

func TestServe(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"initialize":       {`{"jsonrpc":"2.0","id":"a","method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{}}}`, `"id":"a","result":{"capabilities":{"tools":{}},"instructions":"i","protocolVersion":"2025-03-26","serverInfo":{"name":"n","version":"1"}}`},
		"another version":  {`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"1999-01-01"}}`, `"protocolVersion":"2025-11-25"`},
		"ping":             {`{"jsonrpc":"2.0","id":2,"method":"ping"}`, `{"jsonrpc":"2.0","id":2,"result":{}}`},
		"list":             {`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`, `"inputSchema":{"additionalProperties":false,"properties":{"file":{"description":"","type":"string"},"line":{"description":"","maximum":9,"minimum":1,"type":"integer"}},"required":["file"],"type":"object"}`},
		"call":             {call(`{"file":"a b","line":3}`), `"result":{"content":[{"text":"a b:3","type":"text"}],"isError":false}`},
		"without optional": {call(`{"file":"a"}`), `a:0`},
		"one that fails":   {call(`{"file":"bad"}`), `"isError":true`},
		"without file":     {call(`{}`), `"code":-32602,"message":"the argument file is missing"`},
		"no arguments":     {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"why"}}`, `-32602`},
		"an option":        {call(`{"file":"--output=x"}`), `-32602`},
		"lines":            {call(`{"file":"a\nb"}`), `-32602`},
		"empty":            {call(`{"file":""}`), `-32602`},
		"too long a text":  {call(`{"file":"` + strings.Repeat("a", mostText+1) + `"}`), `-32602`},
		"of another type":  {call(`{"file":["a"]}`), `-32602`},
		"null":             {call(`{"file":null}`), `-32602`},
		"out of range":     {call(`{"file":"a","line":10}`), `-32602`},
		"no whole number":  {call(`{"file":"a","line":1.5}`), `-32602`},
		"unknown argument": {call(`{"file":"a","x":1}`), `-32602`},
		"arguments no map": {call(`7`), `-32602`},
		"unknown tool":     {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"rm"}}`, `"the tool is not known"`},
		"unknown method":   {`{"jsonrpc":"2.0","id":1,"method":"resources/list"}`, `-32601`},
		"no JSON":          {`{`, `"id":null,"error":{"code":-32700`},
		"a batch":          {`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, `-32600`},
		"another protocol": {`{"id":1,"method":"ping"}`, `-32600`},
		"ID of no kind":    {`{"jsonrpc":"2.0","id":{},"method":"ping"}`, `-32600`},
		"too long an ID":   {`{"jsonrpc":"2.0","id":"` + strings.Repeat("a", 2000) + `","method":"ping"}`, `-32600`},
		"too long":         {`{"jsonrpc":"2.0","id":1,"method":"` + strings.Repeat("a", mostMessage) + `"}`, `the message is too long`},
		"a notification":   {`{"jsonrpc":"2.0","method":"notifications/initialized"}`, ``},
		"a response":       {`{"jsonrpc":"2.0","id":1,"result":{}}`, ``},
		"a blank line":     {"\r\n", ``},
	} {
		answers := exchange(t, c.in+"\n"+`{"jsonrpc":"2.0","id":99,"method":"ping"}`) // the last line has no end
		last := len(answers) - 1
		if last < 0 || answers[last] != `{"jsonrpc":"2.0","id":99,"result":{}}` {
			t.Errorf("%s: the next request has no answer: %q", name, answers)
			continue
		}
		if first := strings.Join(answers[:last], "\n"); !strings.Contains(first, c.want) || (first == "") != (c.want == "") || last > 1 {
			t.Errorf("%s: %s", name, first)
		}
	}
}

// TestServeStops: a server whose context ends doesn't wait for its client.
func TestServeStops(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	in, client := io.Pipe()
	defer client.Close()
	ended := make(chan error)
	go func() { ended <- server().Serve(ctx, in, io.Discard) }()
	if _, err := client.Write([]byte(call(`{"file":"a"}`) + "\n")); err != nil {
		t.Fatal(err)
	}
	stop()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
