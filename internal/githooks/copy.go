package githooks

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"entire-plumb/internal/safefile"
)

// Hook managers move a hook that stands where theirs goes: lefthook to NAME.old, pre-commit to
// NAME.legacy, overcommit to old-hooks/NAME. lefthook fails when NAME.old is there already, and all
// of them give the hook its name back when they are uninstalled, be it years after our disable.
const (
	oldSuffix  = ".old"
	oldHookDir = "old-hooks"
)

// replaceable is a line of the stub in front of lefthook's hook. lefthook takes a file with this
// word in it for its own: it replaces it by its hook and removes it with its hooks, as it would if
// its own hook stood there, rather than moving it to NAME.old, where there may be a hook of the
// user's.
const replaceable = "# LEFTHOOK may replace this file: the hook behind it is lefthook's\n"

// ofLefthook reports whether a hook's text is lefthook's, which lefthook can write again.
func ofLefthook(body string) bool {
	return strings.Contains(body, "LEFTHOOK") && strings.Contains(body, "call_lefthook run ")
}

// keptByLefthook reports whether lefthook's hook stands in front of an older one of its own.
func (h Hook) keptByLefthook() bool {
	if h.Kept == "" || !h.lefthook {
		return false
	}
	kept, err := look(h.Kept)
	return err == nil && kept.mode.IsRegular() && ofLefthook(kept.body)
}

// asideForLefthook is where the kept hook goes when lefthook's hook stands in our place: lefthook
// would have put it there if our stub had not been in front of it. Empty: nowhere, as there is no
// such hook, or another one has the name.
func asideForLefthook(h Hook) (string, error) {
	if h.State != Foreign || !h.lefthook || h.Kept == "" || h.keptByLefthook() {
		return "", nil
	}
	old := h.Path + oldSuffix
	now, err := look(old)
	if err != nil || now.there && (!isStub(h.Name, now) || h.runBy(old) != "") {
		return "", err
	}
	return old, nil
}

// isStub reports whether a file is exactly a stub of ours.
func isStub(name string, now found) bool {
	_, ours := parseStub(name, now.body)
	return ours && now.mode.IsRegular()
}

// copiesAside are the stubs of ours that lefthook or pre-commit moved, and that neither runs.
func copiesAside(path, name string) (copies []string, err error) {
	for _, aside := range []string{path + oldSuffix, path + legacySuffix} {
		now, err := look(aside)
		if err != nil {
			return nil, err
		}
		if isStub(name, now) {
			copies = append(copies, aside)
		}
	}
	return copies, nil
}

// movedByManager are stubs of ours that are good while we are enabled: overcommit gives its place
// back to the one that it has put aside, and another program's hook may run the other.
func movedByManager(h Hook) (files []string) {
	for _, aside := range []string{filepath.Join(filepath.Dir(h.Path), oldHookDir, h.Name), keptPath(h)} {
		if now, err := look(aside); err == nil && isStub(h.Name, now) && !slices.Contains(h.copies, aside) && !slices.Contains(h.used, aside) {
			files = append(files, aside)
		}
	}
	return files
}

// findRuns finds out whether a foreign hook runs the hook that is named as those are that we keep.
// Behind ours, under that name, it would run itself without end. If what it runs, under that name
// or another, is our stub, we are called.
func (h *Hook) findRuns(f theirs) {
	h.runsKept = f.runs(h.Name, keptPath(*h)) != ""
	for _, file := range h.copies {
		if line := f.runs(h.Name, file); line != "" {
			h.State, h.Line = Manual, line
			return
		}
	}
}

// findUse finds out whether a foreign hook may run a stub of ours that somebody has put beside it.
// Under another name than its own it might not find that one.
func (h *Hook) findUse(f theirs) {
	for _, file := range safefile.Glob(filepath.Dir(h.Path), h.Name+".*") {
		now, err := look(file)
		if err != nil || !isStub(h.Name, now) || !f.mayRun(h.Name, file) {
			continue
		}
		if h.State = Manual; !slices.Contains(h.used, file) {
			h.used = append(h.used, file)
		}
	}
}

// dropCopies removes the copies that are still stubs of ours.
func (h Hook) dropCopies() (done []Change, err error) {
	for _, file := range h.copies {
		now, err := look(file)
		if err != nil {
			return done, err
		}
		if !isStub(h.Name, now) { // it got another hook just now: see asideForLefthook
			continue
		}
		if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return done, hinted("remove a copy of our hook", err)
		}
		if dir := filepath.Dir(file); filepath.Base(dir) == oldHookDir {
			_ = os.Remove(dir) // if it is empty
		}
		done = append(done, Change{Name: h.Name, Path: file, Before: h.State, Action: Dropped})
	}
	return done, nil
}
