package condense

import (
	"slices"

	"entire-plumb/gitexec"
	"entire-plumb/suffix"
)

// Fate decides what becomes of a file of an agent's that a commit doesn't hold as the agent left
// it, by its versions in the worktree and, after that one, in the index and the stash entries. Work
// that is here, in the worktree, is carried with the worktree's content. Work that a stash entry
// holds is kept as the stream has it. What is neither was dismissed.
//
// A version that is the committed one has nothing left over in it, nor has the worktree where the
// commit has the file as the agent left it. Another one, unless it is the version before the agent
// came, may have something of the agent's in it that the comparison doesn't see, as when a human
// indented all of it: that is kept as well, and not thrown away.
func Fate(changes []suffix.Change, versions []gitexec.Entry, committed gitexec.Entry, texts suffix.Texts, match suffix.Match) (here, kept bool, err error) {
	done := changes[len(changes)-1].After == committed
	for i, version := range versions {
		if version == committed || i > 0 && here && version == versions[0] {
			continue
		}
		found, err := suffix.InEffect(changes, gitexec.Change{Old: committed, New: version}, texts, match)
		switch {
		case err != nil:
			return false, false, err
		case found && i == 0:
			here = true
		case found || !(done && i == 0) && version != changes[0].Before && (version.Exists() || deletes(changes)):
			kept = true
		}
	}
	return here, kept, nil
}

// deletes reports whether an agent took the file away in any of its turns.
func deletes(changes []suffix.Change) bool {
	return slices.ContainsFunc(changes, func(c suffix.Change) bool { return !c.After.Exists() })
}
