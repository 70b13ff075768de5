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
	"entire-plumb/internal/repositories"
	"entire-plumb/internal/safefile"
	"entire-plumb/internal/settings"
	"entire-plumb/internal/workspace"
	"entire-plumb/shadow"
)

// Request is what Enable is asked for.
type Request struct {
	Agents []agent.Agent       // whose settings get hooks; empty: none
	Named  bool                // the user named them; else they were found
	Write  bool                // write lines that call us into the files of hook managers
	Exe    string              // this program's absolute path; required
	Getenv func(string) string // required

	TakeOver bool // the entire CLI's hooks, if there are any; else an EntireError says so
}

// Enable writes settings, and installs git's hooks and the agents'. It returns its changes, one
// line each; a second run changes nothing. An agent that wasn't named, and whose hooks the user's
// own settings have, needs none in the repository.
func Enable(ctx context.Context, repo *gitexec.Repo, r Request) ([]string, error) {
	p, err := prepare(ctx, repo, r)
	if err != nil {
		return nil, err
	}
	done, err := inOrder(
		func() ([]string, error) { return p.theirs.takeOver(ctx, repo) },
		func() ([]string, error) { return nil, p.besideTheirs(ctx, repo, r) },
		func() ([]string, error) { return applyManagers(repo, p.writes) },
		// Its directory is there from now on: by it the user's own hooks know the repository.
		func() (done []string, err error) {
			p.stubs, done, err = installStubs(ctx, repo, r.Exe)
			return done, err
		},
		func() ([]string, error) { return applyAgents(repo.Top, p.edits) },
		func() ([]string, error) { return settings.Enable(ctx, repo, p.beside) },
	)
	if err != nil {
		return done, err
	}
	_, _, _ = workspace.AskUser(ctx, repo) // where git knows of none, session-start says so
	shared, err := shareCheckpoints(ctx, repo, p.refs, len(done) > 0)
	done = append(done, shared...)
	return append(done, wantedLines(repo, p.stubs)...), errors.Join(err, listed(ctx, repo, r.Getenv))
}

// listed puts the worktree on the user's list of repositories, which search reads.
func listed(ctx context.Context, repo *gitexec.Repo, getenv func(string) string) error {
	if err := repositories.Add(ctx, repositories.File(getenv), repo.Top); err != nil {
		return fmt.Errorf("the list of your repositories cannot be written, and search --repos doesn't find this one: %w", err)
	}
	return nil
}

// inOrder takes steps up to the first that fails, and returns all changes.
func inOrder(steps ...func() ([]string, error)) (done []string, err error) {
	for _, step := range steps {
		more, err := step()
		if done = append(done, more...); err != nil {
			return done, err
		}
	}
	return done, nil
}

// plan is what Enable will do.
type plan struct {
	refs   []gitexec.Ref
	theirs *entire
	writes []managerEdit
	edits  []edit
	beside bool // the entire CLI obeys the settings, too
	stubs  []githooks.Change
}

// prepare checks first: if settings cannot be read, or must not be written, nothing is changed.
func prepare(ctx context.Context, repo *gitexec.Repo, r Request) (p plan, err error) {
	if p.refs, err = repo.Refs(ctx, append(ofRemotes, "refs/heads/entire", shadow.Checkpoints)...); err != nil {
		return p, err
	}
	if err := checkBranch(p.refs); err != nil {
		return p, err
	}
	if err := checkFiles(ctx, repo, settings.Files...); err != nil {
		return p, err
	}
	if err := checkHooks(ctx, repo); err != nil {
		return p, err
	}
	if p.theirs, err = beside(ctx, repo); err != nil {
		return p, err
	}
	if len(p.theirs.Mixed) > 0 || len(p.theirs.Found) > 0 && !r.TakeOver {
		return p, &p.theirs.EntireError
	}
	if p.edits, err = enabling(ctx, repo, r); err == nil && r.Write {
		p.writes, err = writing(ctx, repo)
	}
	if err == nil {
		err = settings.Check(ctx, repo)
	}
	return p, err
}

// besideTheirs plans again what depends on the entire CLI's hooks, which may have been taken over.
func (p *plan) besideTheirs(ctx context.Context, repo *gitexec.Repo, r Request) (err error) {
	if p.edits, err = enabling(ctx, repo, r); err != nil {
		return err
	}
	if p.beside, err = settings.Switched(ctx, repo); err == nil && !p.beside {
		err = settings.SwitchBack(ctx, repo, false) // what disable said, beside the entire CLI
	}
	return err
}

// installStubs installs git's hooks.
func installStubs(ctx context.Context, repo *gitexec.Repo, exe string) (stubs []githooks.Change, done []string, err error) {
	stubs, err = githooks.Enable(ctx, repo.SharedDir(), repo.HooksDir, exe)
	done = describeStubs(stubs, githooks.Unchanged, githooks.Wanted)
	switch shared := sharedHooks(repo); {
	case err != nil && shared && errors.Is(err, fs.ErrPermission):
		err = fmt.Errorf("%w\nhint: core.hooksPath leads there; so that this repository has hooks of its own, and none of those:\n"+
			"git config core.hooksPath \"$(git rev-parse --path-format=absolute --git-common-dir)/hooks\"", err)
	case err == nil && shared && len(done) > 0:
		done = append(done, "core.hooksPath is "+gitexec.Harmless(repo.HooksDir)+", outside this repository: git runs these hooks in other repositories, too,\n"+
			"where they do nothing unless entire-plumb is enabled")
	}
	return stubs, done, err
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
