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
	gitDir := os.Getenv("GIT_DIR")
	if gitDir != "" && !filepath.IsAbs(gitDir) {
		gitDir = filepath.Join(dir, gitDir)
	}
	for top := dir; gitDir == ""; top = filepath.Dir(top) {
		found := filepath.Join(top, ".git")
		if info, err := os.Stat(found); err == nil && info.IsDir() {
			gitDir = found
		} else if err == nil {
			if gitDir = linkedGitDir(found, info); gitDir == "" {
				return "", ""
			}
		} else if filepath.Dir(top) == top {
			return "", ""
		}
	}
	return (&Repo{GitDir: gitDir}).PrivateDir(), (&Repo{CommonDir: commonDir(gitDir)}).SharedDir()
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
