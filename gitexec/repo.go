package gitexec

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

	"entire-plumb/internal/safefile"
)

// Repo is a repository with a worktree, as one rev-parse found it. All paths are absolute.
type Repo struct {
	Top       string // the worktree's top level
	GitDir    string // this worktree's own git directory
	CommonDir string // the git directory that all worktrees share
	HooksDir  string // where git looks for hooks, according to core.hooksPath
	IndexFile string // the index that git would use here; inside a hook, the one of its environment
	Format    Format

	Head Head // what HEAD named when the repository was found; nothing changes it
	// Branch is the branch's full ref name, empty when HEAD is detached.
	Branch string

	private string               // see PrivateDir; empty: the default
	own     map[string][]string  // see OwnConfig; nil: not read yet
	refs    prepared[*RefUpdate] // see WarmRefUpdate
	patches prepared[*process]   // see WarmPatchTrees
	roots   *rootRefs
	runner
}

// Head is the commit that an operation acts on, and its tree: usually that of HEAD. On an
// unborn branch it is all zeros, and the empty tree.
type Head struct{ ID, Tree OID }

// divider is an unknown option, which rev-parse prints. It separates paths, which may contain
// newlines.
const divider = "--entire-plumb-divider"

// Discover finds the repository of the directory dir, as git does: GIT_DIR and the like in the
// environment count. One process. Its errors are ErrNotRepository, ErrBare, and ErrBrokenHead if
// HEAD names a missing or damaged commit. An unborn HEAD is no error: see [Repo.Born].
func Discover(ctx context.Context, dir string, tracer *Tracer) (*Repo, error) {
	return locate(ctx, runner{dir: dir, env: discoveryEnv(), tracer: tracer})
}

// DiscoverAt is Discover of the repository that a directory is in, whatever the environment names.
func DiscoverAt(ctx context.Context, dir string, tracer *Tracer) (*Repo, error) {
	return locate(ctx, runner{dir: dir, env: append(without(os.Environ(), locationVars), fixedVars...), tracer: tracer})
}

func locate(ctx context.Context, run runner) (*Repo, error) {
	dir, tracer := run.dir, run.tracer
	args := []string{
		"rev-parse", "--path-format=absolute", "--is-bare-repository", divider,
		"--git-dir", divider, "--git-common-dir", divider, "--git-path", "hooks", divider, "--git-path", "index", divider,
		"--show-object-format", divider, "--show-toplevel", divider,
		"--revs-only", "HEAD", "HEAD^{tree}", "--symbolic-full-name", "HEAD",
	}
	out, own, err := run.outputTraced(ctx, command{args: args})
	// core.hooksPath may be set to nothing, so that no hook runs. git makes no path of it.
	fault, failed := errors.AsType[*Error](err)
	noHooks := failed && strings.Contains(fault.Stderr, "empty string is not a valid path")
	if noHooks {
		out, own, err = run.outputTraced(ctx, command{args: append([]string{"-c", "core.hooksPath=" + os.DevNull}, args...)})
	}
	if err != nil {
		return nil, noRepository(dir, out, err)
	}
	parts := strings.Split(string(out), divider+"\n")
	if len(parts) != 8 || parts[0] != "false\n" { // git before 2.31 prints options that it doesn't know
		if _, err := CheckVersion(ctx, tracer); errors.As(err, new(*OldGitError)) {
			return nil, err
		}
		return nil, fmt.Errorf("git rev-parse answered in a way that is not understood: %.200q\nhint: see which git is on PATH", out)
	}
	for i := range parts {
		parts[i] = strings.TrimSuffix(parts[i], "\n")
	}
	r := &Repo{GitDir: parts[1], CommonDir: parts[2], HooksDir: parts[3], IndexFile: parts[4],
		Format: Format(parts[5]), Top: parts[6], own: own, roots: &rootRefs{}}
	if err := r.refuseLinks(); err != nil {
		return nil, err
	}
	r.share(own)
	// The trace lacks that file: the configuration is asked for when it is needed.
	if r.useFound(tracer); r.worktreeConfig() {
		r.own = nil
	}
	r.readPromises(ctx)
	if noHooks {
		if r.HooksDir, err = r.hooksByFiles(ctx); err != nil {
			return nil, err
		}
	}
	if parts[7] == "" {
		return r, r.readUnborn(ctx)
	}
	return r, r.setHead(strings.Split(parts[7], "\n"))
}

// hooksByFiles is where git looks for hooks by the files of the configuration. A variable of the
// environment may turn them off for a command, as Gemini CLI does for those of its shell. The null
// device: nowhere.
func (r *Repo) hooksByFiles(ctx context.Context) (string, error) {
	out, err := r.output(ctx, command{accept: 1, args: []string{"config", "--type=path", "--show-scope", "-z", "--get-all", "core.hooksPath"}})
	dir := filepath.Join(r.CommonDir, "hooks")
	for scoped := range slices.Chunk(strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"), 2) {
		switch {
		case len(scoped) < 2 || scoped[0] == "command":
		case scoped[1] == "":
			dir = os.DevNull
		case filepath.IsAbs(scoped[1]):
			dir = scoped[1]
		default:
			dir = filepath.Join(r.Top, scoped[1])
		}
	}
	return dir, err
}

// refuseLinks is an error if a directory of this program's in the git directory is a symbolic link,
// as in a copy of another user's repository: what is behind it may be anything.
func (r *Repo) refuseLinks() error {
	dirs := []string{r.SharedDir(), filepath.Join(r.SharedDir(), "index"), filepath.Join(r.CommonDir, "entire-plumb-index"),
		filepath.Join(r.CommonDir, "entire-sessions")}
	if r.GitDir != r.CommonDir {
		dirs = append(dirs, r.PrivateDir())
	}
	for _, dir := range dirs {
		if info, err := os.Lstat(dir); err == nil && info.Mode()&os.ModeSymlink != 0 {
			return fmt.Errorf("%s is a symbolic link\nhint: remove it", dir)
		}
	}
	return nil
}

// useRepository makes commands run in the discovered repository.
func (r *Repo) useFound(tracer *Tracer) {
	r.runner = runner{dir: r.Top, tracer: tracer, env: r.repoEnv(), shown: r.location(), writer: &objectWriter{repo: r}}
}

// Born is ErrUnborn with a hint if HEAD names a branch without a commit.
func (r *Repo) Born() error {
	if r.Head.ID.IsZero() {
		return fmt.Errorf("%w: %s in %s\nhint: make a first commit", ErrUnborn, strings.TrimPrefix(r.Branch, "refs/heads/"), r.Top)
	}
	return nil
}

func (r *Repo) setHead(lines []string) error {
	if len(lines) < 2 || !ValidOID(lines[0]) || !ValidOID(lines[1]) {
		return fmt.Errorf("%w in %s: its commit cannot be read\nhint: git fsck says more", ErrBrokenHead, r.Top)
	}
	r.Head = Head{OID(lines[0]), OID(lines[1])}
	// A detached HEAD has no other name.
	if len(lines) > 2 && lines[2] != "HEAD" {
		r.Branch = lines[2]
	}
	return nil
}

// readUnborn sets an unborn HEAD. If the branch's ref holds garbage, symbolic-ref fails, and the
// error is ErrBrokenHead.
func (r *Repo) readUnborn(ctx context.Context) error {
	name, err := r.output(ctx, command{args: []string{"symbolic-ref", "-q", "HEAD"}})
	if err != nil {
		return fmt.Errorf("%w in %s: %v\nhint: git fsck says more", ErrBrokenHead, r.Top, err)
	}
	r.Branch = string(bytes.TrimSuffix(name, []byte("\n")))
	r.Head = Head{r.Format.Zero(), r.Format.EmptyTree()}
	return nil
}

// noRepository is the error for a failed discovery.
func noRepository(dir string, out []byte, err error) error {
	var fault *Error
	switch {
	case errors.Is(err, ErrNoGit):
		return fmt.Errorf("%w\nhint: install git 2.38 or newer", ErrNoGit)
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

// SparseCheckout reports whether this worktree has, or had, a sparse checkout.
func (r *Repo) SparseCheckout() bool {
	_, err := os.Stat(filepath.Join(r.GitDir, "info", "sparse-checkout"))
	return err == nil
}

// PrivateDir is this program's directory for one worktree, inside its git directory.
func (r *Repo) PrivateDir() string {
	if r.private != "" {
		return r.private
	}
	return filepath.Join(r.GitDir, "entire-plumb")
}

// Scratch is the same repository for a command that only reads: objects and private files that it
// writes go to a temporary directory, which done removes.
func (r *Repo) Scratch() (scratch *Repo, done func(), err error) {
	temp, err := r.scratchDir()
	if err != nil {
		return nil, nil, err
	}
	objects := filepath.Join(temp.Dir, "objects")
	if err := safefile.MkdirAll(objects, 0o700); err != nil {
		temp.Remove()
		return nil, nil, err
	}
	copied := *r
	// A writer of its own: the other one's process writes to the repository.
	copied.private, copied.writer = temp.Dir, &objectWriter{repo: &copied}
	// git splits the list of alternates at colons outside of quotes.
	alternate := alwaysQuoted(filepath.Join(r.CommonDir, "objects"))
	where := []string{"GIT_OBJECT_DIRECTORY=" + objects, "GIT_ALTERNATE_OBJECT_DIRECTORIES=" + alternate}
	copied.runner.env = append(append([]string{}, r.runner.env...), where...)
	copied.runner.shown = append(append([]string{}, r.runner.shown...), where...)
	return &copied, temp.Remove, nil
}

// Aside reports whether the repository is one of Scratch.
func (r *Repo) Aside() bool { return r.private != "" }

// scratchDir makes a directory in PrivateDir, or, if that is missing or cannot be written, in the
// system's temporary directory.
func (r *Repo) scratchDir() (*Temp, error) {
	if _, err := os.Lstat(r.PrivateDir()); err == nil {
		if temp, err := r.TempDir(); err == nil {
			return temp, nil
		}
	}
	dir, err := os.MkdirTemp("", "entire-plumb-*")
	return &Temp{Dir: dir}, err
}

// SharedDir is this program's directory for all worktrees of the repository.
func (r *Repo) SharedDir() string { return filepath.Join(r.CommonDir, "entire-plumb") }

// WorktreeID is git's name of a linked worktree, and empty for the main one.
func (r *Repo) WorktreeID() string {
	if r.GitDir == r.CommonDir {
		return ""
	}
	return filepath.Base(r.GitDir)
}

// MainTop is the top level of the main worktree, from a linked one; empty in the main one, and
// where the git directory's place doesn't tell.
func (r *Repo) MainTop() string {
	if r.GitDir == r.CommonDir {
		return ""
	}
	return topOf(r.CommonDir)
}

// topOf is the directory that a git directory is in by its own name; empty if it has another.
func topOf(gitDir string) string {
	if filepath.Base(gitDir) != ".git" {
		return ""
	}
	return filepath.Dir(gitDir)
}

// ObjectsAsked is the number of objects that this repository's tracer has counted.
func (r *Repo) ObjectsAsked() int { return r.tracer.Asked() }

// Processes is the number of git processes that this repository's tracer has counted.
func (r *Repo) Processes() int { return r.tracer.Count() }

// Here is the repository of a directory before its discovery: git finds it for each command. The
// caller sets Format before reading trees.
func Here(dir string, tracer *Tracer) *Repo {
	r := &Repo{Top: dir, runner: runner{dir: dir, env: discoveryEnv(), tracer: tracer}}
	r.writer = &objectWriter{repo: r}
	return r
}

// Found tells a repository of Here where its discovery found it. Before, it can write no object.
func (r *Repo) Found(as *Repo) {
	r.GitDir, r.CommonDir, r.Format, r.own, r.promised = as.GitDir, as.CommonDir, as.Format, as.own, as.promised
	r.Top, r.dir, r.writer, r.roots = as.Top, as.dir, as.writer, as.roots
}

// Offline is the same repository, but in a partial clone its commands don't fetch missing objects.
func (r *Repo) Offline() *Repo {
	copied := *r
	copied.runner.offline = true
	return &copied
}
