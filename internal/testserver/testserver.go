// Package testserver serves git repositories over http for tests, as well or as badly as a test
// asks.
package testserver

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/cgi"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Server serves all repositories below a directory on the loopback, to clones and pushes.
type Server struct {
	URL string // without a slash at the end: the repository x.git is URL/x.git

	server  http.Server
	handler cgi.Handler
	hooks   string // a directory

	mu                    sync.Mutex
	mode                  Mode
	released              context.Context // done once the mode is another one
	release               context.CancelFunc
	requests, connections atomic.Int64
	running               sync.WaitGroup
}

// Start starts a server without a password. The caller must call Close.
func Start(root string) (*Server, error) {
	git, err := exec.LookPath("git")
	if err != nil {
		return nil, err
	}
	listener, err := (&net.ListenConfig{Control: smallBuffers}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &Server{URL: "http://" + listener.Addr().String()}
	if s.hooks, err = os.MkdirTemp("", "testserver-*"); err != nil {
		return nil, err
	}
	for name, text := range hooks {
		if err := os.WriteFile(filepath.Join(s.hooks, name), []byte(text), 0o755); err != nil {
			return nil, err
		}
	}
	quiet := log.New(io.Discard, "", 0)
	s.handler = cgi.Handler{Path: git, Args: []string{"http-backend"}, Logger: quiet, Stderr: io.Discard, InheritEnv: []string{"HOME", "GIT_CONFIG_GLOBAL", "TMPDIR"},
		Env: []string{"GIT_PROJECT_ROOT=" + root, "GIT_HTTP_EXPORT_ALL=1", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_COUNT=2", "GIT_CONFIG_KEY_0=http.receivepack",
			"GIT_CONFIG_VALUE_0=true", "GIT_CONFIG_KEY_1=safe.directory", "GIT_CONFIG_VALUE_1=*"}}
	s.server = http.Server{Handler: http.HandlerFunc(s.serve), ErrorLog: quiet, ConnState: func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			s.connections.Add(1)
		}
	}}
	s.Set(Mode{})
	go s.server.Serve(listener)
	return s, nil
}

// Close ends the server, all connections, and the hooks that wait.
func (s *Server) Close() {
	s.Set(Mode{})
	s.server.Close()
	s.running.Wait()
	os.RemoveAll(s.hooks)
}

// Set has the server behave in another way. What has waited because of the last one goes on.
func (s *Server) Set(m Mode) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.release != nil {
		s.release()
	}
	s.mode = m
	s.released, s.release = context.WithCancel(context.Background())
	if m.Hold {
		os.WriteFile(s.held(), nil, 0o644)
	} else {
		os.Remove(s.held())
	}
}

func (s *Server) held() string { return filepath.Join(s.hooks, "held") }

// Counts are the requests and the connections since the last call.
func (s *Server) Counts() (requests, connections int64) {
	return s.requests.Swap(0), s.connections.Swap(0)
}

// Wait waits until no request is being served, such as one whose client has given up.
func (s *Server) Wait() { s.running.Wait() }

// head is how much of a request is searched for Mode.Of.
const head = 4096

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	s.running.Add(1)
	defer s.running.Done()
	s.requests.Add(1)
	s.mu.Lock()
	m, released := s.mode, s.released
	s.mu.Unlock()
	body := bufio.NewReaderSize(r.Body, head)
	if m.Of != "" {
		begin, _ := body.Peek(head)
		if !bytes.Contains(begin, []byte(m.Of)) {
			m = Mode{Password: m.Password}
		}
	}
	switch {
	case !m.allows(r):
		w.Header().Set("WWW-Authenticate", `Basic realm="test"`)
		http.Error(w, "who are you?", http.StatusUnauthorized)
	case m.Status != 0:
		io.Copy(io.Discard, body)
		http.Error(w, "not today", m.Status)
	case m.Hang:
		select {
		case <-released.Done():
		case <-r.Context().Done():
		}
		panic(http.ErrAbortHandler)
	default:
		s.answer(w, r, m, body)
	}
}

// answer has git answer a request.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, m Mode, body *bufio.Reader) {
	in := &input{in: body, mode: m}
	ask := *r
	if r.ContentLength != 0 {
		ask.Body, ask.ContentLength, ask.TransferEncoding = io.NopCloser(in), -1, nil // git's chunks, which CGI has not
	}
	handler := s.handler
	handler.Env = append(append([]string{}, handler.Env...), m.env(s)...)
	if version := r.Header.Get("Git-Protocol"); version != "" {
		handler.Env = append(handler.Env, "GIT_PROTOCOL="+version)
	}
	handler.ServeHTTP(&output{ResponseWriter: w}, &ask)
	if in.cut {
		panic(http.ErrAbortHandler)
	}
}

// input is the body of a request, as fast and as long as a mode says.
type input struct {
	in   io.Reader
	mode Mode
	read int64
	cut  bool
}

func (i *input) Read(p []byte) (int, error) {
	if i.mode.Cut > 0 && i.read >= i.mode.Cut {
		i.cut = true
		return 0, io.ErrUnexpectedEOF
	}
	if i.mode.Rate > 0 {
		p = p[:min(len(p), max(1, i.mode.Rate/20))]
	}
	n, err := i.in.Read(p)
	i.read += int64(n)
	if i.mode.Rate > 0 {
		time.Sleep(time.Duration(n) * time.Second / time.Duration(i.mode.Rate))
	}
	return n, err
}

// output goes on where the client is gone: git has its refs updated all the same.
type output struct {
	http.ResponseWriter
}

func (o *output) Write(p []byte) (int, error) {
	o.ResponseWriter.Write(p)
	if f, ok := o.ResponseWriter.(http.Flusher); ok {
		f.Flush()
	}
	return len(p), nil
}

// hooks are those that the repositories have while a mode asks for them.
var hooks = map[string]string{
	"update": `#!/bin/sh
[ "$SERVER_REFUSES" ] || exit 0
case $1 in *"$SERVER_OF"*) echo "a rule of this server" >&2; exit 1 ;; esac
`,
	"pre-receive": `#!/bin/sh
slow=
while read -r old new ref; do
	case $ref in *"$SERVER_OF"*) slow=1 ;; esac
done
[ "$slow" ] || exit 0
[ "$SERVER_TAKES" = 0 ] || sleep "$SERVER_TAKES"
while [ -e "$SERVER_HELD" ]; do sleep 0.02; done
`,
}

// Mode is how a server behaves. The zero value serves all there is to all.
type Mode struct {
	Password string        // USER:PASSWORD, or a token; empty: nobody is asked
	Of       string        // what follows counts for pushes alone that have this in a ref's name; empty: for all
	Status   int           // answers this to all; 0: does not
	Refuse   bool          // the update hook declines the refs
	Hook     time.Duration // how long the pre-receive hook takes
	Hold     bool          // it ends with the mode
	Rate     int           // how many bytes it takes a second; 0: all
	Hang     bool          // answers nothing
	Cut      int64         // cuts the connection after so many bytes of a push; 0: never
}

// Parse reads a mode from words: password=USER:PASSWORD of=TEXT status=N refuse hook=DURATION hold
// rate=N hang cut=N.
func Parse(words []string) (m Mode, err error) {
	for _, word := range words {
		key, value, _ := strings.Cut(word, "=")
		switch key {
		case "password":
			m.Password = value
		case "of":
			m.Of = value
		case "status":
			_, err = fmt.Sscan(value, &m.Status)
		case "refuse":
			m.Refuse = true
		case "hook":
			m.Hook, err = time.ParseDuration(value)
		case "hold":
			m.Hold = true
		case "rate":
			_, err = fmt.Sscan(value, &m.Rate)
		case "hang":
			m.Hang = true
		case "cut":
			_, err = fmt.Sscan(value, &m.Cut)
		default:
			err = fmt.Errorf("a server has no mode %q", word)
		}
		if err != nil {
			return m, fmt.Errorf("%s: %w", word, err)
		}
	}
	return m, nil
}

// allows reports whether a request has the password, with a user's name or as a token.
func (m Mode) allows(r *http.Request) bool {
	if m.Password == "" {
		return true
	}
	user, password, _ := r.BasicAuth()
	return user+":"+password == m.Password || password == m.Password || r.Header.Get("Authorization") == "Bearer "+m.Password
}

// env has the hooks run that the mode needs.
func (m Mode) env(s *Server) []string {
	if !m.Refuse && m.Hook == 0 && !m.Hold {
		return nil
	}
	refuses := ""
	if m.Refuse {
		refuses = "1"
	}
	return []string{"GIT_CONFIG_COUNT=3", "GIT_CONFIG_KEY_2=core.hooksPath", "GIT_CONFIG_VALUE_2=" + s.hooks, "SERVER_OF=" + m.Of, "SERVER_REFUSES=" + refuses,
		fmt.Sprint("SERVER_TAKES=", m.Hook.Seconds()), "SERVER_HELD=" + s.held()}
}
