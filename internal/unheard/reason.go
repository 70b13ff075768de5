package unheard

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"entire-plumb/internal/agent"
	"entire-plumb/internal/agentsettings"
	"entire-plumb/internal/safefile"
)

// Reason is why a session was not heard.
type Reason string

// The reasons.
const (
	Below     Reason = "started in a subdirectory" // whose settings the agent reads instead
	NoHooks   Reason = "no hooks"                  // in the settings that the agent reads
	Earlier   Reason = "started before its hooks were installed"
	Untrusted Reason = "hooks may not be trusted"
	Older     Reason = "a version without such hooks"
	Unknown   Reason = "unknown"
)

// mostSettings limits the settings that are read, in bytes.
const mostSettings = 1 << 20

// Reason finds the reason in the settings that the agent read.
func (s Session) Reason(getenv func(string) string) Reason {
	installed := s.installed(getenv)
	switch {
	case installed.IsZero() && s.Dir != s.Top && !s.Agent.FromTop:
		return Below
	case installed.IsZero():
		return NoHooks
	case older(s.Version, s.Agent.Since):
		return Older
	case s.Begun.Before(installed):
		return Earlier
	case s.Agent.Trust != "":
		return Untrusted
	}
	return Unknown
}

// installed is the first time that any of the settings had hooks, as far as that is known.
func (s Session) installed(getenv func(string) string) (first time.Time) {
	files := []string{filepath.Join(s.Dir, s.Agent.Settings), s.Agent.UserFile(getenv)}
	if s.Agent.FromTop {
		files = append(files, filepath.Join(s.Top, s.Agent.Settings))
	}
	for _, file := range files {
		if at, ok := hooksSince(s.Agent, file); ok && (first.IsZero() || at.Before(first)) {
			first = at
		}
	}
	return first
}

// hooksSince reports whether a settings file has hooks of ours, and when it was written.
func hooksSince(a agent.Agent, file string) (at time.Time, ok bool) {
	// What can't be read has no hooks.
	data, _ := safefile.Read(file, mostSettings)
	there, _, _ := agentsettings.Installed(data, a)
	info, err := os.Stat(file)
	if err != nil || len(there) == 0 {
		return at, false
	}
	return info.ModTime(), true
}

// older reports whether a version is known to be older than another: numbers between dots. What
// is no such version, a transcript may say anything, is not.
func older(version, than string) bool {
	a, ok := numbers(version)
	b, _ := numbers(than) // none are not more than others
	return ok && slices.Compare(a, b) < 0
}

func numbers(version string) (all []int, ok bool) {
	for part := range strings.SplitSeq(version, ".") {
		n, err := strconv.Atoi(part)
		if err != nil || n < 0 || len(all) == 4 {
			return nil, false
		}
		all = append(all, n)
	}
	return all, true
}
