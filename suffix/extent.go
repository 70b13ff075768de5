package suffix

import (
	"maps"
	"slices"
	"strings"

	"entire-plumb/gitexec"
)

// Extent counts how much the agent did to a file, and how much of it a version does again: distinct
// lines that the agent added; where it added none, those that it removed; 1 for a file without
// lines of its own to compare. version is the change from the version under it to this one; nil:
// the file is unchanged. Lines of others, each a piece of work on the same file, are not found. Its
// errors are those of texts.
func Extent(changes []Change, version *gitexec.Change, others [][]Change, texts Texts) (found, sought int, err error) {
	added, removed, err := ownLines(changes, texts)
	if err != nil {
		return 0, 0, err
	}
	if sought = len(added); sought == 0 {
		sought = max(1, len(removed))
	}
	if version == nil {
		return 0, sought, nil
	}
	f, err := Compare(changes, *version, texts)
	if err != nil {
		return 0, 0, err
	}
	if len(added)+len(removed) == 0 {
		inEffect := f.Present
		for _, o := range others {
			if err != nil || !inEffect {
				break
			}
			inEffect, err = InEffect(o, *version, texts)
			inEffect = !inEffect
		}
		if inEffect && err == nil {
			found = 1
		}
		return found, sought, err
	}
	claimed := map[string]bool{} // a line that others removed, and that is there, is none of theirs
	for _, o := range others {
		theirs, gone, err := ownLines(o, texts)
		if err != nil {
			return 0, 0, err
		}
		if len(added) == 0 {
			theirs = gone
		}
		for _, line := range theirs {
			claimed[bare(line)] = true
		}
	}
	o, err := ownOf(changes, texts)
	if err != nil {
		return 0, 0, err
	}
	h, _, err := o.heldIn(*version)
	own := h.found
	if len(added) == 0 {
		own = h.removed
	}
	for _, line := range own {
		if !claimed[bare(line)] {
			found++
		}
	}
	return found, sought, err
}

// bare is a line without its white space.
func bare(line string) string { return strings.Join(strings.Fields(line), "") }

// ownLines are the lines that an agent wrote and its last version has, and those that it took out.
func ownLines(changes []Change, texts Texts) (added, removed []string, err error) {
	if _, ok, err := texts.Lines(changes[len(changes)-1].After); err != nil || !ok {
		return nil, nil, err
	}
	o, err := ownOf(changes, texts)
	if err != nil {
		return nil, nil, err
	}
	for k, line := range o.wrote {
		if o.kept[k] {
			added = append(added, line)
		}
	}
	return added, slices.Sorted(maps.Values(o.removed)), nil
}
