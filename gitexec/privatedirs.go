package gitexec

import (
	"os"
	"path/filepath"
	"strings"
)

// FindPrivateDirs finds [Repo.PrivateDir] and [Repo.SharedDir] without starting git. It is a guess,
// to be confirmed by Discover. Both are empty if there is no repository.
func FindPrivateDirs(dir string) (privateDir, sharedDir string) {
	_, gitDir := findGitDir(dir)
	if gitDir == "" {
		return "", ""
	}
	return (&Repo{GitDir: gitDir}).PrivateDir(), (&Repo{CommonDir: commonDir(gitDir)}).SharedDir()
}

// FindMain finds the top level of the main worktree, if the git directory of that one is a
// directory's; else empty. It is a guess as well, and needs no worktree: GIT_DIR alone may be set,
// or the directory be the git directory.
func FindMain(dir string) string {
	_, gitDir := findGitDir(dir)
	if gitDir == "" || commonDir(gitDir) != filepath.Clean(gitDir) {
		return ""
	}
	return topOf(filepath.Clean(gitDir))
}

// FindTops finds the top level of the worktree of a directory, and that of the main worktree if the
// worktree is a linked one, without starting git. It is a guess as well; top is empty if there is
// no repository, or the environment names one.
func FindTops(dir string) (top, mainTop string) {
	top, gitDir := findGitDir(dir)
	if gitDir == "" {
		return "", ""
	}
	return top, (&Repo{GitDir: gitDir, CommonDir: commonDir(gitDir)}).MainTop()
}

// findGitDir finds a directory's git directory, and the worktree's top level; empty if GIT_DIR
// names the former.
func findGitDir(dir string) (top, gitDir string) {
	if gitDir = os.Getenv("GIT_DIR"); gitDir != "" {
		if !filepath.IsAbs(gitDir) {
			gitDir = filepath.Join(dir, gitDir)
		}
		return "", gitDir
	}
	for top = dir; ; top = filepath.Dir(top) {
		found := filepath.Join(top, ".git")
		if info, err := os.Stat(found); err == nil && info.IsDir() {
			return top, found
		} else if err == nil {
			return top, linkedGitDir(found)
		} else if filepath.Dir(top) == top {
			return "", ""
		}
	}
}

// linkedGitDir is the directory that a .git file names, as in gitrepository-layout(5); empty if it
// names none.
func linkedGitDir(file string) string {
	dir, ok := strings.CutPrefix(readLink(file), "gitdir: ")
	if !ok {
		return ""
	}
	return absolute(dir, filepath.Dir(file))
}

// commonDir is the directory that the commondir file of a git directory names.
func commonDir(gitDir string) string {
	return absolute(readLink(filepath.Join(gitDir, "commondir")), gitDir)
}
