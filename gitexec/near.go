package gitexec

import (
	"cmp"
	"os"
	"path/filepath"
)

// Near finds the repository of a directory by files alone, without a process: enough to find what
// is kept in its git directory.
func Near(dir string) (*Repo, bool) {
	top, gitDir := findGitDir(dir)
	if gitDir == "" {
		return nil, false
	}
	if _, err := os.Stat(filepath.Join(gitDir, "HEAD")); err != nil {
		return nil, false
	}
	return &Repo{Top: top, GitDir: gitDir, CommonDir: cmp.Or(commonDir(gitDir), gitDir)}, true
}
