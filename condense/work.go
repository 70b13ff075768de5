package condense

import (
	"slices"

	"entire-plumb/gitexec"
	"entire-plumb/internal/session"
	"entire-plumb/shadow"
	"entire-plumb/suffix"
)

// Work is what one session did and a commit may hold.
type Work struct {
	Session *session.State
	Stream  *shadow.Stream // that it is on; nil: it is on none
	Changes []suffix.Change

	Committing bool          // it is of the turn that is going on, and the agent makes the commit: that counts whatever is in it
	InTurn     bool          // it is of the turn that is going on, and somebody else makes the commit
	Link       *session.Link // it was committed already, in a commit that reset took out
	Free       bool          // that link is on no commit in HEAD's history
}

// Bases lists the commits that the sessions' work may hang from: their bases, oldest session first,
// and HEAD last, to which the user may have come back. head may be empty.
func Bases(head gitexec.OID, states []*session.State) []gitexec.OID {
	var bases []gitexec.OID
	for _, s := range states {
		if s.BaseCommit != "" && s.BaseCommit != head && !slices.Contains(bases, s.BaseCommit) {
			bases = append(bases, s.BaseCommit)
		}
	}
	if head == "" {
		return bases
	}
	return append(bases, head)
}

// BackAgain is what the session wrote, that was gone when its stream ended, and that a commit holds
// just so.
func BackAgain(s *session.State, changes []gitexec.Change) []Work {
	w := Work{Session: s}
	for _, d := range s.Dismissed {
		for _, c := range changes {
			if c.Path == d.Path && c.New == d.Entry {
				w.Changes = append(w.Changes, suffix.Change{Path: c.Path, Before: c.Old, After: c.New})
			}
		}
	}
	if len(w.Changes) == 0 {
		return nil
	}
	return []Work{w}
}
