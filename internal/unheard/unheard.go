// Package unheard finds sessions of agents in a repository whose hooks never called this program.
package unheard

// It looks at the transcripts that agents keep in the user's home directory, the newest first and a
// bounded number, and reads the beginning of each alone.

import (
	"cmp"
	"path/filepath"
	"slices"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/agent"
)

const (
	mostFiles  = 48        // transcripts that are read, of each agent
	mostHead   = 256 << 10 // bytes of each; Codex's first line has 20,000
	mostOthers = 5000      // entries of a directory that are looked at
)

// Request says where and for what to look.
type Request struct {
	Getenv func(string) string  // required
	Tops   []string             // of the repository's worktrees; empty: no session is found
	Since  time.Time            // when recording was enabled: sessions that ended before don't count; zero: all count
	Known  func(id string) bool // whether any event of a session was heard; required
	All    bool                 // without the limit of transcripts
}

// Session is a session that was not heard.
type Session struct {
	Agent   agent.Agent
	Version string // of the agent, as the transcript says; empty: it doesn't
	ID      string
	Dir     string // that it was started in
	Top     string // of its worktree
	Begun   time.Time
	Last    time.Time // something was written to its transcript
	File    string    // the transcript
}

// candidate is a transcript, and its session's directory if its place tells that.
type candidate struct {
	file string
	dir  string
	last time.Time
}

// kinds are how the transcripts of an agent are found and read, by its name.
var kinds = map[string]struct {
	find func(r Request, dir string) []candidate
	read func(c candidate, head []byte) (Session, bool)
}{
	agent.ClaudeCode.Name: {claudeFiles, claudeHead},
	agent.Codex.Name:      {codexFiles, codexHead},
	agent.Gemini.Name:     {geminiFiles, geminiHead},
	agent.Copilot.Name:    {copilotFiles, copilotHead},
	agent.Qwen.Name:       {qwenFiles, claudeHead}, // of the same keys,
}

// Find lists the sessions, newest first. What can't be read is not there.
func Find(r Request) []Session {
	var found []Session
	for _, a := range agent.All {
		kind, ok := kinds[a.Name]
		dir := a.UserDir(r.Getenv)
		if !ok || dir == "" {
			continue
		}
		files := slices.DeleteFunc(kind.find(r, dir), func(c candidate) bool { return c.last.Before(r.Since) })
		slices.SortFunc(files, func(a, b candidate) int { return b.last.Compare(a.last) })
		if !r.All {
			files = files[:min(len(files), mostFiles)]
		}
		found = append(found, r.sessions(a, kind.read, files)...)
	}
	return sorted(found)
}

// In lists the sessions of one agent whose transcripts are in a directory, newest first.
func In(r Request, a agent.Agent, dir string) []Session {
	kind, ok := kinds[a.Name]
	if !ok {
		return nil
	}
	files := transcripts(dir, "")
	for i := range files {
		files[i].dir = r.Tops[0] // Gemini's don't name it
	}
	return sorted(r.sessions(a, kind.read, files))
}

// sessions reads transcripts of an agent.
func (r Request) sessions(a agent.Agent, read func(candidate, []byte) (Session, bool), files []candidate) (found []Session) {
	for _, c := range files {
		s, ok := read(c, head(c.file))
		if !ok || r.Known(s.ID) {
			continue
		}
		s.Agent, s.Last, s.File = a, c.last, c.file
		s.Dir = filepath.Clean(s.Dir)
		// A directory that is not absolute has no such top.
		if s.Top, _ = gitexec.FindTops(s.Dir); slices.Contains(r.Tops, s.Top) {
			found = append(found, s)
		}
	}
	return found
}

func sorted(found []Session) []Session {
	slices.SortStableFunc(found, func(a, b Session) int { return cmp.Or(b.Last.Compare(a.Last), cmp.Compare(a.ID, b.ID)) })
	return found
}
