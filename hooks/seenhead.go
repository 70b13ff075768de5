package hooks

import (
	"path/filepath"

	"entire-plumb/gitexec"
)

// seenHead is what HEAD of a worktree was when a hook of ours ran last, or when post-commit ran for
// the commit there. Where HEAD is another commit now, it moved without our hooks. The file is no
// part of the headRecord, since commands write it, too.
type seenHead struct {
	Head gitexec.OID `json:"head"`
}

func seenHeadFile(privateDir string) string { return filepath.Join(privateDir, "seen.json") }

// readSeenHead is empty if no hook has run since the program records it.
func readSeenHead(privateDir string) gitexec.OID {
	return readPrivate[seenHead](seenHeadFile(privateDir)).Head
}

func writeSeenHead(privateDir string, head gitexec.OID) error {
	return writePrivate(seenHeadFile(privateDir), seenHead{head})
}

// moveSeenHead records that HEAD moved by a commit that a hook ran for.
func (p *hook) moveSeenHead(from []gitexec.OID, to gitexec.OID) error {
	seen := readSeenHead(p.Repo.PrivateDir())
	for _, id := range from {
		if id == seen && id != "" && id != to {
			return writeSeenHead(p.Repo.PrivateDir(), to)
		}
	}
	return nil
}
