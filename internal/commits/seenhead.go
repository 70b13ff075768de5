package commits

import (
	"cmp"
	"path/filepath"
	"slices"

	"entire-plumb/gitexec"
)

// SeenHead is what HEAD of a worktree was when a hook of ours ran last, or when post-commit ran for
// the commit there; all zeros before the first commit. Where HEAD is another commit now, it moved
// without our hooks. The file is no part of the headRecord, since commands write it, too.
type SeenHead struct {
	Head  gitexec.OID `json:"head"`
	First gitexec.OID `json:"first"` // when it was first recorded: what was made before is not looked at
}

func seenHeadFile(privateDir string) string { return filepath.Join(privateDir, "seen.json") }

// ReadSeenHead is the zero value if no hook has run since the program records it.
func ReadSeenHead(privateDir string) SeenHead { return readPrivate[SeenHead](seenHeadFile(privateDir)) }

// movedTo reports whether HEAD moved to another commit. It doesn't where its branch has none any
// more.
func (s SeenHead) movedTo(head gitexec.OID) bool {
	return s.Head != head && (s.Head == "" || !head.IsZero())
}

// Write records that a hook saw this HEAD. What was recorded first stays.
func (s SeenHead) Write(privateDir string, head gitexec.OID) error {
	return writePrivate(seenHeadFile(privateDir), SeenHead{head, cmp.Or(s.First, head)})
}

// moveSeenHead records that HEAD moved by a commit that a hook ran for.
func moveSeenHead(repo *gitexec.Repo, from []gitexec.OID, to gitexec.OID) error {
	seen := ReadSeenHead(repo.PrivateDir())
	if seen.Head == "" || seen.Head == to || !slices.Contains(from, seen.Head) {
		return nil
	}
	return seen.Write(repo.PrivateDir(), to)
}
