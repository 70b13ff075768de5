package gitexec

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"entire-plumb/internal/safefile"
)

// Guess tells, without git, where the repository of a hook keeps our files, in its worktree's git
// directory and in the common one. Whoever finds something there asks git. Both are empty where no
// repository seems to be.
func Guess(dir string) (privateDir, sharedDir string) {
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

// mostName is how many bytes a file holds that names another one: no path is longer than 4,096.
const mostName = 4096 + 16

// linkedGitDir is where a file called .git leads, as gitrepository-layout(5) describes it; empty if
// it isn't one.
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

// commonDir is the git directory that a worktree's own says it shares, likewise.
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
