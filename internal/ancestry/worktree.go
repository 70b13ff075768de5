package ancestry

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Shown reports whether the system shows the processes above this one, and in which directory
// others run.
func Shown() (above, inWorktrees bool) {
	_, err := os.Readlink("/proc/self/cwd")
	return len(Of()) > 0, err == nil
}

// Unknown says what a system doesn't show of other processes, and what that changes.
func Unknown(above, inWorktrees bool) []string {
	var all []string
	if !above {
		all = append(all, "this system doesn't show the processes above a hook: a commit counts as an agent's only if the agent marks its environment")
	}
	if !inWorktrees {
		all = append(all, "this system doesn't show where other processes run: auto-commit doesn't wait for a git command that is under way")
	}
	return all
}

// RunningIn is the verb of a git command that runs in one of the worktrees, given by their tops,
// whichever process started it: the first of the verbs that is found; empty if there is none, or no
// /proc. The processes in except don't count.
func RunningIn(tops, verbs []string, except ...Process) string {
	return runningIn("/proc", tops, verbs, except)
}

func runningIn(proc string, tops, verbs []string, except []Process) string {
	entries, err := os.ReadDir(proc)
	if err != nil {
		return ""
	}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		name, err := os.ReadFile(filepath.Join(proc, e.Name(), "comm")) // the shortest to read: most are no git
		if err != nil || !strings.HasPrefix(string(name), "git") {
			continue
		}
		p, _, err := read(proc, pid)
		if err != nil {
			continue
		}
		g, ok := parse(p)
		if !ok || !slices.Contains(verbs, g.Verb) || slices.ContainsFunc(except, p.Same) {
			continue
		}
		at, err := os.Readlink(filepath.Join(proc, e.Name(), "cwd"))
		if err == nil && slices.Contains(tops, worktreeOf(at)) {
			return g.Verb
		}
	}
	return ""
}

// worktreeOf gives the next directory upwards that has a .git in it, empty if there is none: a
// worktree, or a repository, may be below another's top.
func worktreeOf(dir string) string {
	for {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			return ""
		}
		dir = up
	}
}
