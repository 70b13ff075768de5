package condense

import (
	"entire-plumb/gitexec"
	"entire-plumb/suffix"
)

// Stashed reports whether a stash entry has any of an agent's changes of a file, and not the version
// that a commit has, as after `git stash apply`.
type Stashed func(own []suffix.Change, committed gitexec.Entry) (bool, error)

// inStash reports whether work counts without any of its content in the commit, and a stash entry
// has it.
func (o Overlap) inStash(stashed Stashed) (away bool, err error) {
	if !o.Counts || o.Work.Stream == nil || o.Reason != FileModified && o.Reason != ContentMatches {
		return false, nil
	}
	for _, f := range o.Files {
		if f.found.Present && !f.found.ByRemoval() {
			return false, nil
		}
		if !away {
			if away, err = stashed(f.changes, f.found.Now); err != nil {
				return false, err
			}
		}
	}
	return away, nil
}
