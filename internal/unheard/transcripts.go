package unheard

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"entire-plumb/internal/agent"
	"entire-plumb/internal/safefile"
)

// head reads the beginning of a transcript; empty if that isn't possible.
func head(file string) []byte {
	f, err := safefile.Open(file)
	if err != nil {
		return nil
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, mostHead))
	if err != nil {
		return nil
	}
	return data
}

// entries are the names in a directory, in order, as far as it can be read.
func entries(dir string) []os.DirEntry {
	f, _ := os.ReadDir(dir)
	return f[:min(len(f), mostOthers)]
}

// transcripts are the files of a directory with a prefix, and the name's end .jsonl.
func transcripts(dir, prefix string) []candidate {
	var found []candidate
	for _, e := range entries(dir) {
		if !strings.HasPrefix(e.Name(), prefix) || !strings.HasSuffix(e.Name(), ".jsonl") || !e.Type().IsRegular() {
			continue
		}
		if info, err := e.Info(); err == nil {
			found = append(found, candidate{file: filepath.Join(dir, e.Name()), last: info.ModTime()})
		}
	}
	return found
}

// projectFiles finds SESSION.jsonl in a directory below projects/NAME, or there, of the worktrees,
// and of directories below them.
func projectFiles(r Request, dir, below string) []candidate {
	var names []string
	for _, top := range r.Tops {
		name := agent.ClaudeProject(top) // it shortens long ones: the beginning counts
		names = append(names, name[:min(len(name), agent.ClaudeShortened)])
	}
	var found []candidate
	for _, e := range entries(filepath.Join(dir, "projects")) {
		if slices.ContainsFunc(names, func(name string) bool { return strings.HasPrefix(e.Name(), name) }) {
			found = append(found, transcripts(filepath.Join(dir, "projects", e.Name(), below), "")...)
		}
	}
	return found
}

func qwenFiles(r Request, dir string) []candidate { return projectFiles(r, dir, "chats") }

func claudeFiles(r Request, dir string) []candidate {
	return slices.DeleteFunc(projectFiles(r, dir, ""), func(c candidate) bool { // older versions had subagents' beside
		return strings.HasPrefix(filepath.Base(c.file), "agent-")
	})
}

// claudeHead finds the directory and the time of the first record that has them. A session without
// an answer of the model's has done nothing yet.
func claudeHead(c candidate, head []byte) (s Session, ok bool) {
	s.ID = strings.TrimSuffix(filepath.Base(c.file), ".jsonl")
	for line := range bytes.Lines(head) {
		var record struct {
			Type      string    `json:"type"`
			Cwd       string    `json:"cwd"`
			Timestamp time.Time `json:"timestamp"`
			Version   string    `json:"version"`
		}
		if json.Unmarshal(line, &record) != nil {
			continue // the last one, cut off
		}
		if s.Dir == "" {
			s.Dir, s.Begun, s.Version = record.Cwd, record.Timestamp, record.Version
		}
		ok = ok || record.Type == "assistant"
	}
	return s, ok || len(head) == mostHead
}

// codexFiles finds sessions/YYYY/MM/DD/rollout-*.jsonl, of the newest days.
func codexFiles(r Request, dir string) []candidate {
	var found []candidate
	days := []string{filepath.Join(dir, "sessions")}
	for range 3 {
		var below []string
		for _, day := range days {
			for _, e := range slices.Backward(entries(day)) {
				below = append(below, filepath.Join(day, e.Name()))
			}
		}
		days = below[:min(len(below), mostFiles)]
	}
	for _, day := range days {
		found = append(found, transcripts(day, "rollout-")...)
	}
	return found
}

// codexHead reads the first record. A subagent's thread is no session.
func codexHead(_ candidate, head []byte) (s Session, ok bool) {
	line, _, _ := bytes.Cut(head, []byte("\n"))
	var record struct {
		Payload struct {
			Session   string    `json:"session_id"`
			ID        string    `json:"id"`
			Cwd       string    `json:"cwd"`
			Timestamp time.Time `json:"timestamp"`
			Thread    string    `json:"thread_source"`
			Version   string    `json:"cli_version"`
		} `json:"payload"`
	}
	if json.Unmarshal(line, &record) != nil {
		return s, false
	}
	p := record.Payload
	s.ID, s.Dir, s.Begun, s.Version = cmp.Or(p.Session, p.ID), p.Cwd, p.Timestamp, p.Version
	return s, s.ID != "" && (p.Thread == "" || p.Thread == "user")
}

// geminiFiles finds tmp/NAME/chats/session-*.jsonl; tmp/NAME/.project_root holds the directory.
func geminiFiles(r Request, dir string) []candidate {
	var found []candidate
	for _, e := range entries(filepath.Join(dir, "tmp")) {
		project := filepath.Join(dir, "tmp", e.Name())
		top := agent.GeminiOwner(project)
		if !slices.ContainsFunc(r.Tops, func(t string) bool { return top == t || strings.HasPrefix(top, t+string(filepath.Separator)) }) {
			continue
		}
		for _, c := range transcripts(filepath.Join(project, "chats"), "session-") {
			c.dir = top
			found = append(found, c)
		}
	}
	return found
}

// geminiHead reads the first record. A session without an answer of the model's has done nothing
// yet.
func geminiHead(c candidate, head []byte) (s Session, ok bool) {
	line, rest, _ := bytes.Cut(head, []byte("\n"))
	var record struct {
		ID    string    `json:"sessionId"`
		Begun time.Time `json:"startTime"`
		Kind  string    `json:"kind"`
	}
	if json.Unmarshal(line, &record) != nil {
		return s, false
	}
	s.ID, s.Begun, s.Dir = record.ID, record.Begun, c.dir
	answered := bytes.Contains(rest, []byte(`"type":"gemini"`)) || len(head) == mostHead
	return s, s.ID != "" && answered && (record.Kind == "" || record.Kind == "main")
}
