// Package githooks installs our stubs into a hooks directory, and removes them; a foreign hook is
// never modified, at most renamed, and still runs first, as git would have run it.
package githooks

// The caller finds the directory (git rev-parse --git-path hooks, which knows core.hooksPath and
// linked worktrees); this package starts no process.

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"entire-plumb/internal/safefile"
)

// Names are the hooks that Install writes, in the order of all results.
var Names = []string{"prepare-commit-msg", "commit-msg", "post-commit", "post-rewrite", "post-merge", "pre-push"}

// RefusePush is the exit code by which `hooks git pre-push` refuses a push. No shell, signal,
// loader or Go runtime ends a process with it (1, 2, 126, 127, from 128 on), so that a program that
// only broke is not taken for one that refused.
const RefusePush = 87

// keptSuffix is what a foreign hook's name gets while ours stands in its place.
const keptSuffix = ".pre-entire"

// Standing is the state of a hook's file.
type Standing string

// Install makes hooks Current or Chained; Manual works as well. Install changes Absent, Outdated
// and Foreign hooks. Edited and Managed ones are for the user to change.
const (
	Absent   Standing = "absent"
	Current  Standing = "current"  // our stub, as Install would write it, alone
	Chained  Standing = "chained"  // the same, in front of a kept hook, which runs first
	Outdated Standing = "outdated" // our stub for another program path, of an older form, or not executable
	Edited   Standing = "edited"   // carries our marker, but is no stub we write: left alone
	Manual   Standing = "manual"   // a hook of someone else that calls us by itself: left alone
	Foreign  Standing = "foreign"  // a hook of someone else that doesn't call us
	Entire   Standing = "entire"   // the entire CLI's: Install refuses, TakeOver puts it aside
	Managed  Standing = "managed"  // the same, of a hook manager that finds its work by the hook's name: left alone
)

// Hook managers that run git's hooks by their own names, so that ours can't stand there.
const (
	Husky      = "husky"
	Overcommit = "overcommit"
)

// Calls reports whether a hook in this state runs our program.
func (s Standing) Calls() bool {
	return s.ours() || s == Edited || s == Manual
}

// ours reports whether the hook is a stub as this program writes it.
func (s Standing) ours() bool { return s == Current || s == Chained || s == Outdated }

// Hook is one hook and its state.
type Hook struct {
	Name  string
	Path  string // where ours stands or would; behind pre-commit's hook, where pre-commit itself would put it
	State Standing
	Exe   string // the program a stub of ours (Current, Chained, Outdated) starts; else empty
	Kept  string // path of the hook renamed aside, whether or not ours is there; empty when there is none
	// Manager is Husky or Overcommit, which has the hook; File is the user's own file that it
	// reads, where a line may call us.
	Manager, File string
	Line          string // the line that calls us, of a Manual hook

	tangled  bool     // the kept hook is pre-commit's, which belongs in front of ours
	lefthook bool     // the hook behind ours, or in its place, is lefthook's
	runsKept bool     // the hook in our place runs the one that is named as a kept hook of ours is
	copies   []string // files that are a stub of ours, put aside by somebody, and that nobody runs
	used     []string // the same, where another program's hook runs it, or may

	others func() []theirs // what may run our files
}

// Action is what was done to a hook.
type Action string

// The actions of Install and Remove.
const (
	Unchanged Action = "unchanged"  // nothing to do
	Installed Action = "installed"  // Install: a stub where there was none
	Updated   Action = "updated"    // Install: our older stub was replaced
	KeptAside Action = "chained"    // Install: a foreign hook was renamed to Kept, and our stub runs it first
	Removed   Action = "removed"    // Remove: our stub is gone
	Restored  Action = "restored"   // Remove: the kept hook has its name back
	GivenBack Action = "given back" // Remove: the entire CLI's hook has its name back
	Dropped   Action = "dropped"    // a copy of our stub that somebody had put aside is gone
	Others    Action = "others"     // Disable: the directory in Path is another repository's; not touched
	Needed    Action = "needed"     // Remove: a stub of ours that a hook of others, in File, runs; not touched
	Left      Action = "left"       // not touched; Before says why (edited, manual, foreign)
	Wanted    Action = "wanted"     // Install: not touched, as it is Managed; the user has to write Line into File
)

// Change is what Install or Remove did to one hook.
type Change struct {
	Name          string
	Path          string
	Before        Standing
	Kept          string // Install: where the old hook is now; Remove: where it was; empty when there is none
	Manager, File string // as Hook's
	Line          string // Left: the line that calls us, if it is known; Wanted: the line that would
	Action        Action
}

// ErrConflict is a foreign hook that cannot be renamed, because the new name exists.
var ErrConflict = errors.New("another hook is in the way")

// State returns the state of each of Names in dir (absolute; may be missing). exe
// is the program's absolute path, as for Install; with an empty exe a stub of
// the present form counts as current whatever program it starts.
func State(dir, exe string) ([]Hook, error) { return inspectAll(dir, exe) }

// Install makes every hook of Names in dir start the program at exe; both are
// absolute paths. dir is made when missing. All hooks are looked at before the
// first is changed, so that a conflict (ErrConflict) changes
// nothing. Edited, Manual and Managed hooks are left and reported.
func Install(dir, exe string) ([]Change, error) {
	if !filepath.IsAbs(exe) {
		return nil, fmt.Errorf("install hooks in %s: the program's path %q is not absolute\nhint: pass the path of the running program",
			dir, exe)
	}
	hooks, err := inspectAll(dir, exe)
	if err != nil {
		return nil, err
	}
	if err := prepareDir(dir, hooks); err != nil {
		return nil, err
	}
	var done []Change
	for _, h := range hooks {
		if h.tangled {
			if h, err = untangled(h, dir, exe); err != nil {
				return done, err
			}
		}
		c, err := install(h, exe)
		if err != nil {
			return done, err
		}
		done = append(done, c)
		dropped, err := h.dropCopies()
		if done = append(done, dropped...); err != nil {
			return done, err
		}
	}
	return done, nil
}

// prepareDir makes the hooks directory, if all hooks can be installed.
func prepareDir(dir string, hooks []Hook) error {
	for _, h := range hooks {
		if err := installable(h); err != nil {
			return err
		}
	}
	if !slices.ContainsFunc(hooks, func(h Hook) bool { return h.State == Absent }) {
		return nil // it is there, or husky makes it
	}
	if err := safefile.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("make the hooks directory %s: %w\nhint: check core.hooksPath and the directory's permissions", dir, err)
	}
	return nil
}

// untangled is a hook after untangle.
func untangled(h Hook, dir, exe string) (Hook, error) {
	if err := untangle(h); err != nil {
		return h, err
	}
	return inspect(filepath.Join(dir, h.Name), h.Name, exe, func() []theirs { return filesOfOthers(dir) })
}

// Remove removes our stubs from dir (absolute; may be missing), and gives kept hooks their names
// back. It removes only files that are exactly one of our stubs, and that no hook of others runs,
// there or in the other directories.
func Remove(dir string, more ...string) ([]Change, error) {
	hooks, err := inspectAll(dir, "", more...)
	if err != nil {
		return nil, err
	}
	var done []Change
	for _, h := range hooks {
		c, err := remove(h)
		if err != nil {
			return done, err
		}
		done = append(done, c)
		copies, used := h.unused(movedByManager(h))
		h.copies, h.used = append(h.copies, copies...), append(h.used, used...)
		for _, file := range h.used {
			done = append(done, Change{Name: h.Name, Path: file, Before: h.State, Action: Needed, File: h.runBy(file)})
		}
		dropped, err := h.dropCopies()
		if done = append(done, dropped...); err != nil {
			return done, err
		}
	}
	return done, nil
}
