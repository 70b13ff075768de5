// Package repositories keeps a list of the directories in which this user has enabled recording.
package repositories

// The list is a file of the user's, with a directory on each line, as a JSON string. Hooks neither
// read nor write it.

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"entire-plumb/internal/lock"
	"entire-plumb/internal/safefile"
)

const (
	mostBytes  = 4 << 20
	mostListed = 10_000
)

// File is where the list is; empty where the user has no home directory.
func File(getenv func(string) string) string {
	dir := getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(dir) {
		home := getenv("HOME")
		if !filepath.IsAbs(home) {
			return ""
		}
		if _, err := os.Stat(home); err != nil {
			return ""
		}
		dir = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(dir, "entire-plumb", "repositories")
}

// List are the directories on the list, the last one added first.
func List(file string) ([]string, error) {
	if file == "" {
		return nil, nil
	}
	data, err := safefile.ReadOwn(file, mostBytes)
	if os.IsNotExist(err) || errors.Is(err, syscall.ENOTDIR) {
		return nil, nil
	}
	return parse(string(data)), err
}

// parse reads a list. Lines that are no absolute path are passed over.
func parse(text string) (dirs []string) {
	for line := range strings.Lines(text) {
		var dir string
		if json.Unmarshal([]byte(line), &dir) == nil && filepath.IsAbs(dir) && !slices.Contains(dirs, dir) && len(dirs) < mostListed {
			dirs = append(dirs, dir)
		}
	}
	slices.Reverse(dirs)
	return dirs
}

// Add puts a directory on the list, if it isn't there.
func Add(ctx context.Context, file, dir string) error {
	return change(ctx, file, func(dirs []string) []string {
		if slices.Contains(dirs, dir) {
			return dirs
		}
		return append([]string{dir}, dirs...)
	})
}

// Remove takes a directory off the list.
func Remove(ctx context.Context, file, dir string) error {
	if _, err := os.Lstat(file); file == "" || err != nil {
		return nil
	}
	return change(ctx, file, func(dirs []string) []string {
		return slices.DeleteFunc(dirs, func(one string) bool { return one == dir })
	})
}

func change(ctx context.Context, file string, edit func([]string) []string) error {
	if file == "" {
		return nil
	}
	unlock, err := lock.Take(ctx, file+"-lock")
	if err != nil {
		return err
	}
	defer unlock()
	before, err := List(file)
	if err != nil {
		return err
	}
	after := edit(slices.Clone(before))
	if slices.Equal(before, after) {
		return nil
	}
	slices.Reverse(after)
	var b strings.Builder
	for _, dir := range after {
		line, err := json.Marshal(dir)
		if err != nil {
			return err
		}
		b.Write(append(line, '\n'))
	}
	return safefile.Write(file, []byte(b.String()), 0o600)
}
