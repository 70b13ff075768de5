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

// OfStream splits what agents did on a stream by session. What belongs to a session that isn't
// known any more is left alone.
func OfStream(stream *shadow.Stream, changes []shadow.Change, states []*session.State) []Work {
	known := make(map[string]*session.State, len(states))
	for _, s := range states {
		known[s.SessionID] = s
	}
	var works []Work
	at := map[string]int{}
	for _, c := range changes {
		state := known[c.Session]
		if state == nil {
			continue
		}
		i, ok := at[c.Session]
		if !ok {
			i = len(works)
			at[c.Session] = i
			works = append(works, Work{Session: state, Stream: stream})
		}
		works[i].Changes = append(works[i].Changes, Plain(c))
	}
	return works
}

// Plain gives a stream's change as package suffix takes it.
func Plain(c shadow.Change) suffix.Change {
	plain := suffix.Change{Path: c.Path, Before: c.Old, After: c.New}
	for _, of := range c.Of {
		plain.Of = append(plain.Of, Plain(of))
	}
	return plain
}

// InProgress is the work of a turn that is going on, as far as a commit shows it: the committed
// files that were otherwise, or not there, when the turn began, as then says in the order of the
// changes. An agent that makes the commit has them all. Of what somebody else commits the agent has
// what it is known to have written: named. It gives nothing where there is no work.
func InProgress(s *session.State, changes []gitexec.Change, then []gitexec.Entry, committing bool, named []gitexec.Path) []Work {
	w := Work{Session: s, Committing: committing, InTurn: !committing}
	for i, c := range changes {
		if then[i] != c.New && (committing || slices.Contains(named, c.Path)) {
			w.Changes = append(w.Changes, suffix.Change{Path: c.Path, Before: then[i], After: c.New})
		}
	}
	if !committing && len(w.Changes) == 0 {
		return nil
	}
	return []Work{w}
}

// Reset is the work of the session's linked commits that reset took out of HEAD's history, without
// its changes: see Own. Of several that have a link it is the last one's, and those that an amend
// took work out of. here tells which commits are in HEAD's history: their links are taken.
func Reset(s *session.State, reset, here func(gitexec.OID) bool) []Work {
	var works []Work
	for i, l := range s.Linked {
		newer := func(other session.Link) bool { return other.ID == l.ID && reset(other.Commit) }
		if !reset(l.Commit) || !l.Dropped && slices.ContainsFunc(s.Linked[i+1:], newer) {
			continue
		}
		taken := slices.ContainsFunc(s.Linked, func(other session.Link) bool { return other.ID == l.ID && here(other.Commit) })
		works = append(works, Work{Session: s, Link: &s.Linked[i], Free: !taken})
	}
	return works
}

// Own gives those of a commit's changes that are in a session's files.
func Own(changes []gitexec.Change, files []gitexec.Path) []suffix.Change {
	var own []suffix.Change
	for _, c := range changes {
		if slices.Contains(files, c.Path) {
			own = append(own, suffix.Change{Path: c.Path, Before: c.Old, After: c.New})
		}
	}
	return own
}

// StillIn gives those of a session's files that a commit changes: a checkpoint lists no others.
func StillIn(changes []gitexec.Change, files []gitexec.Path) []gitexec.Path {
	changed := make(map[gitexec.Path]bool, len(changes))
	for _, c := range changes {
		changed[c.Path] = true
	}
	return slices.DeleteFunc(append([]gitexec.Path{}, files...), func(p gitexec.Path) bool { return !changed[p] })
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
