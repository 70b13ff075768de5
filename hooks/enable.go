package hooks

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/claudesettings"
	"entire-plumb/internal/githooks"
	"entire-plumb/internal/settings"
	"entire-plumb/shadow"
)

// Agents are the agents that can be enabled, by the names that --agent takes.
var Agents = []string{"claude-code"}

// program is the name under which this program is found on PATH.
const program = "entire-plumb"

// Enable makes this program record what happens in the repository: settings, git's hooks, and the agent's. It says what
// it changed, a line each; done twice, the second time changes nothing. exe is the program's absolute path.
func Enable(ctx context.Context, repo *gitexec.Repo, agent, exe string) ([]string, error) {
	if agent != "claude-code" {
		return nil, fmt.Errorf("unknown agent %q\nhint: --agent takes %s", agent, strings.Join(Agents, ", "))
	}
	refs, err := repo.Refs(ctx, "refs/heads/entire", shadow.Checkpoints, ofRemotes)
	if err != nil {
		return nil, err
	}
	if err := branchInTheWay(refs); err != nil {
		return nil, err
	}
	// First the settings, the agent's and ours: if they cannot be read, nothing is changed at all.
	agentFile := claudeFile(repo)
	old, err := readOrNone(agentFile)
	if err != nil {
		return nil, err
	}
	now, err := claudesettings.Enable(old, func(verb string) string { return agentCommand(exe, verb) })
	if err != nil {
		return nil, fmt.Errorf("%s: %w", agentFile, err)
	}
	if err := settings.Check(repo.Top); err != nil {
		return nil, err
	}
	var done []string
	stubs, err := githooks.Install(repo.HooksDir, exe)
	for _, c := range stubs {
		if c.Action != githooks.Unchanged && c.Action != githooks.Wanted {
			done = append(done, describeStub(c))
		}
	}
	if err != nil {
		return done, err
	}
	if !bytes.Equal(old, now) {
		if err := writeWhole(agentFile, now); err != nil {
			return done, err
		}
		done = append(done, "wrote "+rel(repo, agentFile))
	}
	changed, err := settings.Enable(repo.Top)
	if done = append(done, changed...); err != nil {
		return done, err
	}
	from, err := takeCheckpoints(ctx, repo, refs)
	if from != "" {
		done = append(done, "took entire/checkpoints/v1 from "+from)
	}
	return append(done, wantedLines(repo, stubs)...), err
}

// ofRemotes is where git keeps the remotes' branches of committed checkpoints, as a pattern.
const ofRemotes = "refs/remotes/*/entire/checkpoints/v1"

// takeCheckpoints begins the branch of the committed checkpoints with the remote's, as in a clone: what is committed here then goes on from
// there, and can be pushed. It gives the remote's name; empty if there is a branch already, or no remote, or several, have it.
func takeCheckpoints(ctx context.Context, repo *gitexec.Repo, refs []gitexec.Ref) (string, error) {
	var theirs []gitexec.Ref
	for _, r := range refs {
		if r.Name == shadow.Checkpoints {
			return "", nil
		}
		if strings.HasPrefix(r.Name, "refs/remotes/") {
			theirs = append(theirs, r)
		}
	}
	if len(theirs) != 1 || theirs[0].Type != "commit" {
		return "", nil
	}
	u, err := repo.StartRefUpdate(ctx, "entire-plumb: enable")
	if err != nil {
		return "", err
	}
	defer u.Abort()
	if err := u.Create(shadow.Checkpoints, theirs[0].ID); err != nil {
		return "", err
	}
	name := strings.TrimSuffix(strings.TrimPrefix(theirs[0].Name, "refs/remotes/"), "/entire/checkpoints/v1")
	return name, u.Commit()
}

// Disable takes out what Enable put in, and leaves what was recorded. What stands in the way of one part doesn't save the others.
func Disable(repo *gitexec.Repo) ([]string, error) {
	var done []string
	byHand := false
	stubs, err := githooks.Remove(repo.HooksDir)
	for _, c := range stubs {
		if c.Action != githooks.Unchanged {
			done = append(done, describeStub(c))
			byHand = byHand || c.Line != ""
		}
	}
	if byHand {
		done = append(done, "hint: take those lines out; until then they do nothing")
	}
	out, err2 := disableAgent(repo)
	if out {
		done = append(done, "took our hooks out of "+rel(repo, claudeFile(repo)))
	}
	changed, err3 := settings.Disable(repo.Top)
	return append(done, changed...), errors.Join(err, err2, err3)
}

// disableAgent takes our hooks out of the agent's settings, and reports whether there were any.
func disableAgent(repo *gitexec.Repo) (bool, error) {
	file := claudeFile(repo)
	old, err := readOrNone(file)
	if err != nil || old == nil {
		return false, err
	}
	now, err := claudesettings.Disable(old)
	if err != nil {
		return false, fmt.Errorf("%s: %w", file, err)
	}
	return !bytes.Equal(old, now), putBack(file, old, now)
}

// Purge removes all that was recorded, on this machine: branches, session states, private files. It is for after Disable.
func Purge(ctx context.Context, repo *gitexec.Repo) ([]string, error) {
	unlock, err := shadow.Lock(ctx, repo)
	if err != nil {
		return nil, err
	}
	defer unlock()
	refs, err := repo.Refs(ctx, shadow.Prefix, shadow.Private)
	if err != nil {
		return nil, err
	}
	db := repo.ODB(ctx)
	defer db.Close()
	ours, err := shadow.Ours(db, refs)
	if err != nil {
		return nil, err
	}
	u, err := repo.StartRefUpdate(ctx, "entire-plumb: purge")
	if err != nil {
		return nil, err
	}
	defer u.Abort()
	var done []string
	for _, r := range ours {
		if err := u.Delete(r.Name, r.ID); err != nil {
			return nil, err
		}
		done = append(done, "deleted "+strings.Replace(r.Name, "refs/heads/", "branch ", 1))
	}
	if err := u.Commit(); err != nil {
		return nil, err
	}
	for _, dir := range []string{StateDir(repo), repo.PrivateDir(), repo.SharedDir()} {
		if _, err := os.Stat(dir); err != nil {
			continue
		}
		if err := os.RemoveAll(dir); err != nil {
			return done, err
		}
		done = append(done, "deleted "+dir)
	}
	return done, nil
}

// Installed says how git's and the agent's hooks stand, for status.
func Installed(repo *gitexec.Repo, exe string) (git []githooks.Hook, agent []string, err error) {
	git, err = githooks.State(repo.HooksDir, "")
	if err != nil {
		return nil, nil, err
	}
	data, err := readOrNone(claudeFile(repo))
	if err != nil || data == nil {
		return git, nil, err
	}
	if agent, err = claudesettings.Installed(data); err != nil {
		err = fmt.Errorf("%s: %w", claudeFile(repo), err)
	}
	return git, agent, err
}

// branchInTheWay refuses a repository with a branch named entire: git can have no entire/… beside it.
func branchInTheWay(refs []gitexec.Ref) error {
	for _, r := range refs {
		if r.Name == "refs/heads/entire" {
			return fmt.Errorf("%w\nhint: git branch -m entire another-name", condense.ErrBranchInTheWay)
		}
	}
	return nil
}

// agentCommand is the shell command that the agent runs for an event. The agent's settings are often shared, so the
// program is looked for on PATH where it is there; and nothing happens, silently, where it isn't installed.
func agentCommand(exe, verb string) string {
	if foundAs(exe) {
		return "command -v " + program + " >/dev/null 2>&1 || exit 0; exec " + program + " hooks claude-code " + verb
	}
	return "test -x " + quoted(exe) + " || exit 0; exec " + quoted(exe) + " hooks claude-code " + verb
}

// onPath gives the program that the shell finds under our name.
func onPath() (fs.FileInfo, bool) {
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if found, err := os.Stat(filepath.Join(dir, program)); err == nil && !found.IsDir() {
			return found, true
		}
	}
	return nil, false
}

// foundAs reports whether the shell finds the very program exe under our name.
func foundAs(exe string) bool {
	want, err := os.Stat(exe)
	found, ok := onPath()
	return err == nil && ok && os.SameFile(want, found)
}

func claudeFile(repo *gitexec.Repo) string {
	return filepath.Join(repo.Top, ".claude", "settings.json")
}

func rel(repo *gitexec.Repo, file string) string {
	if r, err := filepath.Rel(repo.Top, file); err == nil {
		return r
	}
	return file
}

func readOrNone(file string) ([]byte, error) {
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return data, err
}

// putBack writes a file that we had changed, or removes it, with its directory, if nothing but ours was in it.
func putBack(file string, old, now []byte) error {
	if now == nil {
		if err := os.Remove(file); err != nil {
			return err
		}
		os.Remove(filepath.Dir(file)) // only if it is empty
		return nil
	}
	if bytes.Equal(old, now) {
		return nil
	}
	return writeWhole(file, now)
}

// writeWhole writes a file of the user's whole or not at all, through a symlink if it is one, with its mode kept.
func writeWhole(file string, data []byte) error {
	if target, err := filepath.EvalSymlinks(file); err == nil {
		file = target
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		return os.WriteFile(file, data, 0o644)
	}
	return replaceFile(file, data)
}
