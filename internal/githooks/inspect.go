package githooks

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"entire-plumb/internal/safefile"
)

// maxRead bounds how much of a hook is read; a stub is far shorter, and what
// calls us by hand does so in a script.
const maxRead = 1 << 20

func inspectAll(dir, exe string) ([]Hook, error) {
	if !filepath.IsAbs(dir) {
		return nil, fmt.Errorf("hooks directory %q is not an absolute path\nhint: resolve it against the repository first", dir)
	}
	info, err := os.Stat(dir)
	switch {
	case err == nil && !info.IsDir():
		return nil, fmt.Errorf("hooks directory %s is not a directory\nhint: check core.hooksPath", dir)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("look at the hooks directory: %w", err)
	}
	hooks := make([]Hook, 0, len(Names))
	for _, name := range Names {
		h, err := inspect(filepath.Join(dir, name), name, exe)
		if err != nil {
			return nil, err
		}
		hooks = append(hooks, h)
	}
	return hooks, nil
}

func inspect(path, name, exe string) (Hook, error) {
	h := Hook{Name: name, Path: path}
	if _, err := os.Lstat(path + keptSuffix); err == nil {
		h.Kept = path + keptSuffix
	} else if !errors.Is(err, fs.ErrNotExist) {
		return h, fmt.Errorf("look at the kept hook: %w", err)
	}
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		h.State = Absent
		return h, nil
	}
	if err != nil {
		return h, fmt.Errorf("look at the hook: %w", err)
	}
	body, err := read(path)
	if err != nil {
		return h, err
	}
	h.State, h.Exe = classify(h, info.Mode(), body, exe)
	return h, nil
}

// classify decides how a hook stands from what was read of it.
func classify(h Hook, mode fs.FileMode, body, exe string) (Standing, string) {
	// We write regular files; a link to one of ours is someone's arrangement.
	if found, ok := parseStub(h.Name, body); ok && mode.IsRegular() {
		return standing(h, mode, body, exe, found), found
	}
	switch {
	case strings.Contains(body, marker) && mode.IsRegular():
		return Edited, ""
	case callsUs(h.Name, body):
		return Manual, ""
	}
	return Foreign, ""
}

// standing tells a stub that is as Install would write it from one that isn't.
func standing(h Hook, mode fs.FileMode, body, exe, found string) Standing {
	if exe == "" {
		exe = found
	}
	switch {
	case body != stub(h.Name, exe, h.Kept != ""), mode&0o100 == 0:
		return Outdated
	case h.Kept != "":
		return Chained
	}
	return Current
}

// read gives a hook's text; what can't be read as text (a dangling link, a
// directory, no permission) is empty and thereby foreign.
func read(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return "", nil
	}
	f, err := safefile.Open(path)
	if errors.Is(err, fs.ErrPermission) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("read the hook: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxRead))
	if err != nil {
		return "", fmt.Errorf("read the hook %s: %w", path, err)
	}
	return string(data), nil
}
