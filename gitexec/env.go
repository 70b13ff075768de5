package gitexec

import (
	"os"
	"strings"
)

// locationVars name the repository in a hook's environment. Only discovery reads them; all other
// commands get the discovered location. A main worktree's hook has few of them, a linked worktree's
// or a submodule's has most.
var locationVars = []string{
	"GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY",
	"GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_PREFIX", "GIT_NAMESPACE", "GIT_QUARANTINE_PATH",
	"GIT_INTERNAL_SUPER_PREFIX",
}

// behaviourVars change what git's commands print or do, and the author of a commit.
var behaviourVars = []string{
	"GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_AUTHOR_DATE",
	"GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL", "GIT_COMMITTER_DATE",
	"GIT_DIFF_OPTS", "GIT_EXTERNAL_DIFF", "GIT_REFLOG_ACTION",
	"GIT_LITERAL_PATHSPECS", "GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS", "GIT_ICASE_PATHSPECS",
}

// fixedVars are set for every command: untranslated messages, no prompts on the terminal, no
// refresh of the user's index, and no replace refs.
var fixedVars = []string{
	"LC_ALL=C",
	"GIT_TERMINAL_PROMPT=0",
	"GIT_OPTIONAL_LOCKS=0",
	"GIT_NO_REPLACE_OBJECTS=1",
}

// discoveryEnv is the environment of discovery: the caller's, including locationVars.
func discoveryEnv() []string { return append(without(os.Environ(), nil), fixedVars...) }

// identEnv is the environment for reading the user's identity: the caller's, with behaviourVars but
// without locationVars.
func (r *Repo) identEnv() []string {
	return append(append(without(os.Environ(), locationVars), fixedVars...), r.location()...)
}

// repoEnv is the environment of commands in a discovered repository. GIT_CONFIG_* are kept, because
// they pass on `git -c`.
func (r *Repo) repoEnv() []string {
	drop := append(append([]string{}, locationVars...), behaviourVars...)
	return append(append(without(os.Environ(), drop), fixedVars...), r.location()...)
}

func (r *Repo) location() []string {
	return []string{"GIT_DIR=" + r.GitDir, "GIT_WORK_TREE=" + r.Top}
}

// without is env without the variables named and those that fixedVars sets.
func without(env, names []string) []string {
	drop := make(map[string]bool, len(names)+len(fixedVars))
	for _, n := range names {
		drop[n] = true
	}
	for _, f := range fixedVars {
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
