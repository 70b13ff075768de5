package unheard

import (
	"path/filepath"
	"slices"
	"strings"

	"entire-plumb/internal/agent"
)

// qwenFiles finds projects/NAME/chats/SESSION.jsonl of the worktrees, and of directories below.
func qwenFiles(r Request, dir string) []candidate {
	var found []candidate
	projects := filepath.Join(dir, "projects")
	for _, e := range entries(projects) {
		if slices.ContainsFunc(r.Tops, func(top string) bool { return strings.HasPrefix(e.Name(), agent.ClaudeProject(top)) }) {
			found = append(found, transcripts(filepath.Join(projects, e.Name(), "chats"), "")...)
		}
	}
	return found
}
