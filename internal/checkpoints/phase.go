package checkpoints

import (
	"entire-plumb/gitexec"
	"entire-plumb/internal/ownership"
	"entire-plumb/internal/session"
	"entire-plumb/shadow"
	"slices"
)

// phase is the last part of a turn in progress: its session, and the tree that it begins with.
type phase struct {
	of   *session.State
	from gitexec.OID
}

// phases are the last parts of turns before the commit. An agent that commits has all changes since
// its turn began; else each session has the files that are known to be its own, all of the turn, or
// what it did before the turn of the agent that commits.
func (l *ledger) phases(r Request) ([]phase, error) {
	var phases []phase
	to := r.Tree
	for _, m := range slices.Backward(r.Matches) {
		if len(m.InTurn) == 0 {
			continue
		}
		var err error
		if to, err = l.asBegan(to, m.Session, m.InTurn); err != nil {
			return nil, err
		}
		phases = append([]phase{{m.Session, to}}, phases...)
		l.foreignRoots = true // some changes from before the turn may have been committed since
	}
	committing := committingSession(r)
	if committing == nil {
		return phases, nil
	}
	var err error
	if to, err = l.withStaged(committing, r.Changes); err != nil {
		return nil, err
	}
	phases = append([]phase{{committing, to}}, phases...)
	for _, m := range slices.Backward(r.Matches) {
		if len(m.Early) == 0 {
			continue
		}
		if to, err = l.asBegan(to, m.Session, m.Early); err != nil {
			return nil, err
		}
		phases = append([]phase{{m.Session, to}}, phases...)
		l.foreignRoots = true
	}
	return phases, nil
}

// withStaged is the worktree when the committing session's turn began, with the versions that were
// staged then and that the commit has.
func (l *ledger) withStaged(s *session.State, changes []gitexec.Change) (gitexec.OID, error) {
	paths := make([]gitexec.Path, len(changes))
	for i, c := range changes {
		paths[i] = c.Path
	}
	began, err := l.db.Lookup(s.TurnStartTree, paths...)
	if err != nil {
		return "", err
	}
	staged, err := shadow.StagedBefore(l.db, s.TurnStartIndex, changes, began)
	if err != nil || len(staged) == 0 {
		return s.TurnStartTree, err
	}
	edits := gitexec.Edits{}
	for _, i := range staged {
		edits[changes[i].Path] = changes[i].New
	}
	return l.db.EditTree(s.TurnStartTree, edits)
}

// asBegan is a tree with some files as they were when a session's turn began.
func (l *ledger) asBegan(tree gitexec.OID, s *session.State, files []gitexec.Path) (gitexec.OID, error) {
	began, err := l.db.Lookup(s.TurnStartTree, files...)
	if err != nil {
		return "", err
	}
	edits := gitexec.Edits{}
	for i, path := range files {
		edits[path] = began[i]
	}
	return l.db.EditTree(tree, edits)
}

// addChain completes a chain with the steps after its last checkpoint, and adds it.
func (l *ledger) addChain(c *chain, last gitexec.OID, phases []phase, commit gitexec.OID) {
	by := ownership.Added
	if l.unknown {
		by = ownership.Unknown
	}
	for _, p := range phases {
		c.steps = append(c.steps, step{pair: l.pair(last, p.from), by: by})
		t := Turn{Session: p.of.SessionID, Turn: p.of.TurnID, Link: l.link}
		l.prompts[t] = p.of.LastPrompt
		if p.of.LastInteractionTime != nil {
			l.turnBegan(t, *p.of.LastInteractionTime)
		}
		last, by = p.from, l.owner(t)
	}
	c.steps = append(c.steps, step{pair: l.pair(last, commit), by: by})
	l.chains = append(l.chains, c)
}

// committingSession is the session whose agent made the commit in its turn: of several, the one
// with the latest event.
func committingSession(r Request) *session.State {
	var found *session.State
	for _, m := range r.Matches {
		s := m.Session
		if !m.Commits || s.TurnStartTree == "" {
			continue
		}
		if found == nil || found.LastInteractionTime == nil ||
			s.LastInteractionTime != nil && s.LastInteractionTime.After(*found.LastInteractionTime) {
			found = s
		}
	}
	return found
}
