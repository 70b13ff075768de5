package transcript

import (
	"os"
	"path/filepath"
	"strings"
	"time"
)

// OfSubagent is where the transcript of a subagent is, by its ID: in a directory that is named like
// the session's transcript, where newer versions of Claude Code write it, or else beside that.
func OfSubagent(session, id string) string {
	if all := kimiSubagents(session); all != "" {
		return filepath.Join(all, id, kimiWire)
	}
	name := "agent-" + id + ".jsonl"
	path := filepath.Join(subagents(session), name)
	if _, err := os.Stat(path); err == nil {
		return path
	}
	return filepath.Join(filepath.Dir(session), name)
}

// subagents is the directory of the transcripts of a session's subagents. Qwen Code has it beside
// that of the sessions.
func subagents(session string) string {
	// .../chats/ID.jsonl and .../subagents/ID/.
	if dir, name := filepath.Split(session); filepath.Base(dir) == "chats" {
		return filepath.Join(filepath.Dir(filepath.Clean(dir)), "subagents", strings.TrimSuffix(name, ".jsonl"))
	}
	return filepath.Join(strings.TrimSuffix(session, ".jsonl"), "subagents")
}

// mostSubagents is how many subagents' transcripts are looked into.
const mostSubagents = 100

// subagentsSince lists the transcripts of a session's subagents that were at work since a time.
// whole is false where there are more than are looked into.
func subagentsSince(session string, since time.Time) (paths []string, whole bool) {
	files := transcriptsIn(subagents(session), since)
	if all := kimiSubagents(session); all != "" {
		files = besides(all, kimiMain, since)
	}
	for _, f := range files[:min(len(files), mostSubagents)] {
		paths = append(paths, f.path)
	}
	return paths, len(files) <= mostSubagents
}

// besides are the transcripts of all agents in a directory of Kimi Code's but one.
func besides(dir, but string, since time.Time) (files []transcriptFile) {
	agents, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	for _, e := range agents {
		if e.Name() != but {
			files = append(files, transcriptsIn(filepath.Join(dir, e.Name()), since)...)
		}
	}
	return files
}
