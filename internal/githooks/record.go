package githooks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"entire-plumb/gitexec"
	"entire-plumb/internal/lock"
	"entire-plumb/internal/safefile"
)

// recordFile, in the program's directory inside the common git directory, is where enable notes
// what it installed. No clone brings it along: what it names is the user's own choice.
const (
	recordFile = "hooks.json"
	lockFile   = "hooks.lock"
	mostRecord = 1 << 20 // bytes
	mostDirs   = 100
)

// record is what enable installed.
type record struct {
	Exe string `json:"exe"` // the program that the stubs start
	// Repository is the shared git directory in which enable wrote this, without symbolic links. It
	// is another one in a copy of a repository, and in one that was moved.
	Repository string `json:"repository,omitempty"`

	Dirs []directory `json:"directories"`    // the hooks directories that enable has used, the last one last
	Said []string    `json:"said,omitempty"` // what the user was notified of that only they can repair
}

type directory struct {
	Path string `json:"path"`
	Real string `json:"real"` // without symbolic links
}

// readRecord reads the record in a directory; without one it is empty.
func readRecord(shared string) (r record, err error) {
	r, err = safefile.ReadPrivate[record](filepath.Join(shared, recordFile), mostRecord)
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err != nil || !filepath.IsAbs(r.Exe) {
		return record{}, err
	}
	here, err := repositoryOf(shared)
	if r.Repository != here { // what another repository's enable has used is not this one's
		r.Dirs = slices.DeleteFunc(r.Dirs, func(d directory) bool { return gitexec.CommonDirAt(d.Path) != here })
	}
	return r, err
}

// repositoryOf is the shared git directory with our directory, which may be missing.
func repositoryOf(shared string) (string, error) { return filepath.EvalSymlinks(filepath.Dir(shared)) }

// ofAnother reports whether a hooks directory is in another repository that is enabled by itself:
// our stubs there are its own, also where git runs them in this one.
func ofAnother(shared, dir string) bool {
	here, err := repositoryOf(shared)
	common := gitexec.CommonDirAt(dir)
	return err == nil && common != "" && common != here && exists(filepath.Join(common, filepath.Base(shared), recordFile))
}

func (r record) write(shared string) error {
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return safefile.Write(filepath.Join(shared, recordFile), append(data, '\n'), 0o600)
}

// used reports whether enable has used a hooks directory, and it still is the same one. It may be
// missing.
func (r record) used(dir string) bool {
	real, err := realDir(dir)
	return err == nil && slices.Contains(r.Dirs, directory{dir, real})
}

// Used reports whether Enable has installed hooks in a directory.
func Used(shared, dir string) bool {
	r, err := readRecord(shared)
	return err == nil && r.used(dir)
}

// realDir is the path of a directory, which may be missing, without symbolic links.
func realDir(dir string) (string, error) {
	real, err := filepath.EvalSymlinks(dir)
	if !errors.Is(err, fs.ErrNotExist) {
		return real, err
	}
	if _, err := os.Lstat(dir); err == nil {
		return "", fmt.Errorf("%s is a symbolic link to nothing", dir)
	}
	parent, err := filepath.EvalSymlinks(filepath.Dir(dir))
	return filepath.Join(parent, filepath.Base(dir)), err
}

// Enable is Install, noted in the directory shared, so that Restore can repeat it and Disable finds
// it.
func Enable(ctx context.Context, shared, dir, exe string) ([]Change, error) {
	unlock, err := lockRecord(ctx, shared)
	if errors.Is(err, fs.ErrPermission) { // the hooks' own error says more
		if done, err := Install(dir, exe); err != nil {
			return done, err
		}
	}
	if err != nil {
		return nil, err
	}
	defer unlock()
	done, err := Install(dir, exe)
	if err != nil {
		if !exists(filepath.Join(shared, recordFile)) { // nothing is enabled
			_ = os.Remove(filepath.Join(shared, lockFile))
			_ = os.Remove(shared) // if it is empty
		}
		return done, err
	}
	r, err := readRecord(shared)
	if err != nil { // it is damaged
		r = record{}
	}
	return done, r.enable(shared, dir, exe)
}

// enable notes what Enable did, if that is not noted yet.
func (r record) enable(shared, dir, exe string) error {
	real, err := realDir(dir)
	if err != nil {
		return err
	}
	here, err := repositoryOf(shared)
	if err != nil || r.used(dir) && r.Exe == exe && r.Said == nil && r.Repository == here {
		return err
	}
	r.Repository = here
	r.Dirs = slices.DeleteFunc(r.Dirs, func(d directory) bool { return d.Path == dir })
	r.Exe, r.Dirs, r.Said = exe, append(r.Dirs, directory{dir, real}), nil
	if extra := len(r.Dirs) - mostDirs; extra > 0 { // those of worktrees that were removed long ago
		r.Dirs = r.Dirs[extra:]
	}
	return r.write(shared)
}

// Disable is Remove in the directory that git uses, and in each that Enable has used or that git
// would use without a hook manager; but not in another repository's, which a copy of that one
// names.
func Disable(ctx context.Context, shared, dir string, others ...string) (done []Change, err error) {
	if exists(shared) {
		unlock, err := lockRecord(ctx, shared)
		if err != nil && !errors.Is(err, fs.ErrPermission) { // the hooks' own error says more
			return nil, err
		}
		if err == nil {
			defer unlock()
		}
	}
	r, err := readRecord(shared)
	dirs, more := r.dirs(append([]string{dir}, others...))
	for i, d := range dirs {
		if slices.Contains(dirs[:i], d) {
			continue
		}
		if ofAnother(shared, d) {
			if i == 0 {
				done = append(done, Change{Path: d, Action: Others})
			}
			continue
		}
		removed, err2 := Remove(d, more...)
		if i > 0 {
			removed = slices.DeleteFunc(removed, func(c Change) bool { return c.Action == Left })
		}
		done, err = append(done, removed...), errors.Join(err, err2)
	}
	return done, errors.Join(err, forget(shared))
}

// forget removes the record.
func forget(shared string) (err error) {
	for _, name := range []string{recordFile, lockFile, goneFile} {
		if err2 := os.Remove(filepath.Join(shared, name)); !errors.Is(err2, fs.ErrNotExist) {
			err = errors.Join(err, err2)
		}
	}
	return err
}

// dirs are the directories to disable hooks in, those of the record behind others; more are all
// that may have hooks that run ours.
func (r record) dirs(dirs []string) (all, more []string) {
	for _, d := range r.Dirs {
		if r.used(d.Path) {
			dirs = append(dirs, d.Path)
		}
	}
	more = slices.Clone(dirs)
	for _, d := range dirs {
		if huskyDir(d) {
			more = append(more, filepath.Dir(d))
		}
	}
	return dirs, more
}

// lockRecord keeps others from changing hooks and record.
func lockRecord(ctx context.Context, shared string) (unlock func(), err error) {
	return lock.Take(ctx, filepath.Join(shared, lockFile))
}

func exists(file string) bool {
	_, err := os.Lstat(file)
	return err == nil
}
