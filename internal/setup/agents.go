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
	"slices"

	"entire-plumb/gitexec"
	"entire-plumb/internal/agent"
	"entire-plumb/internal/agentsettings"
	"entire-plumb/internal/githooks"
	"entire-plumb/internal/safefile"
	"entire-plumb/internal/skill"
)

// mostSettings limits the size of an agent's settings, in bytes; real files have kilobytes.
const mostSettings = 1 << 20

// AgentHooks are the hooks of an agent that call us, and those that are missing, in the
// repository's settings; and those in the user's own.
type AgentHooks struct {
	Agent                  agent.Agent
	There, Missing         []agent.Event
	UserFile               string // empty if the environment doesn't tell
	UserThere, UserMissing []agent.Event
}

// Installed is the state of git's and the agents' hooks, for status: of all agents that have
// settings.
func Installed(repo *gitexec.Repo, getenv func(string) string) (git []githooks.Hook, agents []AgentHooks, err error) {
	if git, err = githooks.State(repo.HooksDir, ""); err != nil {
		return nil, nil, err
	}
	for _, a := range withHooks() {
		h := AgentHooks{Agent: a}
		data, err := readAgent(repo, a)
		if err != nil {
			return git, nil, err
		}
		if h.There, h.Missing, err = agentsettings.Installed(data, a); err != nil {
			return git, nil, fmt.Errorf("%s: %w", agentFile(repo, a), err)
		}
		h.UserFile = a.UserFile(getenv)
		h.UserThere, h.UserMissing = userHooks(a, h.UserFile)
		agents = append(agents, h)
	}
	return git, agents, nil
}

// InUse are the agents whose directory of settings is in the worktree or the main one, or whose
// hooks the user's own settings have.
func InUse(repo *gitexec.Repo, getenv func(string) string) []agent.Agent {
	tops := []string{repo.Top}
	// What isn't committed is not in a linked worktree.
	if main, name := filepath.Split(repo.CommonDir); repo.GitDir != repo.CommonDir && name == ".git" {
		tops = append(tops, main)
	}
	return slices.DeleteFunc(withHooks(), func(a agent.Agent) bool {
		there, _ := userHooks(a, a.UserFile(getenv))
		return len(there) == 0 && (a.Settings == "" || !slices.ContainsFunc(tops, func(top string) bool {
			file := filepath.Join(top, filepath.FromSlash(a.Settings))
			if a.Key != "" { // the directory is of others, too
				_, err := os.Stat(file)
				return err == nil
			}
			return hasSettings(filepath.Dir(file))
		}))
	})
}

// OnMachine are the agents that the user seems to have: their directory of settings is there, or
// their program is on PATH.
func OnMachine(getenv func(string) string) []agent.Agent {
	var found []agent.Agent
	for _, a := range withHooks() {
		dir := a.UserDir(getenv)
		if onPath(getenv, a.Command) || dir != "" && isDir(dir) {
			found = append(found, a)
		}
	}
	return found
}

// withSettings are the agents that have settings with hooks in the repository.
func withSettings() []agent.Agent {
	return slices.DeleteFunc(withHooks(), func(a agent.Agent) bool { return a.Settings == "" })
}

// withHooks are the agents that have settings with hooks, in the repository or the user's own.
func withHooks() []agent.Agent {
	return slices.DeleteFunc(slices.Clone(agent.All), func(a agent.Agent) bool { return a.UserSettings == "" })
}

// hasSettings reports whether a directory of settings is there that has more than our skill.
func hasSettings(dir string) bool {
	if !isDir(dir) {
		return false
	}
	for _, name := range []string{"skills", skill.Name} {
		entries, err := os.ReadDir(dir)
		if err != nil || len(entries) != 1 || entries[0].Name() != name {
			return true
		}
		dir = filepath.Join(dir, name)
	}
	return false
}

func isDir(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// edit is an agent's settings file that is to be written, or removed where now is nil.
type edit struct {
	agent    agent.Agent
	user     string // the file of the user's own; empty: it is in the worktree
	old, now []byte
}

// apply writes the file, if it changes, in the worktree at top or where the user has it.
func (e edit) apply(top string) (changed bool, err error) {
	name := e.agent.Settings
	switch {
	case bytes.Equal(e.old, e.now) && (e.old == nil) == (e.now == nil):
		return false, nil
	case e.now == nil && e.user != "": // nothing but ours was in it
		err = os.Remove(e.user)
	case e.now == nil:
		if err = safefile.RemoveInside(top, name); err == nil {
			for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
				safefile.RemoveEmpty(top, dir)
			}
		}
	case e.user != "":
		if err = safefile.MkdirAll(filepath.Dir(e.user), 0o700); err == nil {
			err = safefile.Rewrite(e.user, e.now)
		}
	default:
		err = safefile.RewriteInside(top, name, e.now)
	}
	return err == nil, err
}

// applyAgents writes agents' settings.
func applyAgents(top string, edits []edit) (done []string, err error) {
	for _, e := range edits {
		changed, err := e.apply(top)
		if err != nil {
			return done, err
		}
		name, trust := e.agent.Settings, e.agent.Trust
		if e.user != "" {
			name, trust = e.user, e.agent.UserTrust
		}
		if changed {
			done = append(done, "wrote "+name)
			if trust != "" {
				done = append(done, "hint: "+trust)
			}
		}
	}
	return done, nil
}

// enabling are the edits that install the agents' hooks; nothing is changed yet.
func enabling(ctx context.Context, repo *gitexec.Repo, r Request) ([]edit, error) {
	var edits []edit
	for _, a := range r.Agents {
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
		if !r.Named && r.InUserSettings(a) && !inSettings(old, a) {
			continue
		}
		now, err := agentsettings.Enable(old, a, func(verb string) string { return r.command(a, verb, false) })
		if err != nil {
			return nil, fmt.Errorf("%s: %w", agentFile(repo, a), err)
		}
		edits = append(edits, edit{agent: a, old: old, now: now})
	}
	return edits, nil
}

// disabling is the edit that removes our hooks from an agent's settings.
func disabling(ctx context.Context, repo *gitexec.Repo, a agent.Agent) (edit, error) {
	// Where there is nothing to remove, it doesn't matter that the directory leads elsewhere.
	if _, err := os.Stat(agentFile(repo, a)); errors.Is(err, fs.ErrNotExist) {
		return edit{agent: a}, nil
	}
	if err := checkFiles(ctx, repo, a.Settings); err != nil {
		return edit{}, err
	}
	old, err := readAgent(repo, a)
	if err != nil {
		return edit{}, err
	}
	now, err := agentsettings.Disable(old, a)
	if err == nil && now != nil {
		now, err = agentsettings.GiveBack(now, a)
	}
	if err != nil {
		return edit{}, fmt.Errorf("%s: %w", agentFile(repo, a), err)
	}
	return edit{agent: a, old: old, now: now}, nil
}

// agentFile is an agent's settings file in the worktree.
func agentFile(repo *gitexec.Repo, a agent.Agent) string {
	return filepath.Join(repo.Top, filepath.FromSlash(a.Settings))
}

// readAgent reads an agent's settings; nil if the file is missing.
func readAgent(repo *gitexec.Repo, a agent.Agent) ([]byte, error) {
	if a.Settings == "" {
		return nil, nil
	}
	data, err := safefile.ReadInside(repo.Top, a.Settings, mostSettings)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return data, err
}
