package hooks

import (
	"encoding/json"
	"os"
	"path/filepath"

	"entire-plumb/gitexec"
	"entire-plumb/internal/githooks"
	"entire-plumb/internal/safefile"
	"entire-plumb/internal/session"
)

// pending is what prepare-commit-msg leaves for the hooks after it, in the worktree's own git directory: the link that
// it gave out. While it is there, and the link is on HEAD but not among the checkpoints, a post-commit hook is owed.
type pending struct {
	ID       string      `json:"id"`
	Head     gitexec.OID `json:"head"`             // what HEAD was
	Sessions []string    `json:"sessions"`         // whose work the link stands for
	Agents   []string    `json:"agents,omitempty"` // the sessions whose agent makes the commit
	Only     bool        `json:"only,omitempty"`   // some paths are committed, and the index may hold more
	// Redone are commits that the new one is made anew from, whose links it has again: the ID is the first one's.
	Redone []session.Link `json:"redone,omitempty"`
	// Squashed are commits that git merge --squash has melted into the new one.
	Squashed []gitexec.OID `json:"squashed,omitempty"`
}

// links are the links that the commit has again.
func (p pending) links() []string {
	var ids []string
	for _, l := range p.Redone {
		ids = union(ids, []string{l.ID})
	}
	return ids
}

func pendingFile(privateDir string) string { return filepath.Join(privateDir, "pending.json") }

// readPending gives the zero value when nothing is pending.
func readPending(privateDir string) pending { return readPrivate[pending](pendingFile(privateDir)) }

func writePending(privateDir string, p pending) error {
	return writePrivate(pendingFile(privateDir), p)
}

// mostPrivate is how many bytes a private file has at most. The largest is what log said last, of a
// hundred commits.
const mostPrivate = 64 << 20

// readPrivate reads a JSON file of ours in the worktree's git directory; one that isn't there, or cannot be read, is the zero value.
func readPrivate[T any](file string) T {
	var v, none T
	data, err := safefile.ReadOwn(file, mostPrivate)
	if err != nil || json.Unmarshal(data, &v) != nil {
		return none
	}
	return v
}

func writePrivate(file string, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	return safefile.Write(file, data, 0o600)
}

func removePending(privateDir string) {
	os.Remove(pendingFile(privateDir))
	os.Remove(templateFile(privateDir))
}

// templateFile is there while an editor has the message, and commit-msg therefore something to do: without it that hook's
// stub doesn't even start this program. It holds the template that the message came from, or nothing.
func templateFile(privateDir string) string { return filepath.Join(privateDir, githooks.TemplateFile) }
