package settings

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"entire-plumb/gitexec"
	"entire-plumb/internal/safefile"
)

// confirmed is a file of settings as the user has confirmed it.
type confirmed struct {
	File   string `json:"file"`
	SHA256 string `json:"sha256"`
}

// seen is the local file as it was when git last said that it doesn't track it. As long as its stat
// data is the same, git need not be asked again, which would cost each hook a process.
type seen struct {
	Stat   string `json:"stat"`
	SHA256 string `json:"sha256"`
}

const (
	mostPrivate   = 1 << 20 // bytes of a private file
	mostConfirmed = 100     // contents that are remembered
)

func confirmedFile(repo *gitexec.Repo) string {
	return filepath.Join(repo.SharedDir(), "trusted-settings.json")
}

func seenFile(repo *gitexec.Repo) string {
	return filepath.Join(repo.PrivateDir(), "local-settings.json")
}

// distrust says why a file's weakening values don't count; empty: they do.
func distrust(ctx context.Context, repo *gitexec.Repo, top, name, sum string) string {
	all, _ := readFile[[]confirmed](confirmedFile(repo))
	if slices.ContainsFunc(all, func(c confirmed) bool { return c.SHA256 == sum }) {
		return ""
	}
	if name == shared {
		return "others can commit this file, and you have not confirmed its current content"
	}
	if top != repo.Top {
		return "it is the main worktree's, and you have not confirmed its current content"
	}
	file := Dir + "/" + name
	if nested(top, file) {
		return "it belongs to a nested repository, which others can commit to"
	}
	return distrustLocal(ctx, repo, file, sum)
}

// distrustLocal says why the values of a file of this worktree don't count: git tracks it, or a
// link on the way to it; empty: they do.
func distrustLocal(ctx context.Context, repo *gitexec.Repo, file, sum string) string {
	stat, known := safefile.StatData(filepath.Join(repo.Top, filepath.FromSlash(file)))
	now := seen{stat, sum}
	if last, _ := readFile[seen](seenFile(repo)); known && last == now {
		return ""
	}
	real, links, err := safefile.Inside(repo.Top, file)
	if err != nil {
		return err.Error()
	}
	if below, err := filepath.Rel(repo.Top, real); err == nil {
		links = append(links, filepath.ToSlash(below))
	}
	tracked, err := repo.Tracked(ctx, append(links, file)...)
	switch {
	case err != nil:
		return "it is unknown whether git tracks this file: " + err.Error()
	case len(tracked) > 0:
		return "git tracks this file, others can commit it, and you have not confirmed its current content"
	}
	_ = write(seenFile(repo), now) // else git is asked again
	return ""
}

// Confirm makes what was ignored count, as long as the files stay as they were.
func Confirm(repo *gitexec.Repo, ignored []Ignored) error {
	all, _ := readFile[[]confirmed](confirmedFile(repo))
	for _, i := range ignored {
		if c := (confirmed{i.File, i.sum}); !slices.Contains(all, c) {
			all = append(all, c)
		}
	}
	return write(confirmedFile(repo), all[max(0, len(all)-mostConfirmed):])
}

// Forget takes back what was confirmed, and reports whether there was anything.
func Forget(repo *gitexec.Repo) (bool, error) {
	err := os.Remove(confirmedFile(repo))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// readFile reads a private file, if there is one.
func readFile[T any](file string) (T, error) {
	v, err := safefile.ReadPrivate[T](file, mostPrivate)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return v, err
}

func write(file string, v any) error {
	if err := safefile.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	return safefile.WritePrivate(file, v)
}

func hash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// nested reports whether a file, or what a link to it leads to, lies in another repository inside
// the worktree, as a submodule.
func nested(top, file string) bool {
	real, err := filepath.EvalSymlinks(filepath.Join(top, filepath.FromSlash(file)))
	if err != nil {
		real = filepath.Join(top, filepath.FromSlash(file))
	}
	if resolved, err := filepath.EvalSymlinks(top); err == nil {
		top = resolved
	}
	for dir := filepath.Dir(real); dir != top && strings.HasPrefix(dir, top); dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return true
		}
	}
	return false
}
