package gitexec

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Repo is a repository with a worktree, as one rev-parse found it. All paths are absolute.
type Repo struct {
	Top       string // the worktree's top level
	GitDir    string // this worktree's own git directory
	CommonDir string // the git directory that all worktrees share
	HooksDir  string // where git looks for hooks, core.hooksPath considered
	IndexFile string // the index that git would use here; inside a hook, the one that git handed to it
	Format    Format

	Head Head // what HEAD named when the repository was found; nothing changes it
	// Branch is the branch's full ref name, empty when HEAD is detached.
	Branch string

	private string              // see PrivateDir; empty: the usual place
	own     map[string][]string // see Own; nil: not asked yet
	refs    chan warmRefUpdate  // see WarmRefUpdate; nil: none is under way
	patches chan warmProcess    // see WarmPatchTrees
	runner
}

// Head is a commit that something acts on, and its tree: mostly the one that HEAD names. On an
// unborn branch it is all zeros, and the empty tree.
type Head struct{ ID, Tree OID }

// divider is an option that rev-parse doesn't know and so prints: it keeps apart the lines of paths
// that may hold newlines.
const divider = "--entire-plumb-divider"

// Discover finds the repository of the directory dir, with the environment's GIT_DIR and the like
// considered as git does. It costs one process. Where there is none to work in, errors.Is tells
// ErrNotRepository or ErrBare, and ErrBrokenHead when HEAD names something that isn't there. An
// unborn HEAD is no error here: see [Repo.Born].
func Discover(ctx context.Context, dir string, tracer *Tracer) (*Repo, error) {
	run := runner{dir: dir, env: discoveryEnv(), tracer: tracer}
	out, own, err := run.outputTraced(ctx, command{args: []string{
		"rev-parse", "--path-format=absolute", "--is-bare-repository", divider,
		"--git-dir", divider, "--git-common-dir", divider, "--git-path", "hooks", divider, "--git-path", "index", divider,
		"--show-object-format", divider, "--show-toplevel", divider,
		"--revs-only", "HEAD", "HEAD^{tree}", "--symbolic-full-name", "HEAD",
	}})
	if err != nil {
		return nil, noRepository(dir, out, err)
	}
	parts := strings.Split(string(out), divider+"\n")
	if len(parts) != 8 {
		return nil, fmt.Errorf("git rev-parse answered in a way that is not understood: %.200q\nhint: see which git is on PATH", out)
	}
	for i := range parts {
		parts[i] = strings.TrimSuffix(parts[i], "\n")
	}
	r := &Repo{GitDir: parts[1], CommonDir: parts[2], HooksDir: parts[3], IndexFile: parts[4], Format: Format(parts[5]), Top: parts[6], own: own}
	if r.settle(tracer); r.worktreeConfig() {
		r.own = nil
	}
	if parts[7] == "" {
		return r, r.unbornOrBroken(ctx)
	}
	return r, r.setHead(strings.Split(parts[7], "\n"))
}

// settle makes commands run in the repository that was found.
func (r *Repo) settle(tracer *Tracer) {
	r.runner = runner{dir: r.Top, tracer: tracer, env: r.repoEnv(), shown: r.location()}
}

// Born gives ErrUnborn with a hint when there is no commit yet.
func (r *Repo) Born() error {
	if r.Head.ID.IsZero() {
		return fmt.Errorf("%w (%s)\nhint: make a first commit", ErrUnborn, r.Top)
	}
	return nil
}

func (r *Repo) setHead(lines []string) error {
	if len(lines) < 2 || !ValidOID(lines[0]) || !ValidOID(lines[1]) {
		return fmt.Errorf("%w in %s: its commit cannot be read\nhint: git fsck says more", ErrBrokenHead, r.Top)
	}
	r.Head = Head{OID(lines[0]), OID(lines[1])}
	if len(lines) > 2 && lines[2] != "HEAD" {
		r.Branch = lines[2]
	}
	return nil
}

// unbornOrBroken tells a HEAD that names a branch yet to be born from one whose branch holds
// garbage: git refuses to name the latter.
func (r *Repo) unbornOrBroken(ctx context.Context) error {
	name, err := r.output(ctx, command{args: []string{"symbolic-ref", "-q", "HEAD"}})
	if err != nil {
		return fmt.Errorf("%w in %s: %v\nhint: git fsck says more", ErrBrokenHead, r.Top, err)
	}
	r.Branch = string(bytes.TrimSuffix(name, []byte("\n")))
	r.Head = Head{r.Format.Zero(), r.Format.EmptyTree()}
	return nil
}

// noRepository explains why rev-parse found nothing to work in.
func noRepository(dir string, out []byte, err error) error {
	var fault *Error
	switch {
	case errors.Is(err, ErrNoGit):
		return fmt.Errorf("%w\nhint: install git 2.36 or newer", ErrNoGit)
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%w: %s is not there\nhint: change to a directory that exists", ErrNotRepository, dir)
	case !errors.As(err, &fault):
		return err
	case bytes.HasPrefix(out, []byte("true\n")):
		return fmt.Errorf("%w: %s\nhint: run this in a worktree of it", ErrBare, dir)
	case strings.Contains(fault.Stderr, "not a git repository"):
		return fmt.Errorf("%w: %s\nhint: git init makes one", ErrNotRepository, dir)
	case strings.Contains(fault.Stderr, "must be run in a work tree"):
		return fmt.Errorf("%w: %s is inside a git directory\nhint: change to the worktree", ErrNotRepository, dir)
	case strings.Contains(fault.Stderr, "dubious ownership"):
		return fmt.Errorf("%w that git trusts: %s\nhint: git config --global --add safe.directory %s", ErrNotRepository, dir, dir)
	}
	return fmt.Errorf("%w\nhint: `git status` there may say more", err)
}

// SparseCheckout reports whether this worktree holds, or held, only a part of its files.
func (r *Repo) SparseCheckout() bool {
	_, err := os.Stat(filepath.Join(r.GitDir, "info", "sparse-checkout"))
	return err == nil
}

// PrivateDir is where this program keeps what belongs to this worktree alone, inside its git
// directory.
func (r *Repo) PrivateDir() string {
	if r.private != "" {
		return r.private
	}
	return filepath.Join(r.GitDir, "entire-plumb")
}

// Aside gives the same repository for a command that only asks: objects that it writes, and its
// private files, go to a directory of their own, which done removes.
func (r *Repo) Aside() (aside *Repo, done func(), err error) {
	temp, err := r.aside()
	if err != nil {
		return nil, nil, err
	}
	objects := filepath.Join(temp.Dir, "objects")
	if err := os.Mkdir(objects, 0o700); err != nil {
		temp.Remove()
		return nil, nil, err
	}
	copied := *r
	copied.private = temp.Dir
	// git takes the list of alternates apart at colons, but for what is in quotes.
	where := []string{"GIT_OBJECT_DIRECTORY=" + objects, "GIT_ALTERNATE_OBJECT_DIRECTORIES=" + alwaysQuoted(filepath.Join(r.CommonDir, "objects"))}
	copied.runner.env = append(append([]string{}, r.runner.env...), where...)
	copied.runner.shown = append(append([]string{}, r.runner.shown...), where...)
	return &copied, temp.Remove, nil
}

// aside makes a directory where our private files are, or, where there are none, or none can be
// written, in the system's place for temporary ones.
func (r *Repo) aside() (*Temp, error) {
	if _, err := os.Lstat(r.PrivateDir()); err == nil {
		if temp, err := r.TempDir(); err == nil {
			return temp, nil
		}
	}
	dir, err := os.MkdirTemp("", "entire-plumb-*")
	return &Temp{Dir: dir}, err
}

// SharedDir is where this program keeps what belongs to all worktrees of the repository.
func (r *Repo) SharedDir() string { return filepath.Join(r.CommonDir, "entire-plumb") }

// WorktreeID is the name that git gave to a linked worktree, and empty for the main one.
func (r *Repo) WorktreeID() string {
	if r.GitDir == r.CommonDir {
		return ""
	}
	return filepath.Base(r.GitDir)
}

// ObjectsAsked is the number of objects that were asked for so far, on behalf of this repository's
// tracer.
func (r *Repo) ObjectsAsked() int { return r.tracer.Asked() }

// Processes is the number of git processes started so far on behalf of this repository's tracer.
func (r *Repo) Processes() int { return r.tracer.Count() }

// Here is a repository of which nothing is known but that git, called in a directory, finds it: for
// what can be asked before Discover has told where it is. Format is the caller's to set before
// trees are read.
func Here(dir string, tracer *Tracer) *Repo {
	return &Repo{Top: dir, runner: runner{dir: dir, env: discoveryEnv(), tracer: tracer}}
}

// Offline gives the same repository for commands that may miss an object: in a partial clone they
// don't fetch it. git before 2.45 doesn't know the first variable; the second leaves it no way to.
func (r *Repo) Offline() *Repo {
	copied := *r
	copied.runner.env = append(append([]string{}, r.runner.env...), "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=")
	return &copied
}
