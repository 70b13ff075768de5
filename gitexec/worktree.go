package gitexec

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"entire-plumb/internal/safefile"
)

// WorktreeOf gives the top level of the worktree that dir is in, if it is one of the same
// repository as the worktree at top, which may be top itself; else top: dir may be in a submodule,
// or in another repository. It reads files and starts no process, so that it knows of no GIT_DIR.
func WorktreeOf(dir, top string) string {
	here, there := worktreeAt(dir), worktreeAt(top)
	if here.common == "" || here.common != there.common || here.top == there.top || !here.known {
		return top
	}
	return here.top
}

// foundWorktree is a worktree as its .git file or directory tells.
type foundWorktree struct {
	top    string
	common string // the git directory that its repository's worktrees share
	// known says that the git directory knows the worktree, too: any directory may have a .git file
	// that names it.
	known bool
}

// mostLink is the most bytes that git's files that name a directory may have: no path is longer
// than 4,096.
const mostLink = 4096 + 16

// worktreeAt finds the worktree around a directory; the zero value where there is none.
func worktreeAt(dir string) foundWorktree {
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil || !filepath.IsAbs(dir) {
		return foundWorktree{}
	}
	for ; ; dir = filepath.Dir(dir) {
		link := filepath.Join(dir, ".git")
		if info, err := os.Stat(link); err == nil {
			if !info.IsDir() {
				return linkedWorktree(dir, link)
			}
			// A .git that is a symbolic link to another repository's makes no worktree of that.
			common, err := filepath.EvalSymlinks(link)
			return foundWorktree{dir, common, err == nil && common == link}
		}
		if dir == filepath.Dir(dir) {
			return foundWorktree{}
		}
	}
}

// linkedWorktree reads a .git file: that of a linked worktree names a directory below the shared
// one, which names the file, and that of a submodule its own git directory.
func linkedWorktree(top, link string) foundWorktree {
	found := foundWorktree{top: top}
	gitDir := linkedGitDir(link)
	if gitDir == "" {
		return found
	}
	gitDir, err := filepath.EvalSymlinks(gitDir)
	if err != nil {
		return found
	}
	common := readLink(filepath.Join(gitDir, "commondir"))
	if common == "" {
		found.common = gitDir
		return found
	}
	found.common = absolute(common, gitDir)
	back := absolute(readLink(filepath.Join(gitDir, "gitdir")), gitDir)
	back, err = filepath.EvalSymlinks(back)
	found.known = err == nil && back == link && filepath.Dir(gitDir) == filepath.Join(found.common, "worktrees")
	return found
}

// readLink reads a file that holds one line; empty where it can't be read.
func readLink(file string) string {
	data, err := safefile.Read(file, mostLink)
	if err != nil {
		return ""
	}
	return strings.TrimRight(string(data), "\r\n")
}

func absolute(path, dir string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

// CommonDirAt is the shared git directory of the repository that a directory is in, be it in a
// worktree or in the git directory itself; empty if it is in none. It reads files and starts no
// process, so that it knows of no GIT_DIR.
func CommonDirAt(dir string) string {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return ""
	}
	for at := real; at != filepath.Dir(at); at = filepath.Dir(at) {
		// From within a git directory this comes before the worktree around it.
		if isGitDir(at) {
			common, err := filepath.EvalSymlinks(commonDir(at))
			if err != nil {
				return ""
			}
			return common
		}
		if _, err := os.Stat(filepath.Join(at, ".git")); err == nil {
			return worktreeAt(at).common
		}
	}
	return ""
}

// isGitDir reports whether a directory looks like a git directory, as git looks for a bare one.
func isGitDir(dir string) bool {
	for _, name := range []string{"HEAD", "refs"} {
		if _, err := os.Lstat(filepath.Join(dir, name)); err != nil {
			return false
		}
	}
	_, objects := os.Stat(filepath.Join(dir, "objects"))
	// That of a linked worktree has no objects, and names the one that has.
	_, common := os.Stat(filepath.Join(dir, "commondir"))
	return objects == nil || common == nil
}

// ErrOtherRepository says that the environment names another repository than the worktree's own:
// its files would go there.
var ErrOtherRepository = errors.New("the environment names another repository than this worktree's")

// namingVars of the environment name a repository or a worktree. Git sets some of them for its
// hooks.
var namingVars = []string{"GIT_DIR", "GIT_COMMON_DIR", "GIT_WORK_TREE"}

// CheckOwn is an ErrOtherRepository where a variable of the environment has git take the worktree
// of one repository for that of another. A worktree without a .git of its own belongs to the one
// that is named, if the user has enabled recording there. It starts no process.
func (r *Repo) CheckOwn() error {
	named := ""
	for _, name := range namingVars {
		if named == "" && os.Getenv(name) != "" {
			named = name
		}
	}
	if named == "" {
		return nil
	}
	common, err := filepath.EvalSymlinks(r.CommonDir)
	if err != nil {
		return err
	}
	own := CommonDirAt(r.Top)
	if own == common {
		return nil
	}
	_, noGit := os.Lstat(filepath.Join(r.Top, ".git"))
	if _, err := os.Stat(r.SharedDir()); err == nil && noGit != nil {
		return nil
	}
	return fmt.Errorf("%w: %s names %s, and %s is %s\nhint: unset %s", ErrOtherRepository, named, Harmless(common), Harmless(r.Top),
		owner(own), named)
}

func owner(common string) string {
	if common == "" {
		return "no repository's"
	}
	return "a worktree of " + Harmless(common)
}
