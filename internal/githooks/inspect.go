package githooks

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

	"entire-plumb/internal/safefile"
)

// maxRead bounds how much of a hook is read; a stub is far shorter, and what
// calls us by hand does so in a script.
const maxRead = 1 << 20

// inspectAll looks at the hooks of a directory; more are other directories with hooks that may run
// them.
func inspectAll(dir, exe string, more ...string) ([]Hook, error) {
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
	others := sync.OnceValue(func() []theirs { return filesOfOthers(append([]string{dir}, more...)...) })
	for _, name := range Names {
		h, err := inspect(filepath.Join(dir, name), name, exe, others)
		if err != nil {
			return nil, err
		}
		hooks = append(hooks, h)
	}
	return hooks, nil
}

func inspect(path, name, exe string, others func() []theirs) (Hook, error) {
	h := Hook{Name: name, Path: path, others: others}
	kept, err := look(path + keptSuffix)
	if err != nil {
		return h, err
	}
	switch {
	case isStub(name, kept): // it would start our program a second time
		h.copies = append(h.copies, path+keptSuffix)
	case kept.there:
		h.Kept, h.lefthook = path+keptSuffix, ofLefthook(kept.body)
	}
	now, err := look(path)
	if err != nil {
		return h, err
	}
	if runsLegacy(now.body) {
		if h.tangled = runsLegacy(kept.body); h.tangled {
			h.Kept = ""
		}
		h.Path = path + legacySuffix
		if now, err = look(h.Path); err != nil {
			return h, err
		}
	} else if runsOwnFile(now.body) || huskyDir(filepath.Dir(path)) && !now.there {
		err := h.managedBy(Husky, ownFile(path))
		return h, err
	}
	copies, err := copiesAside(path, name)
	if err != nil {
		return h, err
	}
	if h.Path == path {
		h.copies = append(h.copies, copies...)
	}
	if h.classify(now, exe); h.State == Managed {
		err := h.managedBy(Overcommit, overcommitFile(filepath.Dir(path)))
		return h, err
	}
	h.settle(now, runsLegacy(kept.body))
	return h, nil
}

// managedBy makes it a hook manager's, which runs a file of the user's. That one may call us.
func (h *Hook) managedBy(manager, file string) error {
	h.State, h.Manager, h.File = Managed, manager, file
	own, err := look(file)
	if line, ok := callingLine(h.Name, own.body); ok {
		h.State, h.Line = Manual, line
	}
	return err
}

// settle decides what depends on other files: on those that a hook runs or that run it, and on
// whether the one that was kept aside is pre-commit's.
func (h *Hook) settle(now found, keptLegacy bool) {
	if h.State == Foreign {
		h.lefthook = ofLefthook(now.body)
		h.findRuns(theirsAt(h.Path, now))
	}
	h.copies, h.used = h.unused(h.copies)
	if h.State == Foreign {
		f := theirsAt(h.Path, now)
		if h.findUse(f); h.State == Foreign && !h.lefthook && f.readsOwnName() {
			h.State, h.File = Managed, h.Path
		}
	}
	h.tangled = h.tangled || keptLegacy && (h.State.ours() || h.State == Absent)
	if h.State.ours() && (h.tangled || len(h.copies) > 0) {
		h.State = Outdated
	}
}

// found is what stands under a path.
type found struct {
	there bool
	mode  fs.FileMode
	body  string // see read
}

func look(path string) (found, error) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return found{}, nil
	}
	if err != nil {
		return found{}, fmt.Errorf("look at the hook: %w", err)
	}
	body, err := read(path)
	return found{true, info.Mode(), body}, err
}

// classify decides how a hook stands from what was found in its place.
func (h *Hook) classify(now found, exe string) {
	// We write regular files; a link to one of ours is someone's arrangement.
	program, ours := parseStub(h.Name, now.body)
	line, calls := callingLine(h.Name, now.body)
	switch {
	case !now.there:
		h.State = Absent
	case ours && now.mode.IsRegular():
		h.State, h.Exe = standing(*h, now, exe, program), program
	case strings.Contains(now.body, marker) && now.mode.IsRegular():
		h.State = Edited
	case calls:
		h.State, h.Line = Manual, line
	case OfEntire(now.body) && now.mode.IsRegular():
		h.State = Entire
	case namedBySelf(now.body):
		h.State = Managed
	default:
		h.State = Foreign
	}
}

// standing tells a stub that is as Install would write it from one that isn't.
func standing(h Hook, now found, exe, program string) Standing {
	if exe == "" {
		exe = program
	}
	switch {
	case now.body != h.stub(exe), now.mode&0o100 == 0:
		return Outdated
	case h.Kept != "":
		return Chained
	}
	return Current
}

// read returns a hook's text; what can't be read as text (a dangling link, a
// directory, no permission) is empty and thereby foreign.
func read(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return "", nil
	}
	f, err := safefile.Open(path)
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, fs.ErrNotExist) { // or another process renamed it just now
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
