package condense

import (
	"slices"

	"entire-plumb/gitexec"
	"entire-plumb/suffix"
)

// Stashed reports whether a stash entry has any of an agent's changes of a file, and not the version
// that a commit has, as after `git stash apply`.
type Stashed func(own []suffix.Change, committed gitexec.Entry) (bool, error)

// inStash reports whether work counts without any of its content in the commit, and a stash entry
// has it.
func (o Overlap) inStash(
	changes []gitexec.Change, texts suffix.Texts, stashed Stashed,
) (bool, error) {
	if !o.Counts || o.Work.Stream == nil || o.Reason != FileModified && o.Reason != ContentMatches {
		return false, nil
	}
	away := false
	for _, own := range suffix.ByFile(o.Work.Changes) {
		at := slices.IndexFunc(changes, func(c gitexec.Change) bool { return c.Path == own[0].Path })
		if at < 0 {
			continue
		}
		held, err := suffix.InEffect(own, changes[at], texts)
		if held && err == nil {
			if held, err = suffix.InEffectByRemoval(own, changes[at], texts); !held && err == nil {
				return false, nil
			}
		}
		if err == nil && !away {
			away, err = stashed(own, changes[at].New)
		}
		if err != nil {
			return false, err
		}
	}
	return away, nil
}
