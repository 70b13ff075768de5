// Package setup makes this program record in a repository, or not any more: settings, git's hooks,
// hook managers, and agents' settings.
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

// Agents are the agents that can be enabled, by the names that --agent takes.
var Agents = []string{"claude-code"}

// program is the name under which this program is found on PATH.
const program = "entire-plumb"

// Enable makes this program record what happens in the repository: settings, git's hooks, and the
// agent's. It says what it changed, a line each; done twice, the second time changes nothing. exe
// is the program's absolute path.
func Enable(ctx context.Context, repo *gitexec.Repo, agent, exe string) ([]string, error) {
	if agent != "claude-code" {
		return nil, fmt.Errorf("unknown agent %q\nhint: --agent may be %s", agent, strings.Join(Agents, ", "))
	}
	refs, err := repo.Refs(ctx, "refs/heads/entire", shadow.Checkpoints, ofRemotes)
	if err != nil {
		return nil, err
	}
	if err := branchInTheWay(refs); err != nil {
		return nil, err
	}
	// First the settings, the agent's and ours: if they cannot be read, or must not be written,
	// nothing is changed at all.
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

// ofRemotes is where git keeps the remotes' branches of committed checkpoints, as a pattern.
const ofRemotes = "refs/remotes/*/entire/checkpoints/v1"

// takeCheckpoints begins the branch of the committed checkpoints with the remote's, as in a clone:
// what is committed here then goes on from there, and can be pushed. It gives the remote's name;
// empty if there is a branch already, or no remote, or several, have it.
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

// checkFiles says why files of the worktree must not be written: see [safefile.CheckWrite]. It
// starts a process only where a symbolic link is on the way to one.
func checkFiles(ctx context.Context, repo *gitexec.Repo, names ...string) error {
	return safefile.CheckWrite(repo.Top, names, func(links []string) ([]string, error) { return repo.Tracked(ctx, links...) })
}

// checkHooks says why the hooks directory must not be written, where core.hooksPath has it in the
// worktree. Discovery tells where it leads, and not over which links.
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

// Installed says how git's and the agent's hooks stand, for status.
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

// branchInTheWay refuses a repository with a branch named entire: git can have no entire/… beside
// it.
func branchInTheWay(refs []gitexec.Ref) error {
	for _, r := range refs {
		if r.Name == "refs/heads/entire" {
			return fmt.Errorf("%w\nhint: git branch -m entire another-name", checkpoints.ErrBranchInTheWay)
		}
	}
	return nil
}

// agentCommand is the shell command that the agent runs for an event. The agent's settings are
// often shared, so the program is looked for on PATH where it is there; and nothing happens,
// silently, where it isn't installed.
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

// claudeSettings is the file that has Claude Code's hooks, below the worktree's top level.
const claudeSettings = ".claude/settings.json"

// mostClaude is how many bytes it may have; what people write there is kilobytes.
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

// readClaude gives what the agent's settings hold, nil if there are none.
func readClaude(repo *gitexec.Repo) ([]byte, error) {
	data, err := safefile.ReadInside(repo.Top, claudeSettings, mostClaude)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return data, err
}
