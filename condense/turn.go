package condense

import "entire-plumb/gitexec"

// TurnFile is a file of a turn during which HEAD moved: the worktree's version and HEAD's, at the
// turn's start and at its end.
type TurnFile struct {
	Path                   gitexec.Path
	Began, Ended           gitexec.Entry // the worktree's
	HeadAtStart, HeadAtEnd gitexec.Entry // HEAD's
}

// Uncommitted decides whether a change of the turn in the file is uncommitted, and which version
// came before it, on HEAD at the end. What HEAD then holds with the same content was committed, or
// came with a pull or another branch. The human's version is as it was at the start: where HEAD has
// got a part of the file since, works.Rebased has that, too.
func (f TurnFile) Uncommitted() (before gitexec.Entry, touched bool) {
	switch {
	// The turn left the file as it was. If HEAD has moved on, and the file is as HEAD had it, the
	// turn has taken out what it, or a pull, had committed: that is uncommitted now.
	case f.Began == f.Ended: // it may have been committed in between, and then undone
		return f.HeadAtEnd, f.HeadAtStart != f.HeadAtEnd && f.Ended == f.HeadAtStart
	// As HEAD has it: nothing is uncommitted.
	case f.Ended == f.HeadAtEnd:
		return before, false
	// The agent's change goes from the human's version, or the human's lines would be the agent's.
	case f.Began != f.HeadAtStart: // the human had changed it before
		return f.Began, true
	}
	return f.HeadAtEnd, true
}

// OnlyRenamed lists the new files whose content a deleted file had.
func OnlyRenamed(changes []gitexec.Change) map[gitexec.Path]bool {
	deleted := map[gitexec.OID]bool{}
	for _, c := range changes {
		if !c.New.Exists() {
			deleted[c.Old.ID] = true
		}
	}
	renamed := map[gitexec.Path]bool{}
	for _, c := range changes {
		if !c.Old.Exists() && deleted[c.New.ID] {
			renamed[c.Path] = true
		}
	}
	return renamed
}
