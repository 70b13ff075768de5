package hooks

import (
	"errors"
	"fmt"
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

// errElsewhere is an event whose environment names a repository that it isn't about.
var errElsewhere = errors.New("nothing is recorded")

// checkNamed checks that a repository which the environment names is the one of the directory that
// an agent's event is about. A directory that is in none may have it, as dotfiles have, where the
// user has enabled it.
func (e Env) checkNamed(repo *gitexec.Repo, dir string) error {
	named := func(name string) bool { return e.Getenv(name) != "" }
	if !named("GIT_DIR") && !named("GIT_WORK_TREE") && !named("GIT_COMMON_DIR") {
		return nil
	}
	top, common := gitexec.FoundAt(dir)
	switch {
	case common == "" && enabledByUser(repo):
		return nil
	case common == "":
		return fmt.Errorf("GIT_DIR names a repository that is not enabled: %w\nhint: run entire-plumb enable with the same GIT_DIR", errElsewhere)
	case !sameFile(common, repo.CommonDir):
		return fmt.Errorf("GIT_DIR names another repository than that of %s: %w\nhint: start the agent without GIT_DIR", dir, errElsewhere)
	case !sameFile(top, repo.Top):
		return fmt.Errorf("GIT_WORK_TREE names another worktree than that of %s: %w\nhint: start the agent without GIT_WORK_TREE", dir, errElsewhere)
	}
	return nil
}

// enabledByUser reports whether the user has enabled the repository.
func enabledByUser(repo *gitexec.Repo) bool { return exists(repo.SharedDir()) }

func sameFile(a, b string) bool {
	one, err := os.Stat(a)
	two, err2 := os.Stat(b)
	return err == nil && err2 == nil && os.SameFile(one, two)
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}
