// Package skill holds the Agent Skill that tells agents how to ask what was recorded.
package skill

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"fmt"
	"strings"
)

//go:embed SKILL.md
var text string

// Name is the skill's, and that of its directory.
const Name = "entire-plumb"

// Files are where agents look for the skill, below the top of a worktree: most of them in the first
// directory, Claude Code in the second.
var Files = []string{".agents/skills/" + Name + "/SKILL.md", ".claude/skills/" + Name + "/SKILL.md"}

// Most limits the size of a file that may be ours, in bytes.
const Most = 64 << 10

// State is what a file holds.
type State string

// The states.
const (
	Absent   State = "absent"
	Current  State = "current"
	Outdated State = "outdated" // another version of this program wrote it, and no one has changed it
	Foreign  State = "foreign"  // another program or the user wrote or changed it
)

// mark begins the last line of the file, which has a hash of what stands before it.
const mark = "<!-- entire-plumb enable --skill wrote this; disable removes it unless it was changed: "

// Text is the file's content.
func Text() []byte { return []byte(text + lineOf(text)) }

func lineOf(body string) string {
	return fmt.Sprintf("\n%s%x -->\n", mark, sha256.Sum256([]byte(body)))
}

// StateOf is the state of a file with this content; nil: there is none. Git may have changed the
// ends of its lines.
func StateOf(data []byte) State {
	if data == nil {
		return Absent
	}
	data = bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
	body, _, ok := strings.Cut(string(data), "\n"+mark)
	switch {
	case bytes.Equal(data, Text()):
		return Current
	case ok && string(data) == body+lineOf(body):
		return Outdated
	}
	return Foreign
}
