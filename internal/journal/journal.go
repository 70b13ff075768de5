// Package journal keeps a short record of the hooks' runs: one JSON line per run, in two files of
// bounded size in the common git directory; failures to write it are ignored.
package journal

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"entire-plumb/internal/safefile"
)

// largest is the size in bytes at which the journal is rotated; the older file is deleted.
const largest = 1 << 20

// mostRead limits the size of each file, in bytes: largest, and one entry, which after a rebase of
// 100,000 commits is 20 MB.
const mostRead = 64 << 20

// NoHook stands for the hook in the entry of a commit that was found without one.
const NoHook = "no hook"

// Entry is one run of a hook, or an event in it.
type Entry struct {
	Time     time.Time `json:"time"`
	Hook     string    `json:"hook"`
	Worktree string    `json:"worktree,omitempty"` // its ID; empty for the main one
	Session  string    `json:"session,omitempty"`
	Commit   string    `json:"commit,omitempty"`  // HEAD, in full, when the hook ran
	Link     string    `json:"link,omitempty"`    // that the commit was to have
	Made     string    `json:"made,omitempty"`    // the commit that it made itself, in full
	MadeBy   []string  `json:"made_by,omitempty"` // the sessions whose agent makes the commit
	Outcome  string    `json:"outcome"`
	Kind     Kind      `json:"kind,omitempty"`  // of the outcome
	Works    []Work    `json:"works,omitempty"` // what the commit was compared with
	// Rewrote has the predecessors of commits that git rewrote, by their new IDs.
	Rewrote      map[string][]string `json:"rewrote,omitempty"`
	Error        string              `json:"error,omitempty"`
	Milliseconds int64               `json:"ms"`
	Processes    int                 `json:"git_processes"`
	Objects      int                 `json:"git_objects,omitempty"` // requested from git
}

// Work is one session's work, as compared with a commit.
type Work struct {
	Session string     `json:"session"`
	On      string     `json:"on"` // the stream, or where else the work was
	Linked  bool       `json:"linked"`
	Reason  string     `json:"reason,omitempty"`
	Kind    Kind       `json:"kind,omitempty"`        // of the reason
	Files   []WorkFile `json:"files,omitempty"`       // that both have
	Others  []string   `json:"other_files,omitempty"` // that the commit hasn't
	More    int        `json:"more_files,omitempty"`  // of either kind, that are not listed
}

// WorkFile is one file of a work.
type WorkFile struct {
	Path    string `json:"path"`
	Verdict string `json:"verdict"`
}

// Read reads the journal, oldest entry first. It skips invalid lines; a missing journal is empty.
func Read(sharedDir string) ([]Entry, error) {
	var entries []Entry
	for _, file := range []string{File(sharedDir) + ".1", File(sharedDir)} {
		data, err := safefile.ReadOwn(file, mostRead)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		for line := range bytes.Lines(data) {
			var e Entry
			if json.Unmarshal(line, &e) == nil {
				e.Kind = cmp.Or(e.Kind, kindOf(e.Outcome))
				for i, w := range e.Works {
					e.Works[i].Kind = cmp.Or(w.Kind, kindOf(w.Reason))
				}
				entries = append(entries, e)
			}
		}
	}
	return entries, nil
}

// File is the journal's path in a repository's shared directory.
func File(sharedDir string) string { return filepath.Join(sharedDir, "journal.jsonl") }

// Append adds an entry.
func Append(sharedDir string, e Entry) {
	line, err := json.Marshal(e)
	if err != nil {
		return
	}
	file := File(sharedDir)
	if info, err := os.Lstat(file); err == nil && info.Mode().IsRegular() && info.Size() > largest {
		os.Rename(file, file+".1")
	}
	if err := safefile.MkdirAll(sharedDir, 0o700); err != nil {
		return
	}
	f, err := safefile.Append(file, 0o600)
	if err != nil {
		return
	}
	defer f.Close()
	f.Write(append(line, '\n'))
}
