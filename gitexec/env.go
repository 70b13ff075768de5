package gitexec

import (
	"os"
	"strings"
)

// located are the variables by which git tells its hooks where the repository is. They are read
// once, by discovery; every later command gets what discovery resolved. A main worktree's hook sees
// few of them, a linked worktree's or a submodule's sees most.
var located = []string{
	"GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY",
	"GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_PREFIX", "GIT_NAMESPACE", "GIT_QUARANTINE_PATH",
	"GIT_INTERNAL_SUPER_PREFIX",
}

// colouring are variables that change what git's commands answer or do, and who a commit is said to
// be by.
var colouring = []string{
	"GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_AUTHOR_DATE",
	"GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL", "GIT_COMMITTER_DATE",
	"GIT_DIFF_OPTS", "GIT_EXTERNAL_DIFF", "GIT_REFLOG_ACTION",
	"GIT_LITERAL_PATHSPECS", "GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS", "GIT_ICASE_PATHSPECS",
}

// fixed is what every command of ours runs with: messages that can be read by a program, no
// question on a terminal, no rewriting of the user's index for the sake of its time stamps, and
// objects as they are, not as replaced.
var fixed = []string{
	"LC_ALL=C",
	"GIT_TERMINAL_PROMPT=0",
	"GIT_OPTIONAL_LOCKS=0",
	"GIT_NO_REPLACE_OBJECTS=1",
}

// discoveryEnv is the environment in which a repository is looked for: the caller's, location
// included.
func discoveryEnv() []string { return append(without(os.Environ(), nil), fixed...) }

// identEnv is the environment in which git is asked who the user is: the caller's, identity
// included, but for the location.
func (r *Repo) identEnv() []string {
	return append(append(without(os.Environ(), located), fixed...), r.location()...)
}

// repoEnv is the environment of every command in a repository that was found. GIT_CONFIG_* stay:
// they carry `git -c`.
func (r *Repo) repoEnv() []string {
	drop := append(append([]string{}, located...), colouring...)
	return append(append(without(os.Environ(), drop), fixed...), r.location()...)
}

func (r *Repo) location() []string {
	return []string{"GIT_DIR=" + r.GitDir, "GIT_WORK_TREE=" + r.Top}
}

// without gives env less the variables named, and less those that fixed sets.
func without(env, names []string) []string {
	drop := make(map[string]bool, len(names)+len(fixed))
	for _, n := range names {
		drop[n] = true
	}
	for _, f := range fixed {
		name, _, _ := strings.Cut(f, "=")
		drop[name] = true
	}
	kept := make([]string, 0, len(env))
	for _, e := range env {
		name, _, _ := strings.Cut(e, "=")
		if !drop[name] {
			kept = append(kept, e)
		}
	}
	return kept
}
