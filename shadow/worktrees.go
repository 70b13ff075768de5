package shadow

import (
	"os"
	"path/filepath"
	"strings"

	"entire-plumb/gitexec"
	"entire-plumb/internal/safefile"
)

// Worktrees tells which worktrees a repository has: the IDs of its linked ones. One whose directory
// was deleted without git's knowing counts as removed, unless it is locked, as one on a drive that
// isn't there always may be.
type Worktrees struct{ ids []string }

// mostGitdir is how many bytes git's file holds that names a worktree: a path and a line end.
const mostGitdir = 4096 + 16

// ReadWorktrees looks them up. It starts no process.
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
		place := strings.TrimSpace(string(gitdir))
		if !filepath.IsAbs(place) {
			place = filepath.Join(admin, place)
		}
		_, gone := os.Lstat(place)
		_, unlocked := os.Lstat(filepath.Join(admin, "locked"))
		if gone == nil || unlocked == nil {
			w.ids = append(w.ids, e.Name())
		}
	}
	return w
}

// Has reports whether a worktree is there, by its ID; the main one, whose ID is empty, always is.
func (w Worktrees) Has(id string) bool {
	return w.HasHash(WorktreeHash(id))
}

// HasHash is Has by what stands for the worktree in a stream's name.
func (w Worktrees) HasHash(hash string) bool {
	if hash == "" {
		return true
	}
	for _, id := range w.ids {
		if WorktreeHash(id) == hash {
			return true
		}
	}
	return false
}
