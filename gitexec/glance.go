package gitexec

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// elsewhere are variables that make git look for a repository in another way than from the directory upwards.
var elsewhere = append([]string{"GIT_DISCOVERY_ACROSS_FILESYSTEM"}, located...)

// Glance finds the repository of a directory without a process, in the plainest case alone: a main worktree with its git directory
// in it, both the user's own, SHA-1, and nothing in the environment or the configuration that says otherwise. In any other ok is false, and
// Discover knows. Of the repository nothing is known but where it is: no HEAD, no hooks, no index.
func Glance(dir string, tracer *Tracer) (r *Repo, ok bool) {
	for _, name := range elsewhere {
		if _, set := os.LookupEnv(name); set {
			return nil, false
		}
	}
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil || !filepath.IsAbs(dir) {
		return nil, false
	}
	at, ok := device(dir)
	from := dir
	for ok && !exists(filepath.Join(dir, ".git")) {
		if exists(filepath.Join(dir, "HEAD")) && exists(filepath.Join(dir, "objects")) {
			return nil, false // in a git directory
		}
		up := filepath.Dir(dir)
		there, known := device(up)
		ok = up != dir && known && there == at
		dir = up
	}
	git := filepath.Join(dir, ".git")
	if !ok || !plain(git) || !own(dir) || !own(git) || from != dir && !belowCeilings(dir) {
		return nil, false
	}
	r = &Repo{Top: dir, GitDir: git, CommonDir: git, Format: SHA1}
	r.runner = runner{dir: r.Top, tracer: tracer, env: r.repoEnv(), shown: r.location()}
	return r, true
}

// belowCeilings reports whether a directory is below all those that git doesn't go up to.
func belowCeilings(dir string) bool {
	for _, ceiling := range filepath.SplitList(os.Getenv("GIT_CEILING_DIRECTORIES")) {
		real, err := filepath.EvalSymlinks(ceiling)
		if err != nil || !strings.HasPrefix(dir, strings.TrimSuffix(real, "/")+"/") {
			return false
		}
	}
	return true
}

// plain reports whether a git directory is one of a main worktree around it, by the file that git itself goes by.
func plain(git string) bool {
	info, err := os.Lstat(git)
	if err != nil || !info.IsDir() || !exists(filepath.Join(git, "HEAD")) || !exists(filepath.Join(git, "objects")) || !exists(filepath.Join(git, "refs")) {
		return false
	}
	for _, sign := range []string{"commondir", "shallow", "info/grafts"} { // the latter two: history isn't what commits say
		if exists(filepath.Join(git, sign)) {
			return false
		}
	}
	config, err := os.ReadFile(filepath.Join(git, "config"))
	if err != nil {
		return false
	}
	text := strings.ToLower(string(config))
	if strings.Contains(text, "extensions") || strings.Contains(text, "worktree") {
		return false
	}
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); strings.Contains(line, "bare") && line != "bare = false" {
			return false
		}
	}
	return true
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// device is the file system that a directory is on.
func device(dir string) (uint64, bool) {
	stat, ok := status(dir)
	if !ok {
		return 0, false
	}
	return uint64(stat.Dev), true
}

// own reports whether something is the user's: git asks its settings before it trusts anything else.
func own(path string) bool {
	stat, ok := status(path)
	return ok && int(stat.Uid) == os.Geteuid()
}

func status(path string) (*syscall.Stat_t, bool) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	return stat, ok
}
