package setup

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"entire-plumb/gitexec"
	"entire-plumb/internal/agent"
	"entire-plumb/internal/agentsettings"
	"entire-plumb/internal/githooks"
	"entire-plumb/internal/safefile"
)

// mostSettings limits the size of an agent's settings, in bytes; real files have kilobytes.
const mostSettings = 1 << 20

// AgentHooks are the hooks of an agent that call us, and those that are missing.
type AgentHooks struct {
	Agent          agent.Agent
	There, Missing []agent.Event
}

// Installed is the state of git's and the agents' hooks, for status: of all agents that have
// settings.
func Installed(repo *gitexec.Repo) (git []githooks.Hook, agents []AgentHooks, err error) {
	if git, err = githooks.State(repo.HooksDir, ""); err != nil {
		return nil, nil, err
	}
	for _, a := range withSettings() {
		h := AgentHooks{Agent: a}
		data, err := readAgent(repo, a)
		if err != nil {
			return git, nil, err
		}
		if h.There, h.Missing, err = agentsettings.Installed(data, a); err != nil {
			return git, nil, fmt.Errorf("%s: %w", agentFile(repo, a), err)
		}
		agents = append(agents, h)
	}
	return git, agents, nil
}

// InUse are the agents whose directory of settings is in the repository.
func InUse(repo *gitexec.Repo) []agent.Agent {
	var found []agent.Agent
	for _, a := range withSettings() {
		if isDir(filepath.Join(repo.Top, filepath.FromSlash(path.Dir(a.Settings)))) {
			found = append(found, a)
		}
	}
	return found
}

// OnMachine are the agents that the user seems to have: their directory of settings is in the home
// directory, or their program is on PATH.
func OnMachine() []agent.Agent {
	var found []agent.Agent
	for _, a := range withSettings() {
		_, onPath := findOnPath(a.Command)
		if dir := userDir(a); onPath || dir != "" && isDir(dir) {
			found = append(found, a)
		}
	}
	return found
}

// withSettings are the agents that have settings with hooks.
func withSettings() []agent.Agent {
	var all []agent.Agent
	for _, a := range agent.All {
		if a.Settings != "" {
			all = append(all, a)
		}
	}
	return all
}

// userDir is the directory of the user's own settings of an agent; empty if it isn't known.
func userDir(a agent.Agent) string {
	if a.ConfigVar != "" {
		if dir := os.Getenv(a.ConfigVar); dir != "" {
			return dir
		}
	}
	home := os.Getenv("HOME")
	if !filepath.IsAbs(home) {
		return ""
	}
	return filepath.Join(home, a.ConfigDir)
}

func isDir(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// edit is an agent's settings file that is to be written, or removed where now is nil.
type edit struct {
	agent    agent.Agent
	old, now []byte
}

// enabling are the edits that install the agents' hooks; nothing is changed yet.
func enabling(ctx context.Context, repo *gitexec.Repo, agents []agent.Agent, exe string) ([]edit, error) {
	var edits []edit
	for _, a := range agents {
		if a.Settings == "" {
			continue
		}
		if err := checkFiles(ctx, repo, a.Settings); err != nil {
			return nil, err
		}
		old, err := readAgent(repo, a)
		if err != nil {
			return nil, err
		}
		now, err := agentsettings.Enable(old, a, func(verb string) string { return agentCommand(exe, a, verb) })
		if err != nil {
			return nil, fmt.Errorf("%s: %w", agentFile(repo, a), err)
		}
		edits = append(edits, edit{a, old, now})
	}
	return edits, nil
}

// disabling is the edit that removes our hooks from an agent's settings.
func disabling(ctx context.Context, repo *gitexec.Repo, a agent.Agent) (edit, error) {
	if err := checkFiles(ctx, repo, a.Settings); err != nil {
		return edit{}, err
	}
	old, err := readAgent(repo, a)
	if err != nil {
		return edit{}, err
	}
	now, err := agentsettings.Disable(old, a)
	if err != nil {
		return edit{}, fmt.Errorf("%s: %w", agentFile(repo, a), err)
	}
	return edit{a, old, now}, nil
}

// apply writes the file, if it changes.
func (e edit) apply(repo *gitexec.Repo) (changed bool, err error) {
	name := e.agent.Settings
	switch {
	case bytes.Equal(e.old, e.now) && (e.old == nil) == (e.now == nil):
		return false, nil
	case e.now == nil: // nothing but ours was in it
		if err := safefile.RemoveInside(repo.Top, name); err != nil {
			return false, err
		}
		safefile.RemoveEmpty(repo.Top, path.Dir(name))
	default:
		if err := safefile.RewriteInside(repo.Top, name, e.now); err != nil {
			return false, err
		}
	}
	return true, nil
}

// agentFile is an agent's settings file in the worktree.
func agentFile(repo *gitexec.Repo, a agent.Agent) string {
	return filepath.Join(repo.Top, filepath.FromSlash(a.Settings))
}

// readAgent reads an agent's settings; nil if the file is missing.
func readAgent(repo *gitexec.Repo, a agent.Agent) ([]byte, error) {
	data, err := safefile.ReadInside(repo.Top, a.Settings, mostSettings)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return data, err
}

// agentCommand is the shell command that an agent runs for an event. Because the agent's settings
// are often shared, it uses PATH if the program is on it, and does nothing if the program isn't
// installed.
func agentCommand(exe string, a agent.Agent, verb string) string {
	call := " hooks " + a.Name + " " + verb
	if foundAs(exe) {
		return "command -v " + program + " >/dev/null 2>&1 || exit 0; exec " + program + call
	}
	return "test -x " + quoted(exe) + " || exit 0; exec " + quoted(exe) + call
}

// findOnPath is the program that the shell finds by a name.
func findOnPath(name string) (fs.FileInfo, bool) {
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if found, err := os.Stat(filepath.Join(dir, name)); err == nil && !found.IsDir() {
			return found, true
		}
	}
	return nil, false
}

// foundAs reports whether the shell finds the program exe by our name.
func foundAs(exe string) bool {
	want, err := os.Stat(exe)
	found, ok := findOnPath(program)
	return err == nil && ok && os.SameFile(want, found)
}
