package gitexec

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"entire-plumb/internal/safefile"
)

// Sight is a repository as it was seen without git, before git was asked: where one seems to be, and the files that discovery there would follow from.
type Sight struct {
	top, gitDir, commonDir string
	when                   time.Time
	stats                  []Stat
}

// Look looks for the repository in which a directory seems to be. nil: there seems to be none, or there is a doubt.
func Look(dir string) *Sight {
	top, gitDir := nearest(dir)
	if gitDir == "" {
		return nil
	}
	s := &Sight{top: top, gitDir: gitDir, commonDir: commonDir(gitDir), when: time.Now()}
	files := []string{
		filepath.Join(s.gitDir, "HEAD"), filepath.Join(s.gitDir, "commondir"), filepath.Join(s.gitDir, "config.worktree"),
		filepath.Join(s.commonDir, "config"), filepath.Join(s.commonDir, "packed-refs"),
		filepath.Join(s.commonDir, "shallow"), filepath.Join(s.commonDir, "info", "grafts"),
	}
	if dotGit := filepath.Join(s.top, ".git"); dotGit != s.gitDir {
		files = append(files, dotGit) // a file that leads there
	}
	for _, file := range files {
		data, _ := statData(file)
		s.stats = append(s.stats, Stat{file, data})
	}
	return s
}

// PrivateDir is the PrivateDir of the repository that was seen.
func (s *Sight) PrivateDir() string { return (&Repo{GitDir: s.gitDir}).PrivateDir() }

// Guess tells, without git, where the repository of a hook keeps our files, in its worktree's git directory and in the common one. It
// is less careful than Look: whoever finds something there asks git. Both are empty where no repository seems to be.
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

// unsettling are variables that can make git find another repository in the same directory, or another one's parts.
var unsettling = append([]string{
	"GIT_DISCOVERY_ACROSS_FILESYSTEM", "GIT_CONFIG_COUNT", "GIT_CONFIG_PARAMETERS", "GIT_SHALLOW_FILE", "GIT_GRAFT_FILE",
}, located...)

// nearest finds the worktree around a directory and its git directory where that is beyond doubt: no variable tells git to look elsewhere, nothing on the
// way up could be another repository or is on another file system, and both belong to the user, as git wants it.
func nearest(dir string) (top, gitDir string) {
	for _, name := range unsettling {
		if _, set := os.LookupEnv(name); set {
			return "", ""
		}
	}
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", ""
	}
	here, ok := fileSystem(dir)
	for top = dir; ; top = filepath.Dir(top) {
		if there, found := fileSystem(top); !ok || !found || there != here {
			return "", ""
		}
		gitDir = filepath.Join(top, ".git")
		info, err := os.Stat(gitDir)
		if err == nil {
			if !info.IsDir() {
				gitDir = linkedGitDir(gitDir, info)
			}
			break
		}
		_, bare := os.Lstat(filepath.Join(top, "HEAD"))
		if !errors.Is(err, fs.ErrNotExist) || !errors.Is(bare, fs.ErrNotExist) || filepath.Dir(top) == top {
			return "", ""
		}
	}
	if gitDir == "" || ceiled(top) || !ours(top) || !ours(gitDir) {
		return "", ""
	}
	return top, gitDir
}

// ceiled reports whether GIT_CEILING_DIRECTORIES can keep git from looking into a directory from one below.
func ceiled(top string) bool {
	for _, ceiling := range filepath.SplitList(os.Getenv("GIT_CEILING_DIRECTORIES")) {
		real, _ := filepath.EvalSymlinks(ceiling)
		for _, dir := range []string{ceiling, real} {
			if dir == top || strings.HasPrefix(dir, top+"/") {
				return true
			}
		}
	}
	return false
}

// mostName is how many bytes a file holds that names another one, or a ref: no path is longer than
// 4096, and few words are before it.
const mostName = 4096 + 16

// linkedGitDir is where a file called .git leads, as gitrepository-layout(5) describes it; empty if it isn't one.
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
