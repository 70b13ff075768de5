package condense

import "entire-plumb/gitexec"

// TurnFile is a file of a turn in which HEAD moved: the worktree's version and HEAD's, when the
// turn began and when it ended.
type TurnFile struct {
	Path         gitexec.Path
	Began, Ended gitexec.Entry
	Then, Now    gitexec.Entry // HEAD's
}

// Uncommitted decides whether something of the turn in the file isn't committed, and what the file
// was before it, on the present HEAD. What HEAD holds just so was committed, or came with a pull or
// another branch.
func (f TurnFile) Uncommitted() (before gitexec.Entry, touched bool) {
	switch {
	case f.Began == f.Ended: // it may have been committed in between, and then be made what it was before
		return f.Now, f.Then != f.Now && f.Ended == f.Then
	case f.Ended == f.Now:
		return before, false
	case f.Began != f.Then: // the human had changed it already
		return f.Began, true
	}
	return f.Now, true
}
