package clients

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// step is one answer of the model: what it says, and the tools that it calls.
type step struct {
	Say  string `json:"say"`
	Use  []call `json:"use"`
	Wait int    `json:"wait"` // milliseconds before the answer
	Fail int    `json:"fail"` // an HTTP status in place of the answer
}

// call is one call of a tool. Raw is the input of a tool that takes text in place of JSON.
type call struct {
	Name  string          `json:"name"`
	Input json.RawMessage `json:"input"`
	Raw   string          `json:"raw"`
}

// Tokens of each answer.
const tokensIn, tokensWritten, tokensRead, tokensOut = 100, 20, 3000, 7

// model answers requests of clients on loopback. A prompt says what is to be played: "[play:NAME]"
// stands for the file NAME.json, a list of steps. The n-th step answers the request in which the
// model has answered n times since. So its answers need no state, and sessions may run side by side.
// A request that names no play is answered with "ok".
type model struct {
	plays  string // their directory
	number atomic.Int64
	asked  sync.Map // stepOf: those that a request asked for
	server *http.Server
	url    string
}

func serve(plays string) (*model, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	m := &model{plays: plays, url: "http://" + listener.Addr().String()}
	m.server = &http.Server{Handler: m}
	go m.server.Serve(listener)
	return m, nil
}

// line is one line of the conversation that a request holds.
type line struct{ role, text string } // user, model or tool

// request is what the APIs of all clients ask, as far as it matters here.
type request struct {
	Model    string          `json:"model"`
	Stream   bool            `json:"stream"`
	Messages []message       `json:"messages"` // Messages API
	Input    json.RawMessage `json:"input"`    // Responses API
	Contents []content       `json:"contents"` // generateContent
}

type message struct {
	Type    string          `json:"type"`
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
}

type content struct {
	Role  string `json:"role"`
	Parts []struct {
		Text             string          `json:"text"`
		FunctionResponse json.RawMessage `json:"functionResponse"`
	} `json:"parts"`
}

// text gives the text of a content, and whether it has the result of a tool in it.
func text(raw json.RawMessage) (all string, tool bool) {
	if json.Unmarshal(raw, &all) == nil {
		return all, false
	}
	var parts []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	json.Unmarshal(raw, &parts)
	for _, p := range parts {
		if p.Type == "tool_result" {
			tool = true
			continue
		}
		all += p.Text + "\n"
	}
	return all, tool
}

// conversation gives the lines of a request. Lines of the model that follow each other are one.
func (r request) conversation() []line {
	var all []line
	add := func(role, text string) {
		if role == "assistant" {
			role = "model"
		}
		if n := len(all); role == "model" && n > 0 && all[n-1].role == "model" {
			all[n-1].text += text
			return
		}
		all = append(all, line{role, text})
	}
	for _, m := range r.Messages {
		said, tool := text(m.Content)
		if tool {
			m.Role = "tool"
		}
		add(m.Role, said)
	}
	var items []message
	if json.Unmarshal(r.Input, &items) != nil && len(r.Input) > 0 {
		said, _ := text(r.Input)
		add("user", said)
	}
	for _, m := range items {
		switch said, _ := text(m.Content); {
		case m.Type == "" || m.Type == "message":
			add(m.Role, said)
		case strings.HasSuffix(m.Type, "_output"):
			add("tool", "")
		case strings.HasSuffix(m.Type, "_call"):
			add("model", "")
		}
	}
	for _, c := range r.Contents {
		said, role := "", c.Role
		for _, p := range c.Parts {
			if said += p.Text; len(p.FunctionResponse) > 0 {
				role = "tool"
			}
		}
		add(role, said)
	}
	return all
}

var playName = regexp.MustCompile(`\[play:([A-Za-z0-9_.-]+)\]`)

// stepOf is the number of a step in a play, from 1.
type stepOf struct {
	play string
	step int
}

// next gives the answer to a request.
func (m *model) next(r request) step {
	lines := r.conversation()
	for i := len(lines) - 1; i >= 0; i-- {
		named := playName.FindAllStringSubmatch(lines[i].text, -1)
		if lines[i].role == "model" || len(named) == 0 {
			continue
		}
		at := 0
		for _, l := range lines[i+1:] {
			if l.role == "model" {
				at++
			}
		}
		name := named[len(named)-1][1]
		m.asked.Store(stepOf{name, at + 1}, true)
		data, err := os.ReadFile(filepath.Join(m.plays, name+".json"))
		if err != nil {
			return step{Say: err.Error()}
		}
		var steps []step
		if err := json.Unmarshal(data, &steps); err != nil {
			return step{Say: name + ": " + err.Error()}
		}
		if at >= len(steps) {
			return step{Say: "nothing left to do"}
		}
		return steps[at]
	}
	return step{Say: "ok"}
}

func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		if strings.HasSuffix(r.URL.Path, "/models") {
			reply(w, map[string]any{"object": "list", "data": []any{map[string]any{"id": "fake-model", "object": "model"}}})
			return
		}
		w.WriteHeader(http.StatusNotFound)
		return
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, 64<<20))
	if err != nil {
		return
	}
	if strings.Contains(r.URL.Path, "count") {
		reply(w, map[string]any{"input_tokens": 1000, "totalTokens": 1000})
		return
	}
	var asked request
	json.Unmarshal(body, &asked)
	s := m.next(asked)
	time.Sleep(time.Duration(s.Wait) * time.Millisecond)
	if s.Fail != 0 {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(s.Fail)
		fmt.Fprint(w, `{"type":"error","error":{"type":"invalid_request_error","message":"made to fail"}}`)
		return
	}
	n := m.number.Add(1)
	switch path := r.URL.Path; {
	case strings.HasSuffix(path, "/messages"):
		messages(w, asked, s, n)
	case strings.HasSuffix(path, "/responses"):
		responses(w, asked, s, n)
	case strings.HasSuffix(path, "/completions"):
		completions(w, asked, s, n)
	case strings.Contains(path, "enerateContent"):
		generate(w, s, n, strings.Contains(path, "stream"))
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}
