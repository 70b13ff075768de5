package gitexec

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"entire-plumb/internal/safefile"
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
			return top, linkedGitDir(found, info)
		} else if filepath.Dir(top) == top {
			return "", ""
		}
	}
}

// mostName limits a file that holds a path, in bytes: no path is longer than 4,096.
const mostName = 4096 + 16

// linkedGitDir is the directory that a .git file names, as in gitrepository-layout(5); empty if it
// names none.
func linkedGitDir(file string, info fs.FileInfo) string {
	if !info.Mode().IsRegular() {
		return ""
	}
	text, err := safefile.Read(file, mostName)
	dir, ok := strings.CutPrefix(strings.TrimRight(string(text), "\r\n"), "gitdir: ")
	if err != nil || !ok {
		return ""
	}
	return from(filepath.Dir(file), dir)
}

// commonDir is the directory that the commondir file of a git directory names.
func commonDir(gitDir string) string {
	text, err := safefile.Read(filepath.Join(gitDir, "commondir"), mostName)
	if err != nil {
		return gitDir
	}
	return from(gitDir, strings.TrimRight(string(text), "\r\n"))
}

func from(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}
