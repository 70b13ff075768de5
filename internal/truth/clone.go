package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// checkElsewhere checks that a clone of what was pushed gives each line the same owner, and that
// the repository does when git has removed all that no ref and no reflog has.
func (w *world) checkElsewhere() {
	branches := w.list("for-each-ref", "--format=%(refname:short)", "refs/heads")
	branches = slices.DeleteFunc(branches, func(name string) bool { return strings.HasPrefix(name, "entire/") })
	here := w.ownersOf(branches, "")
	server := filepath.Join(w.dir, "server.git")
	w.must("init", "-q", "--bare", "--object-format="+w.ask("rev-parse", "--show-object-format"), server)
	refs := append(slices.Clone(branches), branch)
	if !w.asks("rev-parse", "-q", "--verify", "refs/heads/"+branch) {
		refs = branches
	}
	w.must(append([]string{"-c", "core.hooksPath=/dev/null", "push", "-q", server}, refs...)...)
	clone := newWorktree("clone", filepath.Join(w.dir, "clone"), filepath.Join(w.dir, "clone", ".git"), nil)
	w.must("clone", "-q", "file://"+server, clone.dir)
	main := w.at
	w.at = clone
	there := w.ownersOf(branches, "origin/")
	w.at = main
	w.compareOwners("clone", here, there)
	w.must("gc", "-q", "--prune=now")
	w.compareOwners("gc", here, w.ownersOf(branches, ""))
}

// must runs a git command that is not part of the workflow.
func (w *world) must(args ...string) {
	if res := w.exec(call{args: append([]string{"git"}, args...)}); res.failed {
		panic(fmt.Sprintf("%q: %s", args, res.errs))
	}
}

// ownersOf asks for the owner of each line of some branches.
func (w *world) ownersOf(branches []string, prefix string) map[string]string {
	owners := map[string]string{}
	for _, name := range branches {
		for _, file := range w.names("ls-tree", "-r", "--name-only", prefix+name) {
			for _, line := range w.blame(prefix+name, file) {
				owners[fmt.Sprintf("%s:%s:%d, of %s", name, file, line.Line, short(line.Commit))] = line.who()
			}
		}
	}
	return owners
}

func (w *world) compareOwners(where string, here, there map[string]string) {
	for _, line := range sorted(here) {
		if w.tally.Elsewhere++; here[line] != there[line] {
			w.fail(elsewhere, fmt.Sprintf("%s: %s is %q's here, %q's there", where, line, here[line], there[line]))
		}
	}
}
