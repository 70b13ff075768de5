package shadow

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"entire-plumb/gitexec"
	"entire-plumb/internal/safefile"
)

// Worktrees are a repository's linked worktrees. One whose directory was deleted without git counts
// as removed, unless it is locked: it may be on a drive that is not mounted.
type Worktrees struct {
	IDs  []string
	Tops []string // top levels, in the order of the IDs
}

// mostGitdir is the most bytes of git's file that names a worktree: a path, of Linux's PATH_MAX of
// 4096 at most, and a line end.
const mostGitdir = 4096 + 16

// ReadWorktrees reads them. It starts no process.
func ReadWorktrees(repo *gitexec.Repo) Worktrees {
	var w Worktrees
	dir := filepath.Join(repo.CommonDir, "worktrees")
	entries, _ := os.ReadDir(dir) // there may be none
	for _, e := range entries {
		admin := filepath.Join(dir, e.Name())
		gitdir, err := safefile.Read(filepath.Join(admin, "gitdir"), mostGitdir)
		if err != nil {
			continue
		}
		path := strings.TrimSpace(string(gitdir))
		if !filepath.IsAbs(path) {
			path = filepath.Join(admin, path)
		}
		_, statErr := os.Lstat(path)
		_, lockErr := os.Lstat(filepath.Join(admin, "locked"))
		if statErr == nil || lockErr == nil {
			w.IDs = append(w.IDs, e.Name())
			w.Tops = append(w.Tops, filepath.Dir(path))
		}
	}
	return w
}

// MayReturn reports whether git still knows a linked worktree that counts as removed, by the hash
// in a stream's name: it was moved, or is on a drive that is not there, until git worktree prune.
func MayReturn(repo *gitexec.Repo, hash string) bool {
	// git worktree prune removes the directory of one that it has given up.
	entries, _ := os.ReadDir(filepath.Join(repo.CommonDir, "worktrees"))
	return slices.ContainsFunc(entries, func(e os.DirEntry) bool { return WorktreeHash(e.Name()) == hash })
}

// Has reports whether a worktree exists, by its ID; the main one, whose ID is empty, always does.
func (w Worktrees) Has(id string) bool {
	return w.HasHash(WorktreeHash(id))
}

// HasHash is Has by the worktree's hash in a stream's name.
func (w Worktrees) HasHash(hash string) bool {
	return hash == "" || hash == legacyHash("") || slices.ContainsFunc(w.IDs, func(id string) bool { return WorktreeHash(id) == hash })
}
