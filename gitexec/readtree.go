package gitexec

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// RestoreWorktree moves the worktree from the tree now, which it holds, to another one, with
// filters, as a checkout would. The user's index is only read. If a file differs from now, nothing
// is written, and it returns an error. Where git fails later, or ctx is done, some files are those
// of the other tree. Those of was, the changed files of now, that are missing then are written as
// they are in now. The error names each that cannot be, up to mostSingly, as where another file is
// in its way. Three processes, mostly.
func (r *Repo) RestoreWorktree(ctx context.Context, now, to OID, was []Path) error {
	temp, err := r.TempDir()
	if err != nil {
		return err
	}
	defer temp.Remove()
	index := filepath.Join(temp.Dir, "index")
	if err := r.CopyIndex(r.IndexFile, index); err != nil { // its time stamps save reading unchanged files
		return err
	}
	refused := r.restore(ctx, index, now, to)
	// Done; or nothing that git said, and so nothing that it wrote.
	if !errors.As(refused, new(*Error)) {
		return refused
	}
	if ctx.Err() == nil {
		// git keeps marks of the user's index, as of `git add -N`, and takes such files for changed
		// ones. An index of the tree alone has none: it tells whether they are.
		if err := os.Remove(index); err != nil {
			return err
		}
		if r.restore(ctx, index, now, to) == nil {
			return nil
		}
	}
	// A new index: that of a process that was ended may be locked.
	return errors.Join(refused, r.addMissing(context.WithoutCancel(ctx), filepath.Join(temp.Dir, "now"), now, was))
}

// mostSingly is how many missing files are written by a process each, where one for all fails.
const mostSingly = 1000

// addMissing writes those of some files of a tree that the worktree lacks.
func (r *Repo) addMissing(ctx context.Context, index string, tree OID, files []Path) error {
	if err := r.readTree(ctx, index, nil, string(tree)); err != nil {
		return err
	}
	missing, err := r.missing(ctx, index, files)
	if err != nil || len(missing) == 0 || r.checkOutFiles(ctx, index, missing) == nil {
		return err
	}
	// Some may be written by now: the next step takes a process for each.
	if missing, err = r.missing(ctx, index, missing); err != nil {
		return err
	}
	// git ends at the first file that it can't write, or names only the directory.
	var failed []error
	for one := range slices.Chunk(missing[:min(len(missing), mostSingly)], 1) {
		if err := r.checkOutFiles(ctx, index, one); err != nil {
			failed = append(failed, fmt.Errorf("%s is missing: %w", one[0], err))
		}
	}
	if rest := missing[min(len(missing), mostSingly):]; len(rest) > 0 {
		failed = append(failed, r.checkOutFiles(ctx, index, rest))
	}
	return errors.Join(failed...)
}

// missing are those of some files of an index that the worktree lacks. git knows which ones are
// behind a symlink.
func (r *Repo) missing(ctx context.Context, index string, files []Path) (missing []Path, err error) {
	out, err := r.output(ctx, command{online: true, env: []string{"GIT_INDEX_FILE=" + index},
		args: []string{"diff-files", "-z", "--name-only", "--diff-filter=D", "--ignore-submodules=all"}})
	sought := map[Path]bool{}
	for _, path := range files {
		sought[path] = true
	}
	for name := range strings.SplitSeq(string(out), "\x00") {
		if sought[Path(name)] {
			missing = append(missing, Path(name))
		}
	}
	return missing, err
}

// checkOutFiles writes files of an index that the worktree lacks.
func (r *Repo) checkOutFiles(ctx context.Context, index string, files []Path) error {
	var names strings.Builder
	for _, path := range files {
		names.WriteString(string(path) + "\x00")
	}
	_, err := r.output(ctx, command{online: true, env: []string{"GIT_INDEX_FILE=" + index}, stdin: strings.NewReader(names.String()),
		args: []string{"-c", "core.sparseCheckout=false", "checkout-index", "-q", "-z", "--stdin"}})
	return err
}

// restore is RestoreWorktree with a scratch index. It restores all files, also outside of a sparse
// checkout's patterns: the user may have had some there.
func (r *Repo) restore(ctx context.Context, index string, now, to OID) error {
	whole := []string{"-c", "core.sparseCheckout=false"}
	// With -i the index alone is set to the tree that the worktree has, with the time stamps of
	// entries that are the same.
	if err := r.readTree(ctx, index, whole, "-i", "-m", string(now)); err != nil {
		return err
	}
	return r.checkOut(ctx, index, whole, now, to)
}

// MoveWorktree moves the index and the worktree from HEAD's tree to another one, as `git reset
// --keep` would: uncommitted changes are kept in files that the trees have in common, and are an
// error in others; then nothing is written. With dry set nothing is ever written. Two processes.
func (r *Repo) MoveWorktree(ctx context.Context, head, to OID, dry bool) error {
	if !dry {
		return r.checkOut(ctx, r.IndexFile, nil, head, to)
	}
	temp, err := r.TempDir()
	if err != nil {
		return err
	}
	defer temp.Remove()
	index := filepath.Join(temp.Dir, "index")
	if err := r.CopyIndex(r.IndexFile, index); err != nil {
		return err
	}
	return r.checkOut(ctx, index, nil, head, to, "-n")
}

func (r *Repo) checkOut(ctx context.Context, index string, config []string, from, to OID, more ...string) error {
	// git update-index exits with 1 where a file is not as the index says, which read-tree finds
	// out.
	if _, err := r.output(ctx, command{accept: 1, env: []string{"GIT_INDEX_FILE=" + index},
		args: []string{"update-index", "-q", "--refresh"}}); err != nil {
		return err
	}
	return r.readTree(ctx, index, config, append(more, "-m", "-u", string(from), string(to))...)
}

func (r *Repo) readTree(ctx context.Context, index string, config []string, args ...string) error {
	_, err := r.output(ctx, command{online: true, env: []string{"GIT_INDEX_FILE=" + index},
		args: append(append(slices.Clone(config), "read-tree"), args...)})
	return err
}

// Switch switches to a branch as the user's own `git switch` would: it keeps uncommitted changes or
// refuses, with git's message, and runs the user's post-checkout hook. With guess it makes a branch
// of the only remote that has one of that name. One process.
func (r *Repo) Switch(ctx context.Context, branch string, guess bool) error {
	how := "--no-guess"
	if guess {
		how = "--guess"
	}
	_, err := r.output(ctx, command{online: true, args: []string{"switch", how, branch}})
	return err
}
