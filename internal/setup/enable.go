// Package setup enables and disables recording in a repository: settings, git's hooks, hook
// managers, and agents' settings.
package setup

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/claudesettings"
	"entire-plumb/internal/githooks"
	"entire-plumb/internal/safefile"
	"entire-plumb/internal/settings"
	"entire-plumb/shadow"
)

// Agents are the values of --agent.
var Agents = []string{"claude-code"}

// program is this program's name on PATH.
const program = "entire-plumb"

// Enable writes settings, and installs git's hooks and the agent's. It returns its changes, one
// line each; a second run changes nothing. exe is the program's absolute path.
func Enable(ctx context.Context, repo *gitexec.Repo, agent, exe string) ([]string, error) {
	if agent != "claude-code" {
		return nil, fmt.Errorf("unknown agent %q\nhint: --agent may be %s", agent, strings.Join(Agents, ", "))
	}
	refs, err := repo.Refs(ctx, "refs/heads/entire", shadow.Checkpoints, ofRemotes)
	if err != nil {
		return nil, err
	}
	if err := checkBranch(refs); err != nil {
		return nil, err
	}
	// Check the agent's settings and ours first: if they cannot be read, or must not be written,
	// nothing is changed.
	if err := checkFiles(ctx, repo, slices.Concat(settings.Files, []string{claudeSettings})...); err != nil {
		return nil, err
	}
	if err := checkHooks(ctx, repo); err != nil {
		return nil, err
	}
	agentFile := claudeFile(repo)
	old, err := readClaude(repo)
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
		if err := safefile.RewriteInside(repo.Top, claudeSettings, now); err != nil {
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
		done = append(done, "created entire/checkpoints/v1 from "+from)
	}
	return append(done, wantedLines(repo, stubs)...), err
}

// ofRemotes is the pattern of remote-tracking branches of committed checkpoints.
const ofRemotes = "refs/remotes/*/entire/checkpoints/v1"

// takeCheckpoints creates the branch of the committed checkpoints from the remote's, as in a clone,
// so that it can be pushed later. It returns the remote's name; empty if the branch exists, or no
// remote has it, or several do.
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

// checkFiles is the reason why files of the worktree must not be written: see
// [safefile.CheckWrite]. It starts a process only if the path of one has a symbolic link.
func checkFiles(ctx context.Context, repo *gitexec.Repo, names ...string) error {
	return safefile.CheckWrite(repo.Top, names, func(links []string) ([]string, error) { return repo.Tracked(ctx, links...) })
}

// checkHooks is the reason why the hooks directory must not be written, if core.hooksPath is in the
// worktree. Discovery resolves it without naming the symbolic links in its path.
func checkHooks(ctx context.Context, repo *gitexec.Repo) error {
	for _, dir := range []string{repo.GitDir, repo.CommonDir} {
		if name, err := filepath.Rel(dir, repo.HooksDir); err == nil && filepath.IsLocal(name) {
			return nil
		}
	}
	const key = "core.hookspath"
	config, err := repo.Config(ctx, key)
	if err != nil {
		return err
	}
	name := filepath.FromSlash(config[key])
	if filepath.IsAbs(name) {
		if name, err = filepath.Rel(repo.Top, name); err != nil {
			return nil // on another drive
		}
	}
	if name = filepath.Clean(name); !filepath.IsLocal(name) {
		return nil
	}
	return checkFiles(ctx, repo, filepath.ToSlash(name))
}

// Installed is the state of git's and the agent's hooks, for status.
func Installed(repo *gitexec.Repo, exe string) (git []githooks.Hook, agent []string, err error) {
	git, err = githooks.State(repo.HooksDir, "")
	if err != nil {
		return nil, nil, err
	}
	data, err := readClaude(repo)
	if err != nil || data == nil {
		return git, nil, err
	}
	if agent, err = claudesettings.Installed(data); err != nil {
		err = fmt.Errorf("%s: %w", claudeFile(repo), err)
	}
	return git, agent, err
}

// checkBranch refuses a repository with a branch named entire, beside which git can't create
// entire/….
func checkBranch(refs []gitexec.Ref) error {
	for _, r := range refs {
		if r.Name == "refs/heads/entire" {
			return fmt.Errorf("%w\nhint: git branch -m entire another-name", checkpoints.ErrBranchInTheWay)
		}
	}
	return nil
}

// agentCommand is the shell command that the agent runs for an event. Because the agent's settings
// are often shared, it uses PATH if the program is on it, and does nothing if the program isn't
// installed.
func agentCommand(exe, verb string) string {
	if foundAs(exe) {
		return "command -v " + program + " >/dev/null 2>&1 || exit 0; exec " + program + " hooks claude-code " + verb
	}
	return "test -x " + quoted(exe) + " || exit 0; exec " + quoted(exe) + " hooks claude-code " + verb
}

// onPath is the program that the shell finds by our name.
func onPath() (fs.FileInfo, bool) {
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if found, err := os.Stat(filepath.Join(dir, program)); err == nil && !found.IsDir() {
			return found, true
		}
	}
	return nil, false
}

// foundAs reports whether the shell finds the program exe by our name.
func foundAs(exe string) bool {
	want, err := os.Stat(exe)
	found, ok := onPath()
	return err == nil && ok && os.SameFile(want, found)
}

// claudeSettings is the file that has Claude Code's hooks, below the worktree's top level.
const claudeSettings = ".claude/settings.json"

// mostClaude limits its size, in bytes; real files have kilobytes.
const mostClaude = 1 << 20

func claudeFile(repo *gitexec.Repo) string {
	return filepath.Join(repo.Top, filepath.FromSlash(claudeSettings))
}

func rel(repo *gitexec.Repo, file string) string {
	if r, err := filepath.Rel(repo.Top, file); err == nil {
		return r
	}
	return file
}

// readClaude reads the agent's settings; nil if the file is missing.
func readClaude(repo *gitexec.Repo) ([]byte, error) {
	data, err := safefile.ReadInside(repo.Top, claudeSettings, mostClaude)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return data, err
}
