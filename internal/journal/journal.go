// Package journal keeps a short record of what the hooks did: one JSON line a run, in the common git directory, in two
// files of bounded size. A journal that cannot be written costs nobody anything.
package journal

import (
	"encoding/json"
	"os"
	"path/filepath"
	"time"
)

// largest is the size in bytes at which the journal is turned over: the file before it is dropped.
const largest = 1 << 20

// Entry is one run of a hook, or something that happened in it.
type Entry struct {
	Time         time.Time `json:"time"`
	Hook         string    `json:"hook"`
	Session      string    `json:"session,omitempty"`
	Commit       string    `json:"commit,omitempty"`
	Outcome      string    `json:"outcome"`
	Error        string    `json:"error,omitempty"`
	Milliseconds int64     `json:"ms"`
	Processes    int       `json:"git_processes"`
}

// File is the journal of a repository, given its shared directory.
func File(sharedDir string) string { return filepath.Join(sharedDir, "journal.jsonl") }

// Append adds an entry.
func Append(sharedDir string, e Entry) {
	line, err := json.Marshal(e)
	if err != nil {
		return
	}
	file := File(sharedDir)
	if info, err := os.Stat(file); err == nil && info.Size() > largest {
		os.Rename(file, file+".1")
	}
	if err := os.MkdirAll(sharedDir, 0o700); err != nil {
		return
	}
	f, err := os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return
	}
	defer f.Close()
	f.Write(append(line, '\n'))
}
