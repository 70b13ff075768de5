package cli

import (
	"os"
	"path/filepath"
)

// enterPrefix changes to the directory where the user called git: it runs an alias that begins with
// "!" at the top of the worktree, and names that directory in GIT_PREFIX. Hooks of git and commands
// of a rebase get the variable, too, but their authors mean the directory that they run in; those
// of a commit have an index.
func enterPrefix() {
	prefix := os.Getenv("GIT_PREFIX")
	if !filepath.IsLocal(prefix) || os.Getenv("GIT_INDEX_FILE") != "" || os.Getenv("GIT_CHERRY_PICK_HELP") != "" {
		return
	}
	top, err := os.Getwd()
	if err != nil {
		return
	}
	gitDir, given := os.LookupEnv("GIT_DIR")
	if _, err := os.Lstat(".git"); err != nil && !given || os.Chdir(prefix) != nil {
		return
	}
	// Names of both are relative to the directory that was left, and git takes the current
	// directory for the worktree's top if only the git directory is given.
	if given && !filepath.IsAbs(gitDir) {
		os.Setenv("GIT_DIR", filepath.Join(top, gitDir))
	}
	if given {
		os.Setenv("GIT_WORK_TREE", top)
	}
}
