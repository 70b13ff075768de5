package hooks

import (
	"os"
	"path/filepath"

	"entire-plumb/gitexec"
	"entire-plumb/internal/settings"
)

// The user's own hooks are called everywhere, also in a clone whose author has committed settings
// that turn recording on. They need what no clone brings along: the directory that enable makes in
// the git directory.

// mayBeEnabled reports whether a directory may be in a worktree that the user has enabled: it has
// our settings, or is a linked one whose main worktree has. It starts no git.
func (e Env) mayBeEnabled(dir string) bool {
	if e.Getenv("GIT_DIR") != "" || e.Getenv("GIT_WORK_TREE") != "" {
		return true // git decides
	}
	if !filepath.IsAbs(dir) {
		return false
	}
	top, mainTop := gitexec.FindTops(dir)
	_, shared := gitexec.FindPrivateDirs(dir)
	return exists(shared) && (exists(filepath.Join(top, settings.Dir)) || mainTop != "" && exists(filepath.Join(mainTop, settings.Dir)))
}

// enabledByUser reports whether the user has enabled the repository.
func enabledByUser(repo *gitexec.Repo) bool { return exists(repo.SharedDir()) }

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}
