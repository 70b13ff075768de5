package suffix

import (
	"strings"

	"entire-plumb/gitexec"
)

// Extent counts how much the agent did to a file, and how much of it a version does again: distinct
// lines that the agent added; 1 for a file to which it added none. version is the change from the
// version under it to this one; nil: the file is unchanged. Lines of others, each a piece of work
// on the same file, are not found, nor is what they do. Its errors are those of texts.
func Extent(changes []Change, version *gitexec.Change, others [][]Change, texts Texts) (found, sought int, err error) {
	own, err := ownOf(changes, texts)
	if err != nil {
		return 0, 0, err
	}
	added := own.added()
	// A file to which the agent added no line counts as one: a deletion, a mode, a binary file.
	if sought = max(1, len(added)); version == nil {
		return 0, sought, nil
	}
	if len(added) == 0 {
		// It is counted only where it isn't in effect for others, too: two who delete the same
		// file.
		inEffect, err := InEffect(changes, *version, texts)
		for _, o := range others {
			if !inEffect || err != nil {
				break
			}
			inEffect, err = InEffect(o, *version, texts)
			inEffect = !inEffect
		}
		if inEffect {
			found = 1
		}
		return found, sought, err
	}
	claimed := map[string]bool{}
	for _, o := range others {
		theirs, err := ownOf(o, texts)
		if err != nil {
			return 0, 0, err
		}
		for _, line := range theirs.added() {
			claimed[bare(line)] = true
		}
	}
	h, _, err := own.heldIn(*version)
	for _, line := range h.found {
		if !claimed[bare(line)] {
			found++
		}
	}
	return found, sought, err
}

// bare is a line without its white space.
func bare(line string) string { return strings.Join(strings.Fields(line), "") }

// added are the lines that an agent wrote and its last version has.
func (o *own) added() (lines []string) {
	for k, line := range o.wrote {
		if o.kept[k] {
			lines = append(lines, line)
		}
	}
	return lines
}
