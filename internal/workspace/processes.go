package workspace

import (
	"entire-plumb/internal/ancestry"
	"entire-plumb/internal/session"
)

// Ancestors lists the processes above this one, and keeps the list.
func (w *Workspace) Ancestors() []ancestry.Process {
	if w.ancestors == nil && w.Getenv("ENTIRE_TEST_PROC") == "0" { // as where no process can be seen
		w.ancestors = []ancestry.Process{}
	}
	if w.ancestors == nil {
		w.ancestors = append([]ancestry.Process{}, ancestry.Of()...)
	}
	return w.ancestors
}

// Unseen says what the system doesn't show of other processes, and what that changes.
func Unseen(getenv func(string) string) []string {
	if getenv("ENTIRE_TEST_PROC") == "0" {
		return ancestry.Unknown(false, false)
	}
	return ancestry.Unknown(ancestry.Shown())
}

// AgentAlive reports whether the process that began a session's turn still runs, and whether that
// is known.
func (w *Workspace) AgentAlive(s *session.State) (alive, known bool) {
	if s.AgentProcess == nil || len(w.Ancestors()) == 0 || !s.AgentProcess.Visible() {
		return false, false
	}
	return s.AgentProcess.Alive(), true
}

// ConcurrentGit names a git command in progress that would fail if the branch moved, since it has
// read HEAD already. `git commit` is one while the user writes the message. Empty: none.
func (w *Workspace) ConcurrentGit() string {
	if verb := ancestry.RunningIn([]string{w.Repo.Top}, concurrentVerbs); verb != "" {
		return "git " + verb + " is under way"
	}
	return ""
}

// concurrentVerbs are the commands that read HEAD and move it, or write the index.
var concurrentVerbs = []string{"commit", "merge", "rebase", "cherry-pick", "revert", "am", "pull", "reset", "checkout", "switch", "stash"}
