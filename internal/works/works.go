// Package works gathers the sessions' work that a commit may hold.
package works

import (
	"errors"
	"fmt"
	"slices"

	"entire-plumb/condense"
	"entire-plumb/gitexec"
	"entire-plumb/internal/checkpoints"
	"entire-plumb/internal/session"
	"entire-plumb/shadow"
	"entire-plumb/suffix"
)

// Gather collects the sessions' work on the streams of the bases. streams gives the streams of a
// base. One that has lost an object is left alone, and told of as a trouble: the others count all
// the same.
func Gather(db *gitexec.ODB, bases []gitexec.OID, states []*session.State, streams func(base gitexec.OID) ([]shadow.Stream, error)) (works []condense.Work, troubles []error, err error) {
	known := map[string]*session.State{}
	for _, s := range states {
		known[s.SessionID] = s
	}
	for _, base := range bases {
		found, err := streams(base)
		if err != nil {
			return nil, nil, err
		}
		together, broken := shadow.AgentChanges(db, found...)
		for i := range found {
			var changes []shadow.Change
			if broken == nil {
				changes = together[i]
			} else if changes, err = found[i].AgentChanges(db); err != nil { // then it is asked which one
				var lost *gitexec.MissingError
				if errors.As(err, &lost) {
					troubles = append(troubles, fmt.Errorf("%w\nhint: git fsck says more; what is on that stream is left as it is", err))
					continue
				}
				return nil, nil, err
			}
			works = append(works, worksOf(&found[i], changes, known)...)
		}
	}
	return works, troubles, nil
}

// worksOf splits a stream's changes by session. What belongs to a session that isn't known any more
// is left alone.
func worksOf(stream *shadow.Stream, changes []shadow.Change, known map[string]*session.State) []condense.Work {
	var works []condense.Work
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
			works = append(works, condense.Work{Session: state, Stream: stream})
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

// InProgress is the work of turns that are going on, as far as a commit shows it: the committed
// files that were otherwise, or not there, when the turn began. An agent that makes the commit has
// them all. Of what somebody else commits the agent has what it is known to have written. agents
// are the sessions whose agent makes the commit, named the files of the others, by session.
func InProgress(db *gitexec.ODB, states []*session.State, changes []gitexec.Change, agents []string, named map[string][]gitexec.Path) ([]condense.Work, error) {
	var works []condense.Work
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
		committing := slices.Contains(agents, s.SessionID)
		w := condense.Work{Session: s, Committing: committing, InTurn: !committing}
		for i, c := range changes {
			if then[i] != c.New && (w.Committing || slices.Contains(named[s.SessionID], c.Path)) {
				w.Changes = append(w.Changes, suffix.Change{Path: c.Path, Before: then[i], After: c.New})
			}
		}
		if w.Committing || len(w.Changes) > 0 {
			works = append(works, w)
		}
	}
	return works, nil
}

// OfReset is the work of commits that reset took out of HEAD's history: what each of them did to the
// session's files. here tells which commits are in HEAD's history: their links are taken. A commit
// that git has pruned is forgotten.
func OfReset(db *gitexec.ODB, s *session.State, reset, here func(gitexec.OID) bool) ([]condense.Work, error) {
	var works []condense.Work
	for i, l := range s.Linked {
		newer := func(other session.Link) bool { return other.ID == l.ID && reset(other.Commit) }
		if !reset(l.Commit) || !l.Dropped && slices.ContainsFunc(s.Linked[i+1:], newer) {
			continue
		}
		info, err := db.Info(l.Commit, l.Tree)
		if err != nil {
			return nil, err
		}
		if info[0].Type != "commit" || info[1].Type != "tree" {
			continue
		}
		w := condense.Work{Session: s, Link: &s.Linked[i]}
		w.Free = !slices.ContainsFunc(s.Linked, func(other session.Link) bool { return other.ID == l.ID && here(other.Commit) })
		if w.Changes, err = changesOf(db, l); err != nil {
			return nil, err
		}
		works = append(works, w)
	}
	return works, nil
}

// changesOf gives what a commit did to the files that are the session's.
func changesOf(db *gitexec.ODB, l session.Link) ([]suffix.Change, error) {
	own, err := checkpoints.FilesTouched(db, l.Tree)
	if err != nil {
		return nil, err
	}
	commits, err := db.Commits(l.Commit)
	if err != nil {
		return nil, err
	}
	parent, err := db.ParentTree(commits[0])
	if err != nil {
		return nil, err
	}
	diff, err := db.DiffTrees(parent, commits[0].Tree)
	if err != nil {
		return nil, err
	}
	var changes []suffix.Change
	for _, c := range diff {
		if slices.Contains(own, c.Path) {
			changes = append(changes, suffix.Change{Path: c.Path, Before: c.Old, After: c.New})
		}
	}
	return changes, nil
}
