package githooks

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"entire-plumb/internal/safefile"
)

// installable says why a hook can't be installed, before anything is changed.
func installable(h Hook) error {
	if h.State == Entire {
		return fmt.Errorf("install hook %s: %w: %s\nhint: entire-plumb enable --take-over", h.Name, ErrEntire, h.Path)
	}
	if h.State != Foreign {
		return nil
	}
	if h.runsKept {
		return fmt.Errorf("install hook %s: %w: %s runs %s, and would run itself if it had that name\n"+
			"hint: delete it, or call `entire-plumb hooks git %s \"$@\"` in it", h.Name, ErrConflict, h.Path, filepath.Base(keptPath(h)), h.Name)
	}
	if kept := keptPath(h); slices.Contains(h.used, kept) {
		return fmt.Errorf("install hook %s: %w: %s may run %s, which is a stub of ours\nhint: rename it, or call `entire-plumb hooks git %s \"$@\"` in %s",
			h.Name, ErrConflict, h.runBy(kept), kept, h.Name, h.Path)
	}
	again, err := keptAgain(h)
	if err != nil || again {
		return err
	}
	if aside, err := asideForLefthook(h); err != nil || aside != "" || h.keptByLefthook() {
		return err
	}
	if h.Kept != "" {
		return fmt.Errorf("install hook %s: %w: %s is not ours, and %s holds an older hook already\n"+
			"hint: merge the two or delete the one you don't need, then try again; or call `entire-plumb hooks git %s \"$@\"` in %s yourself",
			h.Name, ErrConflict, h.Path, h.Kept, h.Name, h.Path)
	}
	return nil
}

// keptAgain reports whether the hook that is kept aside stands under its own name as well, byte for
// byte, as when a hook manager has put it back: then nothing is lost if ours takes its place once
// more.
func keptAgain(h Hook) (bool, error) {
	if h.Kept == "" {
		return false, nil
	}
	var bodies [2]string
	for i, path := range []string{h.Path, h.Kept} {
		info, err := os.Lstat(path)
		if err != nil || !info.Mode().IsRegular() || info.Size() >= maxRead {
			return false, err
		}
		if bodies[i], err = read(path); err != nil || bodies[i] == "" {
			return false, err
		}
	}
	return bodies[0] == bodies[1], nil
}

// install brings one hook, looked at by inspect, to Current or Chained.
func install(h Hook, exe string) (Change, error) {
	c := Change{Name: h.Name, Path: h.Path, Before: h.State, Kept: h.Kept, Manager: h.Manager, File: h.File, Line: h.Line}
	switch h.State {
	case Current, Chained:
		c.Action = Unchanged
		return c, nil
	case Edited, Manual:
		c.Action = Left
		if h.File != "" { // husky calls us, as Install asked for
			c.Action = Unchanged
		}
		return c, nil
	case Managed:
		c.Action, c.Line = Wanted, Line(h.Name)
		return c, nil
	case Outdated:
		c.Action = Updated
		return c, replace(h.Path, h.stub(exe))
	case Foreign:
		c.Action, c.Kept = KeptAside, keptPath(h)
		return c, installBefore(h, exe)
	}
	// Absent. A kept hook without ours is what is left of a run that was killed
	// between its two renames, or of a stub that was deleted: it is chained.
	c.Action = Installed
	return c, replace(h.Path, h.stub(exe))
}

// installBefore keeps a foreign hook aside, and chains it behind ours.
func installBefore(h Hook, exe string) error {
	again, err := keptAgain(h)
	if err != nil {
		return err
	}
	aside, err := asideForLefthook(h)
	if err != nil {
		return err
	}
	if aside != "" {
		if err := hinted("keep the older hook as "+aside, os.Rename(h.Kept, aside)); err != nil {
			return err
		}
	}
	if h.Kept = keptPath(h); again {
		return replace(h.Path, h.stub(exe))
	}
	return keepAndReplace(h.Path, h.Kept, h.stub(exe))
}

// keptPath is where a hook goes that stands in the place of ours: a stub looks for it there under
// whatever name it runs itself.
func keptPath(h Hook) string { return filepath.Join(filepath.Dir(h.Path), h.Name+keptSuffix) }

// untangle puts pre-commit's hook in front of ours, where it was kept behind: in its own place. If
// another one stands there, as after an update of pre-commit, it is put aside as NAME.old.
func untangle(h Hook) error {
	front := filepath.Join(filepath.Dir(h.Path), h.Name)
	if front != h.Path {
		same, err := keptAgain(Hook{Path: front, Kept: keptPath(h)})
		if err != nil {
			return err
		}
		if old := front + oldSuffix; !same {
			if now, err := look(old); err != nil || now.there {
				return cmp.Or(err, fmt.Errorf("put pre-commit's former hook aside: %w: %s is there\nhint: delete it or %s, then try again",
					ErrConflict, old, keptPath(h)))
			}
			front = old
		}
	}
	err := os.Rename(keptPath(h), front)
	if errors.Is(err, fs.ErrNotExist) { // another of us did it just now
		return nil
	}
	return hinted("give pre-commit's hook its place back", err)
}

// keepAndReplace renames a foreign hook aside and puts body in its place.
func keepAndReplace(path, kept, body string) error {
	if err := hinted("keep the present hook as "+kept, os.Rename(path, kept)); err != nil {
		return err
	}
	if err := replace(path, body); err != nil {
		return errors.Join(err, os.Rename(kept, path))
	}
	return nil
}

// replace writes body beside path and renames it there, so that git never
// starts half a stub. The mode is 0755 less the umask, but never not executable.
func replace(path, body string) error {
	if err := safefile.Write(path, []byte(body), 0o755); err != nil {
		return fmt.Errorf("write the hook %s: %w\nhint: check the permissions of the hooks directory and the space left", path, err)
	}
	return nil
}

// remove takes one stub out; a kept hook takes its name back in the same rename.
func remove(h Hook) (Change, error) {
	c := Change{Name: h.Name, Path: h.Path, Before: h.State, Kept: h.Kept, Manager: h.Manager, File: h.File, Line: h.Line}
	if h.tangled && h.Kept == "" {
		if err := untangle(h); err != nil {
			return c, err
		}
	}
	switch {
	case h.State == Entire:
		return removeBeside(h)
	case h.State == Managed:
		c.Action = Unchanged
		return c, nil
	case h.State != Absent && !h.State.ours():
		c.Action = Left
		return c, nil
	}
	if back, err := giveBack(h); err != nil || back {
		c.Action = GivenBack
		return c, err
	}
	err := c.takeOut(h)
	return c, err
}

// takeOut removes a stub, if it is there, or gives its name to the hook that it runs.
func (c *Change) takeOut(h Hook) error {
	switch {
	case h.Kept != "":
		c.Action = Restored
		return hinted("give the kept hook its name back", os.Rename(h.Kept, h.Path))
	case h.State == Absent:
		c.Action = Unchanged
	case h.runInPlace() != "":
		c.Action, c.File = Needed, h.runInPlace()
	default:
		c.Action = Removed
		return hinted("remove our hook", os.Remove(h.Path))
	}
	return nil
}

// hinted is the error of a change in the hooks directory; nil if there was none.
func hinted(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w\nhint: check the permissions of the hooks directory", what, err)
}
