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
			works = append(works, condense.OfStream(&found[i], changes, states)...)
		}
	}
	return works, troubles, nil
}

// InProgress is the work of turns that are going on, as far as a commit shows it. agents are the
// sessions whose agent makes the commit, named the files that the others are known to have written,
// by session.
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
		works = append(works, condense.InProgress(s, changes, then, slices.Contains(agents, s.SessionID), named[s.SessionID])...)
	}
	return works, nil
}

// OfReset is the work of commits that reset took out of HEAD's history: what each of them did to the
// session's files. here tells which commits are in HEAD's history: their links are taken. A commit
// that git has pruned is forgotten.
func OfReset(db *gitexec.ODB, s *session.State, reset, here func(gitexec.OID) bool) ([]condense.Work, error) {
	var works []condense.Work
	for _, w := range condense.Reset(s, reset, here) {
		info, err := db.Info(w.Link.Commit, w.Link.Tree)
		if err != nil {
			return nil, err
		}
		if info[0].Type != "commit" || info[1].Type != "tree" {
			continue
		}
		if w.Changes, err = changesOf(db, *w.Link); err != nil {
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
	return condense.Own(diff, own), nil
}
