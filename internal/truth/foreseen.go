package main

import "slices"

// foreseen are the owners of the lines of the files that a commit of all would change, as blame
// has them before it.
type foreseen map[string][]lineOwner

// foresee asks for them. Where a merge or the like is under way too: its commit is foreseen.
func (w *world) foresee() foreseen {
	all := foreseen{}
	if !w.born() {
		return all
	}
	names := append(w.names("diff", "--name-only", "--no-renames", "--diff-filter=d", "HEAD"), w.names("ls-files", "--others", "--exclude-standard")...)
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		var lines []lineOwner
		w.json(&lines, "blame", "--json", name)
		all[name] = lines
	}
	return all
}

// checkForeseen: after the commit, blame gives each line the owner that it gave it before.
func (w *world) checkForeseen(before foreseen) {
	for _, name := range sorted(before) {
		after := w.blame("HEAD", name)
		if len(after) != len(before[name]) {
			w.fail(views, "blame of %s has %d lines before the commit, and %d after it", name, len(before[name]), len(after))
			continue
		}
		for i, line := range before[name] {
			w.tally.Foreseen++
			if was, is := line.who(), after[i].who(); was != is || line.Owner.Turn != after[i].Owner.Turn {
				w.fail(views, "blame of %s:%d says %q %s before the commit, and %q %s after it: %q", name, line.Line,
					was, line.Owner.Turn, is, after[i].Owner.Turn, line.Content)
			}
		}
	}
}
