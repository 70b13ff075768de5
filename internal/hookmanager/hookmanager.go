// Package hookmanager edits the files by which hook managers run git's hooks, so that they call
// this program: lines in, lines out.
package hookmanager

import (
	"errors"
	"fmt"
	"strings"

	"entire-plumb/internal/githooks"
)

// Manager is a hook manager that has a file of its own in the worktree.
type Manager struct {
	Name string
	// Files are those that it reads, with slashes, the first that exists counts; without husky's,
	// which has one for each hook.
	Files []string
	// Stages are the hooks that it can run for us. git's other hooks call us by our stubs alone.
	Stages []string
	edit   func(text string, stages []string) (string, error)
	block  func(stages []string) string
}

// The managers.
//
// lefthook skips commands of pre-push if the branch that is checked out has nothing to push, so
// that it would not check a shadow branch that is. pre-commit hides what is not staged from all
// stages, post-commit too, where it would look as if the user had thrown it away; and it gives no
// hook git's standard input. What its two hooks begin, an agent's next event finishes.
var (
	Lefthook = Manager{
		Name: "lefthook",
		Files: []string{"lefthook.yml", ".lefthook.yml", ".config/lefthook.yml", "lefthook.yaml", ".lefthook.yaml", ".config/lefthook.yaml",
			"lefthook.json", ".lefthook.json", "lefthook.jsonc", ".lefthook.jsonc", "lefthook.toml", ".lefthook.toml"},
		Stages: []string{"prepare-commit-msg", "commit-msg", "post-commit", "post-rewrite", "post-merge"},
		edit:   editLefthook,
		block:  lefthookBlock,
	}
	PreCommit = Manager{
		Name:   "pre-commit",
		Files:  []string{".pre-commit-config.yaml"},
		Stages: []string{"prepare-commit-msg", "commit-msg"},
		edit:   editPreCommit,
		block:  func(stages []string) string { return strings.Join(preCommitItem(stages), "\n") + "\n" },
	}
	All = []Manager{Lefthook, PreCommit}
)

// ErrShape says that a file's shape allows no lines to be added without understanding all of it.
var ErrShape = errors.New("its shape allows no lines to be added")

// The lines around ours.
const (
	begin = "# entire-plumb: begin, to be removed by `entire-plumb disable`"
	end   = "# entire-plumb: end"
)

// Missing are the stages for which a manager's file doesn't call us.
func (m Manager) Missing(text string) (stages []string) {
	for _, s := range m.Stages {
		if !githooks.CallsFrom(s, text) {
			stages = append(stages, s)
		}
	}
	return stages
}

// Add returns the text of the manager's file with lines that call us; what was there stays byte for
// byte.
func (m Manager) Add(file, text string) (string, error) {
	if !strings.HasSuffix(file, ".yml") && !strings.HasSuffix(file, ".yaml") {
		return "", fmt.Errorf("%w: it is not YAML", ErrShape)
	}
	stages := m.Missing(text)
	if len(stages) == 0 {
		return text, nil
	}
	return m.edit(text, stages)
}

// Lines are what the user adds by hand.
func (m Manager) Lines(text string) string { return m.block(m.Missing(text)) }

// Remove returns the text of a manager's file without our lines. It is the inverse of Add.
func Remove(text string) string {
	var kept strings.Builder
	inside := false
	for line := range strings.Lines(text) {
		switch trimmed := strings.TrimSpace(line); {
		case trimmed == begin && strings.Contains(text, end):
			inside = true
		case trimmed == end && inside:
			inside = false
			if !strings.HasSuffix(line, "\n") { // Add had put a line feed before the block
				return strings.TrimSuffix(kept.String(), "\n")
			}
		case !inside:
			kept.WriteString(line)
		}
	}
	if inside { // the end was removed: nothing tells ours from others'
		return text
	}
	return kept.String()
}

// marked are lines between our marks, all indented.
func marked(indent string, lines []string) string {
	var b strings.Builder
	for _, line := range append(append([]string{begin}, lines...), end) {
		b.WriteString(strings.TrimRight(indent+line, " ") + "\n")
	}
	return b.String()
}

// mark is at the end of the line that Add puts into a file of husky's.
const mark = " # by entire-plumb enable --write"

// AddLine returns the text of husky's file for a hook with a line that calls us at its end.
func AddLine(text, hook string) string {
	if text == "" {
		return githooks.Line(hook) + mark + "\n"
	}
	if !strings.HasSuffix(text, "\n") {
		return text + "\n" + githooks.Line(hook) + mark
	}
	return text + githooks.Line(hook) + mark + "\n"
}

// RemoveLine is the inverse of AddLine. An empty text is that of a file that AddLine made.
func RemoveLine(text, hook string) string {
	line := githooks.Line(hook) + mark
	if before, ok := strings.CutSuffix(text, "\n"+line); ok {
		return before
	}
	if text == line {
		return ""
	}
	var kept strings.Builder
	for l := range strings.Lines(text) {
		if strings.TrimSuffix(l, "\n") != line {
			kept.WriteString(l)
		}
	}
	return kept.String()
}
