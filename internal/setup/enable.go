// Package setup enables, repairs and disables recording in a repository: settings, git's hooks,
// hook managers, and agents' settings.
package setup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"entire-plumb/gitexec"
	"entire-plumb/internal/agent"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/githooks"
	"entire-plumb/internal/safefile"
	"entire-plumb/internal/settings"
	"entire-plumb/internal/workspace"
	"entire-plumb/shadow"
)

// Request is what Enable is asked for.
type Request struct {
	Agents []agent.Agent
	Named  bool   // the user named them; else they were found
	Write  bool   // write lines that call us into the files of hook managers
	Exe    string // this program's absolute path
	Getenv func(string) string

	TakeOver bool // the entire CLI's hooks, if there are any; else an EntireError says so
}

// Enable writes settings, and installs git's hooks and the agents'. It returns its changes, one
// line each; a second run changes nothing. An agent that wasn't named, and whose hooks the user's
// own settings have, needs none in the repository.
func Enable(ctx context.Context, repo *gitexec.Repo, r Request) ([]string, error) {
	refs, err := repo.Refs(ctx, "refs/heads/entire", shadow.Checkpoints, ofRemotes)
	if err != nil {
		return nil, err
	}
	if err := checkBranch(refs); err != nil {
		return nil, err
	}
	// Check the agents' settings and ours first: if they cannot be read, or must not be written,
	// nothing is changed.
	if err := checkFiles(ctx, repo, settings.Files...); err != nil {
		return nil, err
	}
	if err := checkHooks(ctx, repo); err != nil {
		return nil, err
	}
	theirs, err := beside(ctx, repo)
	if err != nil {
		return nil, err
	}
	if len(theirs.Mixed) > 0 || len(theirs.Found) > 0 && !r.TakeOver {
		return nil, &theirs.EntireError
	}
	if _, err := enabling(ctx, repo, r); err != nil {
		return nil, err
	}
	var writes []managerEdit
	if r.Write {
		if writes, err = writing(ctx, repo); err != nil {
			return nil, err
		}
	}
	if err := settings.Check(ctx, repo); err != nil {
		return nil, err
	}
	done, err := theirs.takeOver(ctx, repo)
	if err != nil {
		return done, err
	}
	edits, err := enabling(ctx, repo, r) // beside what was taken over
	if err != nil {
		return done, err
	}
	beside, err := settings.Switched(ctx, repo)
	if err == nil && !beside {
		err = settings.SwitchBack(ctx, repo, false) // what disable said, beside the entire CLI
	}
	if err != nil {
		return done, err
	}
	wrote, err := applyManagers(repo, writes)
	done = append(done, wrote...)
	if err != nil {
		return done, err
	}
	// Its directory is there from now on: by it the user's own hooks know the repository.
	stubs, err := githooks.Enable(ctx, repo.SharedDir(), repo.HooksDir, r.Exe)
	changed := false
	for _, c := range stubs {
		if c.Action != githooks.Unchanged && c.Action != githooks.Wanted {
			done = append(done, describeStub(c))
			changed = true
		}
	}
	switch {
	case err != nil && sharedHooks(repo) && errors.Is(err, fs.ErrPermission):
		return done, fmt.Errorf("%w\nhint: core.hooksPath leads there; so that this repository has hooks of its own, and none of those:\n"+
			"git config core.hooksPath \"$(git rev-parse --path-format=absolute --git-common-dir)/hooks\"", err)
	case err != nil:
		return done, err
	case changed && sharedHooks(repo):
		done = append(done, "core.hooksPath is "+gitexec.Harmless(repo.HooksDir)+", outside this repository: git runs these hooks in other repositories, too,\n"+
			"where they do nothing unless entire-plumb is enabled")
	}
	for _, e := range edits {
		changed, err := e.apply(repo)
		if err != nil {
			return done, err
		}
		if changed {
			done = append(done, "wrote "+e.agent.Settings)
			if e.agent.Trust != "" {
				done = append(done, "hint: "+e.agent.Trust)
			}
		}
	}
	wrote, err = settings.Enable(ctx, repo, beside)
	if done = append(done, wrote...); err != nil {
		return done, err
	}
	_, _, _ = workspace.AskUser(ctx, repo) // where git knows of none, session-start says so
	shared, err := shareCheckpoints(ctx, repo, refs, len(done) > 0)
	done = append(done, shared...)
	return append(done, wantedLines(repo, stubs)...), err
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
