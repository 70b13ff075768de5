package githooks

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"entire-plumb/gitexec"
	"entire-plumb/internal/safefile"
)

// Repair is what Restore did, and what it could not do.
type Repair struct {
	Hooks []string // the hooks that are ours again
	// Missing are hooks that don't call us, and that only the user can change; each is named once.
	Missing []string
	// Elsewhere is set once if git takes its hooks from a directory that enable has not used, and
	// none of them calls us.
	Elsewhere bool
}

// Problem says which hooks don't run this program, of those that only the user can repair; empty:
// none. dir is the directory that git takes its hooks from.
func (r Repair) Problem(dir string) string {
	switch {
	case r.Elsewhere:
		return "git takes its hooks from " + gitexec.Harmless(dir) + " (core.hooksPath), and none there calls entire-plumb: " +
			"commits get no link in their message, and pushes take no checkpoints along"
	case len(r.Missing) > 0:
		return "some of git's hooks don't call entire-plumb: " + strings.Join(r.Missing, ", ")
	}
	return ""
}

// Silent are the hooks that don't run this program, though Enable has installed hooks here: all of
// them are Missing, be they repairable or not. There are none where the entire CLI's hooks are. It
// changes nothing, reads a few small files, and starts no process.
func Silent(shared, dir string) (found Repair) {
	r, err := readRecord(shared)
	if err != nil || r.Exe == "" {
		return found
	}
	changed, err := r.changed(dir)
	if err != nil || len(changed) == 0 || r.besideEntire(dir) {
		return found
	}
	for _, h := range changed {
		found.Missing = append(found.Missing, h.Name)
	}
	found.Elsewhere = !r.used(dir) && len(changed) == len(Names)
	return found
}

// Ours reports whether what is recorded in a repository is by this program: git's hooks call it, or
// Enable has installed some, and another program has only taken their place. Else sessions and
// streams may be those of the entire CLI, which has the same names for them.
func Ours(shared, dir string) bool {
	all, err := State(dir, "")
	if err == nil && slices.ContainsFunc(all, func(h Hook) bool { return h.State.Calls() }) {
		return true
	}
	r, err := readRecord(shared)
	return err == nil && r.Exe != "" && !r.besideEntire(dir)
}

// besideEntire reports whether hooks of the entire CLI are in a directory, or in one that Enable
// has used.
func (r record) besideEntire(dir string) bool {
	return slices.ContainsFunc(append([]directory{{Path: dir}}, r.Dirs...), func(d directory) bool {
		theirs, mixed, err := Beside(d.Path)
		return err == nil && len(theirs)+len(mixed) > 0
	})
}

// Restore installs again the hooks that somebody deleted or overwrote since Enable, in the
// directories that it has used. shared is Enable's directory, dir the hooks directory that git uses
// now, top the worktree. It reads a few small files where nothing has changed, and starts no
// process.
func Restore(ctx context.Context, shared, dir, top string) (done Repair, err error) {
	r, err := readRecord(shared)
	if err != nil || r.Exe == "" {
		return done, err
	}
	if changed, err := r.changed(dir); err != nil || len(changed) == 0 && len(r.Said) == 0 {
		return done, err
	}
	unlock, err := lockRecord(ctx, shared)
	if err != nil {
		return done, err
	}
	defer unlock()
	if r, err = readRecord(shared); err != nil || r.Exe == "" { // disabled just now
		return done, err
	}
	return r.restore(shared, dir, top)
}

// restore is Restore with the lock held.
func (r record) restore(shared, dir, top string) (done Repair, err error) {
	changed, err := r.changed(dir)
	if err != nil {
		return done, err
	}
	var missing []string
	elsewhere := !r.used(dir)
	for _, h := range changed {
		if elsewhere || !h.restorable(top) {
			missing = append(missing, h.Name)
			continue
		}
		if err := r.installAgain(h, dir); err != nil {
			return done, err
		}
		done.Hooks = append(done.Hooks, h.Name)
	}
	said := make([]string, 0, len(missing))
	for _, name := range missing {
		said = append(said, filepath.Join(dir, name))
	}
	if slices.Equal(said, r.Said) {
		return done, nil
	}
	if done.Elsewhere = elsewhere && len(missing) == len(Names); !done.Elsewhere {
		done.Missing = missing
	}
	r.Said = said
	return done, r.write(shared)
}

func (r record) installAgain(h Hook, dir string) error {
	if err := safefile.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if _, err := install(h, r.Exe); err != nil {
		return err
	}
	_, err := h.dropCopies()
	return err
}

// Restorable are the hooks that Restore would install, of those that are not as Enable left them.
func Restorable(shared, dir, top string) []string {
	r, err := readRecord(shared)
	if err != nil || r.Exe == "" || !r.used(dir) {
		return nil
	}
	changed, err := r.changed(dir)
	if err != nil {
		return nil
	}
	var names []string
	for _, h := range changed {
		if h.restorable(top) {
			names = append(names, h.Name)
		}
	}
	return names
}

// changed are the hooks that do not run this program, or not as Enable left them. A directory that
// is none, as /dev/null, has none that do.
func (r record) changed(dir string) (changed []Hook, err error) {
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		for _, name := range Names {
			changed = append(changed, Hook{Name: name, State: Managed})
		}
		return changed, nil
	}
	all, err := inspectAll(dir, r.Exe)
	if err != nil {
		return nil, err
	}
	for _, h := range all {
		switch h.State {
		case Current, Chained, Manual, Edited:
		case Outdated: // for another program it was installed by another enable
			if h.Exe == r.Exe {
				changed = append(changed, h)
			}
		default:
			changed = append(changed, h)
		}
	}
	return changed, nil
}

// restorable reports whether nothing is lost if a hook is installed again. pre-commit's chains of
// former versions are for enable. So is a hook of others in a directory of the worktree: git itself
// may have checked it out, and would do so again.
func (h Hook) restorable(top string) bool {
	name, err := filepath.Rel(top, h.Path)
	checkedOut := err == nil && filepath.IsLocal(name) && !strings.HasPrefix(filepath.ToSlash(name), ".git/")
	return h.State != Managed && !h.tangled && !(h.State == Foreign && checkedOut) && installable(h) == nil
}
