package condense

import (
	"slices"

	"entire-plumb/gitexec"
	"entire-plumb/suffix"
)

// fate decides what becomes of a file that an agent changed and that a commit does not hold as the
// agent wrote it, by its versions: the first is the worktree's, the others those of the index and
// of stash entries. inWorktree: the work is in the worktree, and is carried with the worktree's
// content. kept: a stash entry or the index holds it, and it is kept with the stream's content.
// Neither: it was dismissed.
//
// A version that equals the committed one has no remainder; nor has the worktree's where the commit
// holds the file as the agent wrote it, object for object, nor the version that the agent's only
// turn left, where the commit holds all that it did: the rest is others'. Where the commit holds
// all that the agent did, another version has a remainder if what one of the turns did is in it,
// which a later one undid, or some of it, which a human changed. Else any other version, except the
// one before the agent's changes, may hold work that the comparison does not recognise, for example
// because a human reindented the file: that work is kept, too.
func fate(
	changes []suffix.Change, versions []gitexec.Entry, committed gitexec.Entry, texts suffix.Texts,
) (inWorktree, kept bool, err error) {
	// same: the commit has the file as the agent left it. whole: it has all of the agent's lines,
	// perhaps beside others'.
	same := changes[len(changes)-1].After == committed
	whole := same
	if !whole {
		if whole, err = suffix.Whole(changes, committed, texts); err != nil {
			return false, false, err
		}
	}
	for i, version := range versions {
		// Nothing remains there; or the index or a stash entry has what the worktree carries
		// already.
		if version == committed || i > 0 && inWorktree && version == versions[0] {
			continue
		}
		found, err := suffix.Compare(changes, gitexec.Change{Old: committed, New: version}, texts)
		switch {
		case err != nil:
			return false, false, err
		// It is the agent's only version, and the commit has all of it and more: nothing of the
		// agent's remains.
		case whole && !same && len(changes) == 1 && found.Evidence == suffix.SameObject:
		// The worktree has uncommitted work of the agent's.
		case found.Present && i == 0:
			inWorktree = true
		// `git stash`, then a commit of something else.
		case found.Present:
			kept = true
		// Turn 1 wrote, the user stashed that, turn 2 wrote it otherwise, and was committed: the
		// stash has turn 1's.
		case whole && i > 0:
			turn, err := anyTurnIn(changes, version, committed, texts)
			if err != nil {
				return false, false, err
			}
			kept = kept || turn
		// Neither the commit's nor the one before the agent's work: it may be the work in a form
		// that isn't recognised. A file that is absent holds work only if an agent deleted it.
		case (!whole || i == 0 && !same) && version != changes[0].Before && (version.Exists() || deletes(changes)):
			kept = true
		}
	}
	return inWorktree, kept, nil
}

// anyTurnIn reports whether a version has what one of the turns did and the commit has not, or some
// of a turn's lines and not others: somebody went on from them.
func anyTurnIn(changes []suffix.Change, version, committed gitexec.Entry, texts suffix.Texts) (bool, error) {
	for i, turn := range changes {
		one := changes[i : i+1]
		found, err := suffix.InEffect(one, gitexec.Change{Old: committed, New: version}, texts)
		if found || err != nil {
			return found, err
		}
		since, err := suffix.Compare(one, gitexec.Change{Old: turn.Before, New: version}, texts)
		if since.Partly() || err != nil {
			return true, err
		}
	}
	return false, nil
}

// deletes reports whether an agent deleted the file in any of its turns.
func deletes(changes []suffix.Change) bool {
	return slices.ContainsFunc(changes, func(c suffix.Change) bool { return !c.After.Exists() })
}
