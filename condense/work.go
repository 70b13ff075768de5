package condense

import (
	"errors"
	"fmt"
	"slices"

	"entire-plumb/gitexec"
	"entire-plumb/internal/session"
	"entire-plumb/shadow"
	"entire-plumb/suffix"
)

// Work is what one session did and has not committed yet: on one stream, or in a turn that is still going on.
type Work struct {
	Session *session.State
	Stream  *shadow.Stream // nil: the turn that is going on
	Changes []suffix.Change
}

// Bases lists the commits that the sessions' work may hang from: their bases, oldest session first, and HEAD last, to which
// the user may have come back. head may be empty.
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

// Gather collects the sessions' work on the streams of the bases. streams gives the streams of a base. One that has lost an object is left
// alone, and told of as a trouble: the others count all the same.
func Gather(db *gitexec.ODB, bases []gitexec.OID, states []*session.State, streams func(base gitexec.OID) ([]shadow.Stream, error)) (works []Work, troubles []error, err error) {
	known := map[string]*session.State{}
	for _, s := range states {
		known[s.SessionID] = s
	}
	for _, base := range bases {
		found, err := streams(base)
		if err != nil {
			return nil, nil, err
		}
		for i := range found {
			ofStream, err := worksOf(db, &found[i], known)
			var lost *gitexec.MissingError
			if errors.As(err, &lost) {
				troubles = append(troubles, fmt.Errorf("%w\nhint: git fsck says more; what is on that stream is left as it is", err))
				continue
			}
			if err != nil {
				return nil, nil, err
			}
			works = append(works, ofStream...)
		}
	}
	return works, troubles, nil
}

// worksOf splits a stream's changes by session. What belongs to a session that isn't known any more is left alone.
func worksOf(db *gitexec.ODB, stream *shadow.Stream, known map[string]*session.State) ([]Work, error) {
	changes, err := stream.AgentChanges(db)
	if err != nil {
		return nil, err
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
		works[i].Changes = append(works[i].Changes, suffix.Change{Path: c.Path, Before: c.Old, After: c.New})
	}
	return works, nil
}

// InProgress is the work of turns that are going on, as far as a commit shows it: the committed files that were
// otherwise, or not there, when the turn began.
func InProgress(db *gitexec.ODB, states []*session.State, changes []gitexec.Change) ([]Work, error) {
	var works []Work
	paths := make([]gitexec.Path, len(changes))
	for i, c := range changes {
		paths[i] = c.Path
	}
	for _, s := range states {
		if s.Phase != session.Active || s.TurnStartTree == "" {
			continue
		}
		then, err := db.Lookup(s.TurnStartTree, paths...)
		if err != nil {
			return nil, err
		}
		w := Work{Session: s}
		for i, c := range changes {
			if then[i] != c.New {
				w.Changes = append(w.Changes, suffix.Change{Path: c.Path, Before: then[i], After: c.New})
			}
		}
		works = append(works, w)
	}
	return works, nil
}
