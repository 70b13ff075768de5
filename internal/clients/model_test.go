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

// call is one call of a tool.
type call struct {
	Name  string          `json:"name"`
	Input json.RawMessage `json:"input"`
}

// Tokens of each answer.
const tokensIn, tokensWritten, tokensRead, tokensOut = 100, 20, 3000, 7

// model answers requests of clients on loopback. A prompt says what is to be played: "[play:NAME]"
// stands for the file NAME.json, a list of steps. The n-th step answers the request in which the
// model has answered n times since. So it keeps no state, and sessions may run side by side. A
// request that names no play is answered with "ok".
type model struct {
	plays  string // their directory
	number atomic.Int64
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

// request is what a client asks of Anthropic's Messages API, as far as it matters here.
type request struct {
	Model    string    `json:"model"`
	Stream   bool      `json:"stream"`
	Messages []message `json:"messages"`
}

type message struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
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
	return all
}

var playName = regexp.MustCompile(`\[play:([A-Za-z0-9_.-]+)\]`)

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
		w.WriteHeader(http.StatusNotFound)
		return
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, 64<<20))
	if err != nil {
		return
	}
	if strings.Contains(r.URL.Path, "count") {
		reply(w, object{"input_tokens": 1000})
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
	if !strings.HasSuffix(r.URL.Path, "/messages") {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	messages(w, asked, s, n)
}

func reply(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(value)
}

type object = map[string]any

// events writes server-sent events.
func events(w http.ResponseWriter, all ...object) {
	w.Header().Set("Content-Type", "text/event-stream")
	for _, e := range all {
		data, _ := json.Marshal(e)
		fmt.Fprintf(w, "event: %s\ndata: %s\n\n", e["type"], data)
	}
}

// messages is Anthropic's Messages API.
func messages(w http.ResponseWriter, asked request, s step, n int64) {
	var blocks []object
	if s.Say != "" {
		blocks = append(blocks, object{"type": "text", "text": s.Say})
	}
	for i, u := range s.Use {
		blocks = append(blocks, object{"type": "tool_use", "id": fmt.Sprintf("toolu_%06d%02d", n, i), "name": u.Name, "input": u.Input})
	}
	stop := "end_turn"
	if len(s.Use) > 0 {
		stop = "tool_use"
	}
	usage := object{"input_tokens": tokensIn, "cache_creation_input_tokens": tokensWritten, "cache_read_input_tokens": tokensRead, "output_tokens": tokensOut}
	whole := object{"id": fmt.Sprintf("msg_%08d", n), "type": "message", "role": "assistant", "model": asked.Model, "content": blocks,
		"stop_reason": stop, "stop_sequence": nil, "usage": usage}
	if !asked.Stream {
		reply(w, whole)
		return
	}
	begun := object{"id": whole["id"], "type": "message", "role": "assistant", "model": asked.Model, "content": []any{},
		"stop_reason": nil, "stop_sequence": nil, "usage": usage}
	all := []object{{"type": "message_start", "message": begun}}
	for i, b := range blocks {
		start, delta := object{"type": "text", "text": ""}, object{"type": "text_delta", "text": b["text"]}
		if b["type"] == "tool_use" {
			start = object{"type": "tool_use", "id": b["id"], "name": b["name"], "input": object{}}
			delta = object{"type": "input_json_delta", "partial_json": string(b["input"].(json.RawMessage))}
		}
		all = append(all, object{"type": "content_block_start", "index": i, "content_block": start},
			object{"type": "content_block_delta", "index": i, "delta": delta}, object{"type": "content_block_stop", "index": i})
	}
	events(w, append(all, object{"type": "message_delta", "delta": object{"stop_reason": stop, "stop_sequence": nil}, "usage": usage}, object{"type": "message_stop"})...)
}
