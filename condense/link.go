package condense

import (
	"slices"
	"time"

	"entire-plumb/gitexec"
	"entire-plumb/internal/session"
)

// Links is what links a commit gets for the sessions' work in it.
type Links struct {
	Sessions []string       // whose work a new link is for; nil: it gets none
	Redone   []session.Link // of commits that reset took out, and that it stands for now
}

// LinksFor chooses the links of what is staged: a new one, and those that it takes. Where it holds
// nothing but what had links before, the first of those is enough. An agent's own commit is its
// session's, whatever is in it: agents are the sessions whose agent makes it.
func LinksFor(matches []Matched, agents []string) Links {
	var l Links
	own := false
	for _, m := range matches {
		l.Sessions = append(l.Sessions, m.Session.SessionID)
		own = own || len(m.Own) > 0
		for _, taken := range m.Redone {
			if slices.Contains(m.Links, taken.ID) && !slices.ContainsFunc(l.Redone, func(known session.Link) bool { return known.ID == taken.ID }) {
				l.Redone = append(l.Redone, taken)
			}
		}
	}
	if len(matches) == 0 {
		l.Sessions = agents
	}
	if len(l.Redone) > 0 && !own {
		l.Sessions = nil
	}
	return l
}

// GivenOut matches the sessions that a link was given out for, where what was committed says
// nothing: a link without a checkpoint must not be.
func GivenOut(states []*session.State, sessions []string) []Matched {
	var matches []Matched
	for _, s := range states {
		if slices.Contains(sessions, s.SessionID) {
			matches = append(matches, Matched{Session: s, Reason: LinkGivenOut})
		}
	}
	return matches
}

// Outcome says what becomes of the checkpoint of a linked commit.
type Outcome int

// The outcomes.
const (
	NoCheckpoint Outcome = iota // no session's work is in the commit
	Write                       // it is written, or added to
	Amend                       // the commit was amended, without more work in it
	Replace                     // the commit holds what one held that was reset
	Join                        // or several
)

// OutcomeOf decides what becomes of a commit's checkpoint, given what Match found. redone are the
// commits that it stands for by what it was given before it was made, and held says that its
// checkpoint is there.
func OutcomeOf(matches []Matched, overlaps []Overlap, redone []session.Link, held bool) Outcome {
	onlyReset := !slices.ContainsFunc(overlaps, func(o Overlap) bool { return o.Counts && !o.Takes })
	switch {
	case len(matches) == 0 && !held:
		return NoCheckpoint
	case len(redone) == 1 && onlyReset:
		return Replace
	case len(redone) > 1 && onlyReset:
		return Join
	case len(matches) == 0:
		return Amend
	}
	return Write
}

// MayHaveWork reports whether a commit may hold work of a session's: of a turn that is going on, on
// a stream, or remembered. onHead are the sessions that are on streams of HEAD, to which the user
// has come back; reset tells which linked commits reset took out of its history.
func MayHaveWork(s *session.State, onHead []string, reset func(gitexec.OID) bool, now time.Time) bool {
	return s.Phase == session.Active || s.ShadowBranchSuffix > 0 || slices.Contains(onHead, s.SessionID) ||
		slices.ContainsFunc(s.Linked, func(l session.Link) bool { return reset(l.Commit) }) ||
		slices.ContainsFunc(s.Dismissed, func(d session.Dismissed) bool { return now.Sub(d.When) <= session.Memory })
}
