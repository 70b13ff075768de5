package main

import (
	"fmt"
	"strings"
	"time"

	"entire-plumb/gitexec"
)

// script is a workflow as a scenario that replay runs.
type script struct {
	lines  []string
	marked int
	clock  time.Time
}

func (s *script) say(lines ...string) { s.lines = append(s.lines, lines...) }

func (s *script) begin() {
	s.clock = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
}

func (s *script) enabled() {
	s.say("repo", "rev B1 HEAD")
}

func (s *script) mark()               { s.marked = len(s.lines) }
func (s *script) comment(what string) { s.say("", "# "+what) }

// undoComment removes a heading without steps.
func (s *script) undoComment() {
	if len(s.lines) == s.marked+2 {
		s.lines = s.lines[:s.marked]
	}
}

func (s *script) prompt(session string, turn int) {
	s.clock = s.clock.Add(time.Minute)
	s.say("at "+s.clock.Format(time.RFC3339), fmt.Sprintf("prompt %s 'Turn %d'", session, turn))
}

// put writes a version of a file to the worktree.
func (s *script) put(path string, old, now *file) {
	switch {
	case now.gone:
		if old.exists() {
			s.say("rm " + path)
		}
		return
	case now.binary():
		s.say(fmt.Sprintf(`exec sh -c 'printf "%s" >%s'`, strings.ReplaceAll(now.data, "\x00", `\000`), path))
	default:
		line := "write " + path
		for _, l := range now.lines {
			line += " '" + l.text + "'"
		}
		s.say(line)
	}
	if mode(old) != now.mode {
		s.say(fmt.Sprintf("chmod %s %s", now.mode[3:], path))
	}
}

func mode(f *file) string {
	if f.exists() {
		return f.mode
	}
	return gitexec.ModeFile
}

// String is the text of the scenario.
func (s *script) String() string { return strings.Join(s.lines, "\n") + "\n" }
